// The protocol
//
// Structure. An array of stripes, each a lock, slots in the order in which they came to be used, and an open-addressing index
// of their numbers, with linear probing. The region of memory that an object is in and a hash of its address choose the
// stripe, the hash the place in the index. A slot holds the object's first association; a `cdh_more` on the side holds the
// others, as a small table, and the callbacks, as an array that ascends by token. A stripe starts with a few slots and an
// index inside it. Slots are added and freed in chunks, and an entry stays in its slot. A removal leaves the index alone; when
// three quarters of it are filled it is made anew, twice as large if the slots need that, and it halves when they need less
// than an eighth; whether it can halve depends on memory, nothing else does. An entry without an association or a callback
// that can still run is removed, and a `cdh_more` without either is freed.
//
// Live → dying → gone. An address is in the table (live), in the stripe's list of the dying, or nowhere; never in two.
// `cdh_teardown` moves the entry from the table to a node on its own stack, in the list, in one section of the lock.
// From there it takes out one callback or value at a time, under the lock, and calls it without. Others may still take
// something out of a dying entry (`cdh_dissociate`, `cdh_cancel`) or look into it, but nobody adds to it, moves what is
// in it, or frees it, except the thread in `cdh_teardown`. Whoever takes a value or a callback out is the one to release
// it, which is why each is released exactly once. At the end the node leaves the list: nothing is left under the address.
// The list is searched from end to end; it is as long as there are teardowns at a time, nested or parallel, per stripe.
//
// What a lock guards: everything in its stripe, and everything that its entries point to. The allocator is read with
// any stripe's lock held and written with all of them. The seed and what the stripes start with are written once, by
// pthread_once, and published by storing the seed with release; while it is zero there are no entries.
//
// Lock order: stripes in ascending order. Only fork and `cdh_set_allocator` hold more than one; an operation holds one,
// and not while it calls out. Memory is allocated and freed, and `retain` called, under the lock; callbacks and release
// functions run outside. A token comes from the stripe's counter, which never goes back, and an address stays with its
// stripe, so an old token cannot name a new callback.
//
// fork(). Handlers take all locks before and give them back after, on both sides, so a child of a program with threads
// finds every stripe whole and may use the table. A teardown that another thread was in stays under way for ever in the
// child, as that thread does not exist there. Fork must not be called from an allocator or a `retain` function.

#include "CDeallocHookPrivate.h"

#include <pthread.h>

cdh_stripe cdh_stripes[CDH_STRIPES];
_Atomic uint64_t cdh_seed;
static pthread_once_t start_once = PTHREAD_ONCE_INIT;

static void take_all(void) {
  for (int i = 0; i < CDH_STRIPES; i++) cdh_lock_take(&cdh_stripes[i].lock);
}

static void give_all(void) {
  for (int i = CDH_STRIPES; i-- > 0;) cdh_lock_give(&cdh_stripes[i].lock);
}

// If the handlers cannot be registered the seed stays zero, and each call that adds reports that there is no memory.
static void start(void) {
  if (pthread_atfork(take_all, give_all, give_all) != 0) return;
  for (int i = 0; i < CDH_STRIPES; i++) {
    cdh_stripe_start(&cdh_stripes[i]);
    LIST_INIT(&cdh_stripes[i].dying);
  }
  uint64_t seed;
  do arc4random_buf(&seed, sizeof seed);
  while (seed == 0);
  atomic_store_explicit(&cdh_seed, seed, memory_order_release);
}

// Zero only if the table could not be started.
static uint64_t seed_to_add(void) {
  uint64_t seed = atomic_load_explicit(&cdh_seed, memory_order_acquire);
  if (seed) return seed;
  if (pthread_once(&start_once, start) != 0) cdh_fatal("pthread_once failed");
  return atomic_load_explicit(&cdh_seed, memory_order_acquire);
}

// The stripe, locked, with `*hash` set; null if the table was never started and so is empty.
static inline cdh_stripe *lock_stripe_of(const void *object, uint64_t seed, uint64_t *hash) {
#ifdef DEBUG
  if (!object) cdh_fatal("a null object");  // it would look like an empty slot
#endif
  if (!seed) return NULL;
  *hash = cdh_hash(seed, object);
  cdh_stripe *stripe = cdh_stripe_of(seed, object, *hash);
  cdh_lock_take(&stripe->lock);
  return stripe;
}

static inline cdh_stripe *lock_to_look(const void *object, uint64_t *hash) {
  return lock_stripe_of(object, atomic_load_explicit(&cdh_seed, memory_order_acquire), hash);
}

static inline void unlock(cdh_stripe *stripe) { cdh_lock_give(&stripe->lock); }

// The entry in a slot, whose number plus one is given.
static inline cdh_entry *entry_in(cdh_stripe *stripe, uint32_t place) {
  return &cdh_stripe_slot(stripe, place - 1)->entry;
}

