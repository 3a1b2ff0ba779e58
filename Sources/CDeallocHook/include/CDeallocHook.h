// CDeallocHook: an associated-object table keyed by object address, with teardown callbacks. And a list of what the
// caller wants to enumerate, and a value for each thread.
//
// An entry is live → dying → gone. `cdh_teardown`, called once when the object dies, runs the object's callbacks in
// order, releases its associated values, and leaves nothing under the address, so that the address can be reused.
//
// Every function may be called from any thread; calls that add need an object that is alive, or in its teardown.
// No lock is held while a callback or a release function runs: both may call anything here, for any object.

#ifndef CDEALLOCHOOK_H
#define CDEALLOCHOOK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __clang__
#pragma clang assume_nonnull begin
#else
#define _Nonnull
#define _Nullable
#endif

/// What a call that adds something came to. Anything but `CDH_OK` has changed nothing.
typedef enum cdh_result { CDH_OK = 0, CDH_NO_MEMORY = 1, CDH_DYING = 2 } cdh_result;

/// When a value is released during teardown: `CDH_FIRST` values go before `CDH_LAST` ones, in no order among themselves.
typedef enum cdh_order { CDH_FIRST = 0, CDH_LAST = 1 } cdh_order;

/// Runs under a lock of the table, so that the value cannot go away meanwhile: it must call nothing here.
typedef void *_Nonnull (*cdh_retain_fn)(void *value);
typedef void (*cdh_release_fn)(void *_Nullable value);
/// Gets the address of the dying object, never a reference to it: a reference must not escape from a teardown.
typedef void (*cdh_callback_fn)(const void *object, void *_Nullable context);

/// Stores `value` for `key`, replacing (and releasing) what was there. `release` may be null.
cdh_result cdh_associate(const void *object, const void *key, void *value, cdh_release_fn _Nullable release,
                         cdh_order order);
/// The value for `key`, passed through `retain` under the lock if that is not null; null where there is none or the object
/// is gone. While the object is dying, the values that are not yet released are still found.
void *_Nullable cdh_associated(const void *object, const void *key, cdh_retain_fn _Nullable retain);
/// Removes and releases the value for `key`; false where there was none.
bool cdh_dissociate(const void *object, const void *key);

/// Adds a callback that runs at teardown, after those added before it. `*token` names it for `cdh_cancel`; it is never zero
/// and never names another callback, of this object or of a later one at the same address.
/// `release`, if not null, is called with `context` exactly once: after the callback ran, or when it is cancelled.
cdh_result cdh_on_teardown(const void *object, cdh_callback_fn callback, void *_Nullable context,
                           cdh_release_fn _Nullable release, uint64_t *token);
/// Cancels a callback that has not started; false if it ran, runs, or was cancelled before.
bool cdh_cancel(const void *object, uint64_t token);

/// Ends the entry: callbacks in order, then values, then the address is forgotten. Unknown addresses are ignored,
/// and so is an object whose teardown is under way. Needs no memory.
void cdh_teardown(const void *object);
/// Whether `cdh_teardown` is under way for this address.
bool cdh_is_dying(const void *object);

/// How many addresses have an entry now, counted one by one. Zero when all of them are dead or have been cleared.
size_t cdh_live_entries(void);

/// Puts a caller's structure into a list of all of its kind: a field of it. It stays where it is from `cdh_join` to
/// `cdh_leave`. Neither needs memory.
typedef struct cdh_member {
  struct {
    struct cdh_member *_Nullable le_next;
    struct cdh_member *_Nullable *_Nullable le_prev;
  } link;  // LIST_ENTRY(cdh_member) of <sys/queue.h>
} cdh_member;
void cdh_join(cdh_member *member);
void cdh_leave(cdh_member *member);
/// What `retain` makes of each member. It runs under a lock, so that the member cannot leave meanwhile, and must call
/// nothing here; members for which it returns null are left out. Stores the first `capacity` results and returns how many
/// there are: call again with more room if that is larger. Members that join and leave meanwhile may be missed.
typedef void *_Nullable (*cdh_try_retain_fn)(cdh_member *member);
size_t cdh_collect(cdh_try_retain_fn retain, void *_Nullable *_Nullable values, size_t capacity);

/// For tests: where memory comes from, aligned as malloc's. Null restores the default. Only while the table is empty.
typedef struct cdh_allocator {
  void *_Nullable (*_Nonnull allocate)(size_t bytes);
  void (*_Nonnull deallocate)(void *_Nullable memory);
} cdh_allocator;
void cdh_set_allocator(const cdh_allocator *_Nullable allocator);

/// One word for each thread. Read it with `cdh_thread_value`, write it with `cdh_set_thread_value` only.
extern _Thread_local void *_Nullable cdh_thread_word __attribute__((tls_model("initial-exec")));

/// This thread's value, null where none was set: one load.
static inline void *_Nullable cdh_thread_value(void) { return cdh_thread_word; }
/// Sets this thread's value, replacing (and releasing) what was there. `release`, which may be null, is called with `value`
/// when this thread ends, on this thread, with the word already null; not for the main thread when it returns from `main`
/// or calls `exit`, since the process ends with it. Null removes the value. False if there is no memory: nothing changed.
bool cdh_set_thread_value(void *_Nullable value, cdh_release_fn _Nullable release);

#ifdef __clang__
#pragma clang assume_nonnull end
#else
#undef _Nonnull
#undef _Nullable
#endif

#endif
