// CSwiftRuntime: the few entry points of the Swift runtime that Swift source cannot name, and whether this is the main queue.
//
// The functions declared here are exported by libswiftCore and libswift_Concurrency on Linux and on Apple platforms. Swift refuses to declare
// symbols of its own runtime, and it has no way to call a closure without retaining its context first; both are a few
// lines of C. They keep no state.

#ifndef CSWIFTRUNTIME_H
#define CSWIFTRUNTIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#pragma clang assume_nonnull begin

extern void *_Nullable swift_tryRetain(void *object);
extern void swift_release(void *_Nullable object);
extern void *swift_unownedRetain(void *object);
extern void swift_unownedRelease(void *object);
extern bool swift_isDeallocating(void *object);
extern bool swift_isUniquelyReferenced_nonNull_native(const void *object);
extern size_t swift_retainCount(void *object);
extern void *swift_allocObject(const void *type, size_t size, size_t alignment_mask);
extern void swift_deallocUninitializedObject(void *object, size_t size, size_t alignment_mask);
extern void swift_beginAccess(void *place, void *buffer, uintptr_t flags, void *_Nullable pc);
extern void swift_endAccess(void *buffer);

/// Retains the object unless its deinit has begun. Safe from any thread while the object's memory is pinned.
static inline bool csr_try_retain(const void *object) { return swift_tryRetain((void *)object) != NULL; }
static inline void csr_release(const void *_Nullable object) { swift_release((void *)object); }

/// Keeps the memory of an object allocated, not the object alive: the address cannot be reused until it is unpinned.
static inline void csr_pin(const void *object) { swift_unownedRetain((void *)object); }
static inline void csr_unpin(const void *object) { swift_unownedRelease((void *)object); }

static inline bool csr_is_deinitializing(const void *object) { return swift_isDeallocating((void *)object); }

typedef struct csr_extents {
  uintptr_t negative, positive;
} csr_extents;
extern __attribute__((swiftcall)) csr_extents _swift_getSwiftClassInstanceExtents(const void *type);

/// How many bytes an object of a class has, those of its superclasses included; a subclass's own properties lie behind them.
static inline size_t csr_instance_size(const void *type) { return _swift_getSwiftClassInstanceExtents(type).positive; }

/// An object of a class with one reference to it, that is not initialised: behind its header, which is two words, all is zero.
static inline void *csr_make_blank(const void *type) {
  size_t size = csr_instance_size(type), header = 2 * sizeof(void *);
  void *object = swift_allocObject(type, size, 15);
  memset((char *)object + header, 0, size - header);
  return object;
}

/// Frees such an object, to which there is one reference, without its deinit.
static inline void csr_free_blank(void *object, const void *type) {
  swift_deallocUninitializedObject(object, csr_instance_size(type), 15);
}

/// Copies the metadata of a class: a class that answers to every class method as the original does, and is another class to
/// whoever compares. It is for calling class methods, and is never freed, since the runtime may remember it. NULL on Apple
/// platforms, where the metadata has another form and a class has to be registered.
const void *_Nullable csr_copy_class(const void *type);
/// Whether a class is generic, or its metadata is completed at its first use, as that of a generic class's subclass is.
bool csr_is_generic(const void *type);
/// Whether a class has members of its own that a subclass could override: then it is not final. False if that is not certain,
/// as for a generic class.
bool csr_is_surely_not_final(const void *type);

/// Whether the compiler lets a key path read and write the stored properties of a class by functions, and not at their addresses: it does
/// in a generic class with a superclass of another module, whose size may change.
bool csr_stores_by_functions(const void *type);

/// Whether a class, or one between it and a superclass, overrides a getter that the superclass declares. True also if that is not
/// certain: on Apple platforms, for a superclass that inherits from a class of another module whose size may
/// change, and for a generic one with a parameter pack.
bool csr_may_override_getter(const void *type, const void *superclass);

/// Whether the getter of one property, which a key path of that property alone names, is a getter of the superclass that the class, or one
/// between it and the superclass, overrides: 1 if so, or if that is not certain; 0 if it is one that they do not override; -1 if the
/// superclass has none, or one that cannot be overridden, and for a longer key path. The key path may begin at any of them; `is_own` says that it does at the superclass.
int csr_overrides_property(const void *type, const void *superclass, const void *key_path, bool is_own);

/// Whether two key paths are of the same property, alone: 1 or 0, or -1 if that is not certain, as on Apple platforms. The first one begins
/// at a superclass, which declares it, the other one at any class from there to a class, in which the property may be overridden.
int csr_is_same_property(const void *type, const void *superclass, const void *declared, const void *key_path);

