// The inside of CDeallocHook: layouts, the lock, the hash. The protocol is told at the top of CDeallocHook.c.

#ifndef CDEALLOCHOOK_PRIVATE_H
#define CDEALLOCHOOK_PRIVATE_H

// For nanosleep and the rest of POSIX, which strict C11 hides. Before any header of the system.
#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE
#endif

#include "CDeallocHook.h"

#include <stdatomic.h>
#if __has_include(<sys/single_threaded.h>)
#include <sys/single_threaded.h>
#endif

#ifdef __linux__
#include <bsd/stdlib.h>
#include <bsd/sys/queue.h>
#else
#include <stdlib.h>
#include <sys/queue.h>
#endif

#pragma GCC visibility push(hidden)

enum { CDH_STRIPE_BITS = 6, CDH_STRIPES = 1 << CDH_STRIPE_BITS, CDH_FIRST_SLOTS = 8, CDH_FIRST_VALUES = 4 };

// An array of values is an open-addressing table of its own. TAKEN is left behind by a removal during teardown, which
// walks the array and so cannot have its elements moved.
enum { CDH_EMPTY = 0, CDH_VALUE_FIRST = 1 + CDH_FIRST, CDH_VALUE_LAST = 1 + CDH_LAST, CDH_TAKEN = 3, CDH_STATES = 3 };

typedef struct cdh_value {
  const void *key;
  void *value;
  cdh_release_fn release;
  uintptr_t state;
} cdh_value;

// A null function: cancelled, or taken by the teardown. The token stays, since the array is searched by it.
typedef struct cdh_callback {
  cdh_callback_fn function;
  void *context;
  cdh_release_fn release;
  uint64_t token;
} cdh_callback;

// What an entry has beyond its first association. A single callback fits in here, so that it costs one allocation.
typedef struct cdh_more {
  cdh_value *values;        // 2^value_bits of them, or null
  cdh_callback *callbacks;  // 2^callback_bits of them, ascending by token; `&only` while one is enough
  uint32_t value_count;     // values present
  uint32_t length;          // callbacks in the array, with those cancelled or taken
  uint32_t pending;         // callbacks that can still run
  uint8_t value_bits;
  uint8_t callback_bits;
  cdh_callback only;
} cdh_more;

// What stands under an address. The first association is kept right here; its state is in the low bits of `more`.
typedef struct cdh_entry {
  const void *key;
  void *value;
  cdh_release_fn release;
  uintptr_t more_and_state;
} cdh_entry;

typedef struct cdh_slot {
  const void *object;  // null: the slot is empty
  cdh_entry entry;
} cdh_slot;

// An entry under teardown. It lives on the stack of cdh_teardown, which is why teardown needs no memory.
typedef struct cdh_dying {
  LIST_ENTRY(cdh_dying) link;
  const void *object;
  cdh_entry entry;
} cdh_dying;

typedef struct cdh_lock {
  atomic_uint held;
#ifdef DEBUG
  _Atomic(const void *) owner;
#endif
} cdh_lock;

typedef struct cdh_stripe {
  _Alignas(128) cdh_lock lock;
  cdh_slot *slots;  // mask + 1 of them: `first`, or allocated
  size_t mask;
  size_t used;
  uint64_t last_token;
  LIST_HEAD(, cdh_dying) dying;
  size_t dying_count;
  cdh_slot first[CDH_FIRST_SLOTS];
} cdh_stripe;

_Static_assert(sizeof(void *) == 8, "the hash takes an address for 64 bits");
_Static_assert(sizeof(cdh_slot) == 40, "a live object with one association costs one slot");
_Static_assert(sizeof(cdh_value) == 32 && sizeof(cdh_callback) == 32, "arrays double from these");
_Static_assert(sizeof(cdh_more) == 64, "one association and one callback cost a slot and 64 bytes");
_Static_assert(_Alignof(cdh_more) > CDH_STATES, "the low bits of a cdh_more's address hold a state");
_Static_assert(sizeof(cdh_stripe) % 128 == 0, "stripes share no cache line, nor a pair that is fetched together");
_Static_assert(ATOMIC_INT_LOCK_FREE == 2, "the lock is made of an atomic int");

extern cdh_stripe cdh_stripes[CDH_STRIPES];
// Zero until the first entry is made, then constant. Read with acquire: what the stripes start with was stored before it.
extern _Atomic uint64_t cdh_seed;

void cdh_lock_slow(cdh_lock *lock);
_Noreturn void cdh_fatal(const char *message);

// Whether the process certainly has one thread: glibc knows, until the first pthread_create.
static inline bool cdh_is_single_threaded(void) {
#if __has_include(<sys/single_threaded.h>)
  return __libc_single_threaded != 0;
#else
  return false;
#endif
}

