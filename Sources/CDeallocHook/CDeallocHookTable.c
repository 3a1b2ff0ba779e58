// A stripe's table: slots in the order in which they came to be used, and an index to them. And the slow half of a lock.
//
// Objects made one after the other, which mostly die one after the other too, lie in the same region of memory,
// so they share few stripes and their entries are side by side, whatever their hashes; what is spread over memory is the
// index, of four bytes each, which a removal need not look at.

#include "CDeallocHookPrivate.h"

#include <sched.h>
#include <string.h>
#include <time.h>

// --- The index

static void put_word(cdh_stripe *stripe, uint64_t hash, uint32_t number) {
  size_t i = hash & stripe->mask;
  while (stripe->words[i]) i = (i + 1) & stripe->mask;
  stripe->words[i] = cdh_word(hash, number);
  stripe->filled++;
}

// Makes the index anew, of the slots in use.
static void put_words(cdh_stripe *stripe) {
  uint64_t seed = atomic_load_explicit(&cdh_seed, memory_order_relaxed);
  memset(stripe->words, 0, (stripe->mask + 1) * sizeof *stripe->words);
  stripe->filled = 0;
  for (uint32_t i = 0; i < stripe->chunk_count; i++) {
    const cdh_chunk *chunk = &stripe->chunks[i];
    for (uint32_t j = 0; chunk->slots && j < chunk->end; j++) {
      const void *object = chunk->slots[j].object;
      if (object) put_word(stripe, cdh_hash(seed, object), i << CDH_CHUNK_BITS | j);
    }
  }
}

// Gives the index another size, and makes it anew. False if there is no memory: nothing changed.
static bool resize(cdh_stripe *stripe, size_t count) {
  uint32_t *words = count == CDH_FIRST_WORDS ? stripe->first_words : cdh_allocate(count, sizeof *words);
  if (!words) return false;
  if (stripe->words != stripe->first_words) cdh_deallocate(stripe->words);
  stripe->words = words;
  stripe->mask = count - 1;
  put_words(stripe);
  return true;
}

// Makes sure that the index takes another word and stays a quarter zero. False if there is no memory: nothing changed.
static bool has_empty_word(cdh_stripe *stripe) {
  size_t count = stripe->mask + 1;
  if (stripe->filled < count / 4 * 3) return true;
  if (stripe->used >= count / 2 && resize(stripe, count * 2)) return true;
  if (stripe->used >= count / 4 * 3) return false;
  put_words(stripe);
  return true;
}

// --- The chunks of slots

static void open_chunk(cdh_stripe *stripe, uint32_t number) {
  cdh_chunk *chunk = &stripe->chunks[number];
  chunk->previous = 0;
  chunk->next = stripe->open;
  if (chunk->next) stripe->chunks[chunk->next - 1].previous = number + 1;
  stripe->open = number + 1;
}

static void close_chunk(cdh_stripe *stripe, uint32_t number) {
  cdh_chunk *chunk = &stripe->chunks[number];
  if (chunk->next) stripe->chunks[chunk->next - 1].previous = chunk->previous;
  if (chunk->previous)
    stripe->chunks[chunk->previous - 1].next = chunk->next;
  else
    stripe->open = chunk->next;
}

// False if there is no memory, or no number: a stripe has some ten million, the table hundreds of millions.
static bool add_chunk(cdh_stripe *stripe) {
  if (!stripe->vacant && stripe->chunk_count == stripe->chunk_capacity) {
    uint32_t count = stripe->chunk_capacity, most = CDH_NUMBERS >> CDH_CHUNK_BITS;
    if (count == most) return false;
    uint32_t capacity = count < most / 4 ? count * 4 : most;
    bool is_first = stripe->chunks == &stripe->first_chunk;
    cdh_chunk *chunks = cdh_grow(is_first ? NULL : stripe->chunks, count, capacity, sizeof *chunks);
    if (!chunks) return false;
    if (is_first) chunks[0] = stripe->first_chunk;
    stripe->chunks = chunks;
    stripe->chunk_capacity = capacity;
  }
  uint32_t number = stripe->vacant ? stripe->vacant - 1 : stripe->chunk_count;
  // As much as there is: each chunk is a gap in the memory of the objects that are made at the same time. With a gap every 64
  // entries, walking a hundred thousand observers took nearly twice as long.
  uint32_t capacity = stripe->used;
  if (capacity < CDH_LEAST_SLOTS) capacity = CDH_LEAST_SLOTS;
  if (capacity > CDH_MOST_SLOTS) capacity = CDH_MOST_SLOTS;
  cdh_slot *slots = cdh_allocate(capacity, sizeof *slots);
  if (!slots) return false;
  cdh_chunk *chunk = &stripe->chunks[number];
  if (stripe->vacant)
    stripe->vacant = chunk->next;
  else
    stripe->chunk_count++;
  *chunk = (cdh_chunk){.slots = slots, .capacity = (uint16_t)capacity};
  open_chunk(stripe, number);
  return true;
}

