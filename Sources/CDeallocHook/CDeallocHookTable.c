// A stripe's table of slots, and the slow half of its lock.

#include "CDeallocHookPrivate.h"

#include <sched.h>
#include <time.h>

// In a table without the object.
static cdh_slot *free_slot(cdh_slot *slots, size_t mask, uint64_t hash) {
  size_t i = hash & mask;
  while (slots[i].object) i = (i + 1) & mask;
  return &slots[i];
}

static uint64_t hash_of(const cdh_slot *slot) {
  return cdh_hash(atomic_load_explicit(&cdh_seed, memory_order_relaxed), slot->object);
}

// False if there is no memory: nothing changed.
static bool resize(cdh_stripe *stripe, size_t count) {
  cdh_slot *slots = count == CDH_FIRST_SLOTS ? stripe->first : cdh_allocate(count, sizeof *slots);
  if (!slots) return false;
  if (slots == stripe->first)
    for (size_t i = 0; i < count; i++) slots[i].object = NULL;

  for (size_t i = 0; i <= stripe->mask; i++) {
    const cdh_slot *slot = &stripe->slots[i];
    if (slot->object) *free_slot(slots, count - 1, hash_of(slot)) = *slot;
  }
  if (stripe->slots != stripe->first) cdh_deallocate(stripe->slots);
  stripe->slots = slots;
  stripe->mask = count - 1;
  return true;
}

cdh_slot *cdh_stripe_add(cdh_stripe *stripe, uint64_t hash, const void *object) {
  size_t count = stripe->mask + 1;
  if (stripe->used >= count / 4 * 3 && !resize(stripe, count * 2)) return NULL;
  cdh_slot *slot = free_slot(stripe->slots, stripe->mask, hash);
  *slot = (cdh_slot){.object = object};
  stripe->used++;
  return slot;
}

// Moves back each slot behind the hole that would otherwise no longer be reached from where its hash points.
void cdh_stripe_remove(cdh_stripe *stripe, cdh_slot *slot) {
  cdh_slot *slots = stripe->slots;
  size_t mask = stripe->mask, hole = (size_t)(slot - slots);
  for (size_t i = (hole + 1) & mask; slots[i].object; i = (i + 1) & mask) {
    size_t home = hash_of(&slots[i]) & mask;
    if (((i - home) & mask) < ((i - hole) & mask)) continue;
    slots[hole] = slots[i];
    hole = i;
  }
  slots[hole].object = NULL;
  stripe->used--;

  if (slots == stripe->first) return;
  if (stripe->used == 0)
    resize(stripe, CDH_FIRST_SLOTS);
  else if (stripe->used < (mask + 1) / 8)
    resize(stripe, (mask + 1) / 2);  // without memory, the larger table serves as well
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