// The entry under an address, live (with its slot's number plus one) or dying (with zero); null if there is none.
static inline cdh_entry *find(cdh_stripe *stripe, uint64_t hash, const void *object, uint32_t *place) {
  *place = cdh_stripe_find(stripe, hash, object);
  if (*place) return entry_in(stripe, *place);
  cdh_dying *dying = cdh_stripe_find_dying(stripe, object);
  return dying ? &dying->entry : NULL;
}

// The slot to add to, made if there is none; a failed addition to a new slot ends with `remove_if_empty`.
static cdh_result find_to_add(cdh_stripe *stripe, uint64_t hash, const void *object, uint32_t *place) {
  *place = cdh_stripe_find(stripe, hash, object);
  if (*place) return CDH_OK;
  if (cdh_stripe_find_dying(stripe, object)) return CDH_DYING;
  *place = cdh_stripe_add(stripe, hash, object);
  return *place ? CDH_OK : CDH_NO_MEMORY;
}

static void remove_if_empty(cdh_stripe *stripe, uint32_t place) {
  if (cdh_entry_is_empty(entry_in(stripe, place))) cdh_stripe_remove(stripe, place - 1);
}

cdh_result cdh_associate(const void *object, const void *key, void *value, cdh_release_fn release, cdh_order order) {
  uint64_t hash;
  cdh_stripe *stripe = lock_stripe_of(object, seed_to_add(), &hash);
  if (!stripe) return CDH_NO_MEMORY;

  uint32_t place;
  cdh_result result = find_to_add(stripe, hash, object, &place);
  cdh_value new = {.key = key, .value = value, .release = release, .state = CDH_VALUE_FIRST + (uintptr_t)order};
  cdh_value old = {.state = CDH_EMPTY};
  if (result == CDH_OK && !cdh_entry_put(entry_in(stripe, place), &new, &old)) {
    remove_if_empty(stripe, place);
    result = CDH_NO_MEMORY;
  }
  unlock(stripe);

  if (old.state != CDH_EMPTY && old.release) old.release(old.value);
  return result;
}

// The value an entry has for a key, or null. With the stripe's lock held.
static void *value_of(const cdh_entry *entry, const void *key) {
  if (cdh_entry_state(entry) != CDH_EMPTY && entry->key == key) return entry->value;
  const cdh_value *found = cdh_entry_find_more(entry, key);
  return found ? found->value : NULL;
}

void *cdh_associated(const void *object, const void *key, cdh_retain_fn retain) {
  uint64_t hash;
  cdh_stripe *stripe = lock_to_look(object, &hash);
  if (!stripe) return NULL;

  void *value = NULL;
  uint32_t place;
  const cdh_entry *entry = find(stripe, hash, object, &place);
  if (entry) value = value_of(entry, key);
  if (value && retain) value = retain(value);
  unlock(stripe);
  return value;
}

size_t cdh_collect(const void *key, cdh_try_retain_fn retain, void **values, size_t capacity) {
  size_t count = 0;
  if (!atomic_load_explicit(&cdh_seed, memory_order_acquire)) return 0;
  for (size_t i = 0; i < CDH_STRIPES; i++) {
    cdh_stripe *stripe = &cdh_stripes[i];
    cdh_lock_take(&stripe->lock);
    for (const cdh_chunk *chunk = stripe->chunks; chunk < stripe->chunks + stripe->chunk_count; chunk++) {
      for (const cdh_slot *slot = chunk->slots; slot && slot < chunk->slots + chunk->end; slot++) {
        void *value = slot->object ? value_of(&slot->entry, key) : NULL;
        if (!value) continue;
        // What there is no room for is only counted.
        if (count < capacity) {
          value = retain(value);
          if (!value) continue;
          values[count] = value;
        }
        count++;
      }
    }
    unlock(stripe);
  }
  return count;
}

bool cdh_dissociate(const void *object, const void *key) {
  uint64_t hash;
  cdh_stripe *stripe = lock_to_look(object, &hash);
  if (!stripe) return false;

  cdh_value taken;
  uint32_t place;
  cdh_entry *entry = find(stripe, hash, object, &place);
  bool found = entry && cdh_entry_take(entry, key, place == 0, &taken);
  if (found && place) remove_if_empty(stripe, place);
  unlock(stripe);

  if (found && taken.release) taken.release(taken.value);
  return found;
}