static void remove_chunk(cdh_stripe *stripe, uint32_t number) {
  close_chunk(stripe, number);
  cdh_deallocate(stripe->chunks[number].slots);
  stripe->chunks[number] = (cdh_chunk){.next = stripe->vacant};
  stripe->vacant = number + 1;
}

static uint32_t take_slot(cdh_stripe *stripe) {
  uint32_t number = stripe->open - 1;
  cdh_chunk *chunk = &stripe->chunks[number];
  uint32_t slot = chunk->end;
  if (chunk->empty) {
    slot = chunk->empty - 1u;
    chunk->empty = (uint16_t)chunk->slots[slot].entry.more_and_state;
  } else {
    chunk->end++;
  }
  if (++chunk->used == chunk->capacity) close_chunk(stripe, number);
  if (stripe->spare == number + 1) stripe->spare = 0;
  return number << CDH_CHUNK_BITS | slot;
}

static void give_slot_back(cdh_stripe *stripe, uint32_t slot) {
  uint32_t number = slot >> CDH_CHUNK_BITS;
  cdh_chunk *chunk = &stripe->chunks[number];
  slot &= CDH_MOST_SLOTS - 1;
  chunk->slots[slot] = (cdh_slot){.entry.more_and_state = chunk->empty};
  chunk->empty = (uint16_t)(slot + 1);
  if (chunk->used-- == chunk->capacity) open_chunk(stripe, number);
  if (chunk->used || number == 0) return;
  if (stripe->spare)
    remove_chunk(stripe, number);
  else
    stripe->spare = number + 1;
}

// --- Both

// Makes a stripe what it is without an entry. It frees nothing.
void cdh_stripe_start(cdh_stripe *stripe) {
  stripe->words = stripe->first_words;
  stripe->mask = CDH_FIRST_WORDS - 1;
  memset(stripe->first_words, 0, sizeof stripe->first_words);
  stripe->filled = 0;
  stripe->first_chunk = (cdh_chunk){.slots = stripe->first_slots, .capacity = CDH_FIRST_SLOTS};
  stripe->chunks = &stripe->first_chunk;
  stripe->chunk_count = stripe->chunk_capacity = 1;
  stripe->open = 1;
  stripe->vacant = stripe->spare = 0;
}

static void free_all(cdh_stripe *stripe) {
  if (stripe->words != stripe->first_words) cdh_deallocate(stripe->words);
  if (stripe->spare) cdh_deallocate(stripe->chunks[stripe->spare - 1].slots);
  if (stripe->chunks != &stripe->first_chunk) cdh_deallocate(stripe->chunks);
  cdh_stripe_start(stripe);
}

uint32_t cdh_stripe_add(cdh_stripe *stripe, uint64_t hash, const void *object) {
  if (!has_empty_word(stripe) || !(stripe->open || add_chunk(stripe))) return 0;
  uint32_t number = take_slot(stripe);
  *cdh_stripe_slot(stripe, number) = (cdh_slot){.object = object};
  put_word(stripe, hash, number);
  stripe->used++;
  return number + 1;
}

void cdh_stripe_remove(cdh_stripe *stripe, uint32_t number) {
  give_slot_back(stripe, number);
  size_t count = stripe->mask + 1;
  if (--stripe->used == 0)
    free_all(stripe);
  else if (count > CDH_FIRST_WORDS && stripe->used < count / 8)
    resize(stripe, count / 2);  // without memory, the larger index serves as well
}

void cdh_lock_slow(cdh_lock *lock) {
#ifdef DEBUG
  if (atomic_load_explicit(&lock->owner, memory_order_relaxed) == &cdh_thread_word)
    cdh_fatal("the table is called from a retain function or an allocator");
#endif
  enum { SPINS = 64, YIELDS = 8, SHORTEST = 20000, LONGEST = 1000000 };
  struct timespec pause = {.tv_nsec = SHORTEST};
  for (int attempt = 0;; attempt++) {
    unsigned free = 0;
    if (atomic_load_explicit(&lock->held, memory_order_relaxed) == 0 &&
        atomic_compare_exchange_strong_explicit(&lock->held, &free, 1, memory_order_acquire, memory_order_relaxed))
      return;
    if (attempt < SPINS) {
#if defined(__x86_64__)
      __builtin_ia32_pause();
#elif defined(__aarch64__)
      __asm__ volatile("yield");
#endif
    } else if (attempt < SPINS + YIELDS) {
      sched_yield();
    } else {
      nanosleep(&pause, NULL);
      if (pause.tv_nsec < LONGEST) pause.tv_nsec *= 2;
    }
  }
}
