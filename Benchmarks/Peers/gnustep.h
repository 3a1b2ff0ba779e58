// What the Objective-C half of the GNUstep peer offers to the C++ harness.

#pragma once

#ifdef __cplusplus
extern "C" {
#endif

void gnustep_start(void);
void *gnustep_make_target(void);
void *gnustep_make_observer(void);
void gnustep_release(void *object);
long gnustep_calls(void *observer);
void gnustep_set(void *target, long value);
void gnustep_set_child(void *target, void *child);
void gnustep_add(void *observer, void *target, int through_child);
void gnustep_remove(void *observer, void *target, int through_child);
void *gnustep_make_life(long count);
void gnustep_add_to_life(void *observer, long place, void *target);
long gnustep_value_for_key(void *target);
void gnustep_set_value_for_key(void *target, long value);
/// `value`, `child.value`, `child.child.value`: that many keys.
void *gnustep_make_path(long length);
long gnustep_value_for_path(void *target, void *path);
void gnustep_add_path(void *observer, void *target, void *path);
void gnustep_remove_path(void *observer, void *target, void *path);
/// An object with that many items, each of which the observer observes; it adds them up at each change.
void *gnustep_make_table(void *observer, long count);
void *gnustep_item(void *table, long index);
long gnustep_sum(void *observer);

#ifdef __cplusplus
}
#endif