// The lock: one atomic to take, a plain store to give back. The sections are tens of nanoseconds long, and a waiter
// that has spun for longer than that sleeps, so that a holder without a processor, or of lower priority, gets on.
static inline void cdh_lock_take(cdh_lock *lock) {
  unsigned free = 0;
  if (cdh_is_single_threaded() && atomic_load_explicit(&lock->held, memory_order_relaxed) == 0) {
    atomic_store_explicit(&lock->held, 1, memory_order_relaxed);
    atomic_signal_fence(memory_order_seq_cst);
  } else if (!atomic_compare_exchange_strong_explicit(&lock->held, &free, 1, memory_order_acquire, memory_order_relaxed))
    cdh_lock_slow(lock);
#ifdef DEBUG
  atomic_store_explicit(&lock->owner, &cdh_thread_word, memory_order_relaxed);
#endif
}

static inline void cdh_lock_give(cdh_lock *lock) {
#ifdef DEBUG
  if (atomic_load_explicit(&lock->owner, memory_order_relaxed) != &cdh_thread_word)
    cdh_fatal("a lock is given back by a thread that does not hold it");
  atomic_store_explicit(&lock->owner, NULL, memory_order_relaxed);
#endif
  atomic_store_explicit(&lock->held, 0, memory_order_release);
}

// Both halves of a 128-bit product bring every bit of the address into every part; the second product breaks up the even
// steps that the first makes of evenly spaced addresses (112 or 144 bytes apart, neighbours would often share a stripe).
// The top bits choose the stripe, the low ones the slot. Without the seed, a program could be fed addresses that collide.
static inline uint64_t cdh_hash(uint64_t seed, const void *pointer) {
  __extension__ typedef unsigned __int128 wide;
  wide product = (wide)((uintptr_t)pointer ^ seed) * 0x9E3779B97F4A7C15u;
  uint64_t folded = ((uint64_t)(product >> 64) ^ (uint64_t)product) * 0xD6E8FEB86659FD93u;
  return folded ^ folded >> 32;
}

static inline cdh_stripe *cdh_stripe_of(uint64_t hash) { return &cdh_stripes[hash >> (64 - CDH_STRIPE_BITS)]; }

// The object's slot, or null. A table is never full, so the walk ends.
static inline cdh_slot *cdh_stripe_find(cdh_stripe *stripe, uint64_t hash, const void *object) {
  for (size_t i = hash & stripe->mask;; i = (i + 1) & stripe->mask) {
    cdh_slot *slot = &stripe->slots[i];
    if (slot->object == object) return slot;
    if (!slot->object) return NULL;
  }
}

static inline cdh_dying *cdh_stripe_find_dying(cdh_stripe *stripe, const void *object) {
  cdh_dying *dying;
  LIST_FOREACH(dying, &stripe->dying, link) if (dying->object == object) return dying;
  return NULL;
}

static inline uintptr_t cdh_entry_state(const cdh_entry *entry) { return entry->more_and_state & CDH_STATES; }
static inline cdh_more *cdh_entry_more(const cdh_entry *entry) {
  return (cdh_more *)(entry->more_and_state & ~(uintptr_t)CDH_STATES);
}
// Whether nothing stands under the address, so that it must not be kept.
static inline bool cdh_entry_is_empty(const cdh_entry *entry) { return entry->more_and_state == 0; }

// CDeallocHookTable.c. All are called with the stripe's lock held.
cdh_slot *cdh_stripe_add(cdh_stripe *stripe, uint64_t hash, const void *object);  // null: no memory
void cdh_stripe_remove(cdh_stripe *stripe, cdh_slot *slot);

// CDeallocHookEntry.c. All are called with the stripe's lock held. False from those that add: no memory, nothing changed.
cdh_value *cdh_entry_find_more(const cdh_entry *entry, const void *key);
bool cdh_entry_put(cdh_entry *entry, const cdh_value *value, cdh_value *old);  // old->state is CDH_EMPTY if there was none
bool cdh_entry_take(cdh_entry *entry, const void *key, bool dying, cdh_value *taken);
bool cdh_entry_add_callback(cdh_entry *entry, const cdh_callback *callback);
bool cdh_entry_cancel(cdh_entry *entry, uint64_t token, bool dying, cdh_callback *taken);
void cdh_entry_free(cdh_entry *entry);

// CDeallocHookMemory.c. All are called with a stripe's lock held, `cdh_use_allocator` with all of them. Sizes are checked
// for overflow.
void *cdh_allocate(size_t count, size_t size);  // zeroed
void *cdh_grow(void *array, size_t old_count, size_t count, size_t size);
void cdh_deallocate(void *memory);
void cdh_use_allocator(const cdh_allocator *allocator);

#pragma GCC visibility pop

#endif
