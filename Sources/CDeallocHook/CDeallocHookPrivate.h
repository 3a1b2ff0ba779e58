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

enum { CDH_STRIPE_BITS = 6, CDH_STRIPES = 1 << CDH_STRIPE_BITS, CDH_FIRST_VALUES = 4 };
enum { CDH_FIRST_SLOTS = 8, CDH_LEAST_SLOTS = 16, CDH_FIRST_WORDS = 16 };
// A slot's number is that of its chunk, and in the low bits its own in there.
enum { CDH_CHUNK_BITS = 15, CDH_MOST_SLOTS = 1 << CDH_CHUNK_BITS };

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
  const void *object;  // null: the slot is empty, and `entry.more_and_state` leads to the next empty one
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

// Slots that are allocated and freed together. Links are numbers of chunks plus one, so that the array of chunks can grow.
typedef struct cdh_chunk {
  cdh_slot *slots;          // null: there are none, and `next` leads to the next chunk without
  uint32_t next, previous;  // among the chunks with an empty slot
  uint16_t capacity;
  uint16_t used;   // slots with an object
  uint16_t end;    // slots from here on were never used
  uint16_t empty;  // an empty slot before it, plus one; zero: there is none
} cdh_chunk;

typedef struct cdh_stripe {
  _Alignas(128) cdh_lock lock;
  uint32_t used;    // slots with an object
  uint32_t *words;  // mask + 1 of them: `first_words`, or allocated
  size_t mask;
  size_t filled;      // words that are not zero
  cdh_chunk *chunks;  // chunk_capacity of them: `first_chunk`, or allocated
  uint32_t chunk_count, chunk_capacity;
  uint32_t open;    // the first chunk with an empty slot, plus one
  uint32_t vacant;  // the first chunk without slots, plus one
  uint32_t spare;   // a chunk of which no slot is used, kept for the next one that is needed, plus one
  uint32_t dying_count;
  LIST_HEAD(, cdh_dying) dying;
  uint64_t last_token;
  uint32_t first_words[CDH_FIRST_WORDS];
  cdh_chunk first_chunk;
  cdh_slot first_slots[CDH_FIRST_SLOTS];
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
// steps that the first makes of evenly spaced addresses (112 or 144 bytes apart). The top bits choose among a region's stripes,
// the low ones the place in the index. Without the seed, a program could be fed addresses that collide.
static inline uint64_t cdh_hash(uint64_t seed, const void *pointer) {
  __extension__ typedef unsigned __int128 wide;
  wide product = (wide)((uintptr_t)pointer ^ seed) * 0x9E3779B97F4A7C15u;
  uint64_t folded = ((uint64_t)(product >> 64) ^ (uint64_t)product) * 0xD6E8FEB86659FD93u;
  return folded ^ folded >> 32;
}

// The objects in 64 KiB of memory have four of the stripes; which of them, the hash decides. What is made and dies one after the
// other then has its entries one after the other, and a thread stays with few stripes, whose memory the other processors
// leave alone. Two threads that use neighbours mostly have different ones.
enum { CDH_REGION_BITS = 16, CDH_REGION_STRIPE_BITS = 2 };

static inline cdh_stripe *cdh_stripe_of(uint64_t seed, const void *object, uint64_t hash) {
  uint64_t region = (((uintptr_t)object >> CDH_REGION_BITS) ^ seed) * 0x9E3779B97F4A7C15u;
  return &cdh_stripes[region >> (64 - CDH_STRIPE_BITS) ^ hash >> (64 - CDH_REGION_STRIPE_BITS)];
}

// A word of the index: a slot's number plus one, zero where there never was one; above it some bits of the hash, so that a
// search reads hardly a slot but the one it is for. A word stays when its entry goes, and counts for nothing then: the slot
// is gone, empty, or of another object.
enum { CDH_NUMBER_BITS = 24, CDH_NUMBERS = (1 << CDH_NUMBER_BITS) - 1 };

static inline uint32_t cdh_word(uint64_t hash, uint32_t number) {
  return (uint32_t)(hash >> 48) << CDH_NUMBER_BITS | (number + 1);
}
static inline bool cdh_word_is_of(uint32_t word, uint64_t hash) {
  return word >> CDH_NUMBER_BITS == ((uint32_t)(hash >> 48) & 0xFF);
}
static inline uint32_t cdh_word_number(uint32_t word) { return (word & CDH_NUMBERS) - 1; }

static inline cdh_slot *cdh_stripe_slot(cdh_stripe *stripe, uint32_t number) {
  return &stripe->chunks[number >> CDH_CHUNK_BITS].slots[number & (CDH_MOST_SLOTS - 1)];
}

// Whether a slot, which there may be no longer, is an object's.
static inline bool cdh_stripe_has(cdh_stripe *stripe, uint32_t number, const void *object) {
  uint32_t chunk = number >> CDH_CHUNK_BITS;
  return chunk < stripe->chunk_count && (number & (CDH_MOST_SLOTS - 1)) < stripe->chunks[chunk].end &&
         cdh_stripe_slot(stripe, number)->object == object;
}

// The number of the object's slot plus one, or zero. An index is never full, so the walk ends.
static inline uint32_t cdh_stripe_find(cdh_stripe *stripe, uint64_t hash, const void *object) {
  for (size_t i = hash & stripe->mask;; i = (i + 1) & stripe->mask) {
    uint32_t word = stripe->words[i];
    if (!word) return 0;
    if (cdh_word_is_of(word, hash) && cdh_stripe_has(stripe, cdh_word_number(word), object)) return word & CDH_NUMBERS;
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
void cdh_stripe_start(cdh_stripe *stripe);
uint32_t cdh_stripe_add(cdh_stripe *stripe, uint64_t hash, const void *object);  // number plus one; zero: no memory
void cdh_stripe_remove(cdh_stripe *stripe, uint32_t number);

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
