// The inside of CDeallocHook: layouts, and what is done to a stripe. The protocol is at the top of CDeallocHook.c.

#ifndef CDEALLOCHOOK_PRIVATE_H
#define CDEALLOCHOOK_PRIVATE_H

// For nanosleep, which strict C11 hides. Before any header of the system.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "CDeallocHook.h"

#include <stdatomic.h>

#ifdef __linux__
#include <bsd/stdlib.h>
#include <bsd/sys/queue.h>
#include <bsd/sys/tree.h>
#else
#include <stdlib.h>
#include <sys/queue.h>
#include <sys/tree.h>
#endif

#pragma GCC visibility push(hidden)

// Ascending in the order in which teardown comes to them.
typedef enum cdh_kind { CDH_CALLBACK = 0, CDH_VALUE_FIRST = 1 + CDH_FIRST, CDH_VALUE_LAST = 1 + CDH_LAST } cdh_kind;

typedef struct cdh_hook {
  RB_ENTRY(cdh_hook) link;
  const void *object;
  cdh_kind kind;
  uint64_t id;               // a callback's token, a value's key
  cdh_callback_fn callback;  // null for a value
  void *value;               // a callback's context
  cdh_release_fn release;
} cdh_hook;

typedef RB_HEAD(cdh_hooks, cdh_hook) cdh_hooks;

// An object under teardown. It lives on the stack of `cdh_teardown`, which is why teardown needs no memory.
typedef struct cdh_dying {
  LIST_ENTRY(cdh_dying) link;
  const void *object;
} cdh_dying;

typedef struct cdh_stripe {
  _Alignas(128) atomic_uint held;  // 128: stripes share no cache line, nor a pair that is fetched together
#ifdef DEBUG
  _Atomic(const void *) owner;
#endif
  cdh_hooks *trees;  // tree_count of them, a power of two: `only`, or allocated
  cdh_hooks only;
  size_t tree_count, hook_count;
  LIST_HEAD(, cdh_dying) dying;
  LIST_HEAD(, cdh_member) members;
  uint64_t last_token;
} cdh_stripe;

enum { CDH_STRIPE_BITS = 6, CDH_STRIPES = 1 << CDH_STRIPE_BITS };
extern cdh_stripe cdh_stripes[CDH_STRIPES];
extern cdh_allocator cdh_injected;  // both null for the default; written with all locks held

// Takes the lock of the stripe that a pointer belongs to.
cdh_stripe *cdh_lock_stripe_of(const void *pointer);
void cdh_wait_for_lock(cdh_stripe *stripe);
_Noreturn void cdh_fatal(const char *message);

// One atomic to take a lock, a plain store to give it back: a mutex takes 7 ns more, in sections of 20.
static inline void cdh_lock(cdh_stripe *stripe) {
  unsigned free = 0;
  if (!atomic_compare_exchange_strong_explicit(&stripe->held, &free, 1, memory_order_acquire, memory_order_relaxed))
    cdh_wait_for_lock(stripe);
#ifdef DEBUG
  atomic_store_explicit(&stripe->owner, &cdh_thread_word, memory_order_relaxed);
#endif
}

static inline void cdh_unlock(cdh_stripe *stripe) {
#ifdef DEBUG
  atomic_store_explicit(&stripe->owner, NULL, memory_order_relaxed);
#endif
  atomic_store_explicit(&stripe->held, 0, memory_order_release);
}

static inline void cdh_lock_all(void) {
  for (int i = 0; i < CDH_STRIPES; i++) cdh_lock(&cdh_stripes[i]);
}

static inline void cdh_unlock_all(void) {
  for (int i = CDH_STRIPES; i-- > 0;) cdh_unlock(&cdh_stripes[i]);
}

// All of these are called with the stripe's lock held.
cdh_hook *cdh_find(cdh_stripe *stripe, const void *object, cdh_kind kind, uint64_t id);
cdh_hook *cdh_find_value(cdh_stripe *stripe, const void *object, const void *key);
cdh_hook *cdh_find_first(cdh_stripe *stripe, const void *object);  // the one that teardown needs next
bool cdh_find_dying(cdh_stripe *stripe, const void *object);
size_t cdh_count_objects(cdh_stripe *stripe);
// The new hook takes the memory of the one that it replaces, if any, which is copied to `*old`.
cdh_result cdh_add(cdh_stripe *stripe, const cdh_hook *new, cdh_hook *replaced, cdh_hook *old);
// Takes a hook, which may be null, out of its tree, for the caller to release without the lock. False if it is null.
bool cdh_take_out(cdh_stripe *stripe, cdh_hook *found, cdh_hook *taken);

#pragma GCC visibility pop

#endif