/// Whether there is one reference to an object.
static inline bool csr_is_unique(const void *object) { return swift_isUniquelyReferenced_nonNull_native(object); }
/// How many references there are to an object.
static inline size_t csr_count(const void *object) { return swift_retainCount((void *)object); }

/// The dynamic check that a variable is not used while it is being changed, as compiled code makes it for a class's
/// property. The buffer is three words, and stays where it is until the end.
static inline void csr_begin_modify(void *place, void *buffer) { swift_beginAccess(place, buffer, 0x21, NULL); }
static inline void csr_end_modify(void *buffer) { swift_endAccess(buffer); }
static inline void csr_check_access(void *place, bool modifies) {
  void *unused[4];
  swift_beginAccess(place, unused, modifies, NULL);
}

/// A Swift closure value is a function and a context. Calling it from Swift retains the context for the length of the
/// call (two atomics, 9 ns on an AMD EPYC of family 26); whoever knows that the context stays alive calls it
/// from here. The arguments must be single class references passed at +0, as Swift passes them.
typedef __attribute__((swiftcall)) void (*csr_function_1)(const void *, __attribute__((swift_context)) void *_Nullable);
typedef __attribute__((swiftcall)) void (*csr_function_2)(const void *, const void *, __attribute__((swift_context)) void *_Nullable);

static inline void csr_call_1(const void *function, const void *_Nullable context, const void *argument) {
  ((csr_function_1)function)(argument, (void *)context);
}
static inline void csr_call_2(const void *function, const void *_Nullable context, const void *first, const void *second) {
  ((csr_function_2)function)(first, second, (void *)context);
}

/// The same for a closure that returns a value which Swift returns in memory, such as an `Any`: the memory is the caller's.
typedef __attribute__((swiftcall)) void (*csr_function_to)(
    __attribute__((swift_indirect_result)) void *, const void *, __attribute__((swift_context)) void *_Nullable);

static inline void csr_call_to(void *result, const void *function, const void *_Nullable context, const void *argument) {
  ((csr_function_to)function)(result, argument, (void *)context);
}

/// The two words of an `UnownedSerialExecutor`.
typedef struct csr_executor {
  uintptr_t identity, implementation;
} csr_executor;
extern __attribute__((swiftcall)) bool swift_task_isCurrentExecutorWithFlags(csr_executor executor, uintptr_t flags);
extern __attribute__((swiftcall)) int8_t swift_task_isIsolatingCurrentContext(csr_executor executor);

/// Whether this thread runs on the executor now. Swift's own question, `assumeIsolated`, ends the process if it does not. Without
/// that flag (6.3.1), the first function does not ask the executor's `isIsolatingCurrentContext` on the main actor. The second one is
/// -1 where the executor does not say.
static inline bool csr_is_current_executor(uintptr_t identity, uintptr_t implementation) {
  csr_executor executor = {identity, implementation};
  return swift_task_isCurrentExecutorWithFlags(executor, 0) || swift_task_isIsolatingCurrentContext(executor) == 1;
}

extern __attribute__((swiftcall)) void *_Nullable swift_task_getCurrent(void);
/// Identifies the task that runs on this thread, as long as it runs or waits. Zero if none does.
static inline uintptr_t csr_current_task(void) { return (uintptr_t)swift_task_getCurrent(); }

/// Whether this thread runs a block of libdispatch's main queue, or of a queue that targets it; not one that such a block waits for, on
/// another queue, which libdispatch says only by ending the process. Elsewhere than on Linux always false: there the main queue is served
/// by the main thread.
bool csr_is_on_main_queue(void);

/// Has the processor fetch the first 128 bytes of what will be used soon, while other work goes on.
static inline void csr_prefetch(const void *place) {
  __builtin_prefetch(place, 1);
  __builtin_prefetch((const char *)place + 64, 1);
}

/// A place that compilers move nothing across, neither an access to memory nor a retain or a release. No instruction.
static inline void csr_compiler_barrier(void) { __asm__ volatile("" ::: "memory"); }

/// A number that no other thread has while this one runs. Never zero.
uintptr_t csr_this_thread(void);

/// Adds to the number of records' locks that this thread holds, and returns it: for assertions of debug builds.
int csr_add_held_locks(int change);

/// The value of an environment variable, NULL if it is not set.
static inline const char *_Nullable csr_environment(const char *name) { return getenv(name); }

/// Gives the processor to another thread: at first for an instant, after many attempts for longer.
void csr_back_off(unsigned attempt);
/// Writes one line to standard error with a single call.
void csr_print_error(const char *text, size_t length);

#pragma clang assume_nonnull end

#endif