cdh_result cdh_on_teardown(const void *object, cdh_callback_fn callback, void *context, cdh_release_fn release,
                           uint64_t *token) {
  uint64_t hash;
  cdh_stripe *stripe = lock_stripe_of(object, seed_to_add(), &hash);
  if (!stripe) return CDH_NO_MEMORY;

  uint32_t place;
  cdh_result result = find_to_add(stripe, hash, object, &place);
  if (result == CDH_OK) {
    cdh_callback new = {
      .function = callback, .context = context, .release = release, .token = stripe->last_token + 1};
    if (cdh_entry_add_callback(entry_in(stripe, place), &new)) {
      *token = stripe->last_token = new.token;
    } else {
      remove_if_empty(stripe, place);
      result = CDH_NO_MEMORY;
    }
  }
  unlock(stripe);
  return result;
}

bool cdh_cancel(const void *object, uint64_t token) {
  uint64_t hash;
  cdh_stripe *stripe = lock_to_look(object, &hash);
  if (!stripe) return false;

  cdh_callback taken;
  uint32_t place;
  cdh_entry *entry = find(stripe, hash, object, &place);
  bool found = entry && cdh_entry_cancel(entry, token, place == 0, &taken);
  if (found && place) remove_if_empty(stripe, place);
  unlock(stripe);

  if (found && taken.release) taken.release(taken.context);
  return found;
}

// With the lock held on entry and on return.
static void run_callbacks(cdh_stripe *stripe, cdh_dying *dying) {
  cdh_more *more = cdh_entry_more(&dying->entry);
  for (uint32_t i = 0; more && i < more->length; i++) {
    cdh_callback callback = more->callbacks[i];
    if (!callback.function) continue;
    more->callbacks[i].function = NULL;
    more->pending--;
    unlock(stripe);
    callback.function(dying->object, callback.context);
    if (callback.release) callback.release(callback.context);
    cdh_lock_take(&stripe->lock);
  }
}

static void release_value(cdh_stripe *stripe, cdh_release_fn release, void *value) {
  if (!release) return;
  unlock(stripe);
  release(value);
  cdh_lock_take(&stripe->lock);
}

// With the lock held on entry and on return.
static void release_values(cdh_stripe *stripe, cdh_dying *dying, uintptr_t state) {
  cdh_entry *entry = &dying->entry;
  cdh_more *more = cdh_entry_more(entry);
  if (cdh_entry_state(entry) == state) {
    entry->more_and_state &= ~(uintptr_t)CDH_STATES;
    release_value(stripe, entry->release, entry->value);
  }
  if (!more || !more->values) return;
  for (size_t i = 0; i < (size_t)1 << more->value_bits; i++) {
    cdh_value *value = &more->values[i];
    if (value->state != state) continue;
    value->state = CDH_TAKEN;
    more->value_count--;
    release_value(stripe, value->release, value->value);
  }
}

void cdh_teardown(const void *object) { cdh_teardown_at(object, 0); }

void cdh_teardown_at(const void *object, uint32_t place) {
  uint64_t hash;
  cdh_stripe *stripe = lock_to_look(object, &hash);
  if (!stripe) return;
  if (!place || !cdh_stripe_has(stripe, place - 1, object)) place = cdh_stripe_find(stripe, hash, object);
  if (!place) {
    unlock(stripe);
    return;
  }

  cdh_dying dying = {.object = object, .entry = *entry_in(stripe, place)};
  cdh_stripe_remove(stripe, place - 1);
  LIST_INSERT_HEAD(&stripe->dying, &dying, link);
  stripe->dying_count++;

  run_callbacks(stripe, &dying);
  release_values(stripe, &dying, CDH_VALUE_FIRST);
  release_values(stripe, &dying, CDH_VALUE_LAST);

  LIST_REMOVE(&dying, link);
  stripe->dying_count--;
  cdh_entry_free(&dying.entry);
  unlock(stripe);
}

uint32_t cdh_place(const void *object) {
  uint64_t hash;
  cdh_stripe *stripe = lock_to_look(object, &hash);
  if (!stripe) return 0;
  uint32_t place = cdh_stripe_find(stripe, hash, object);
  unlock(stripe);
  return place;
}

bool cdh_is_dying(const void *object) {
  uint64_t hash;
  cdh_stripe *stripe = lock_to_look(object, &hash);
  if (!stripe) return false;
  bool dying = cdh_stripe_find_dying(stripe, object) != NULL;
  unlock(stripe);
  return dying;
}

size_t cdh_live_entries(void) {
  size_t entries = 0;
  for (int i = 0; i < CDH_STRIPES; i++) {
    cdh_lock_take(&cdh_stripes[i].lock);
    entries += cdh_stripes[i].used + cdh_stripes[i].dying_count;
    cdh_lock_give(&cdh_stripes[i].lock);
  }
  return entries;
}

void cdh_set_allocator(const cdh_allocator *allocator) {
  take_all();
  for (int i = 0; i < CDH_STRIPES; i++)
    if (cdh_stripes[i].used + cdh_stripes[i].dying_count != 0)
      cdh_fatal("cdh_set_allocator is called while the table is not empty");
  cdh_use_allocator(allocator);
  give_all();
}
