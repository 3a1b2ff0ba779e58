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

#ifdef __cplusplus
}
#endif
