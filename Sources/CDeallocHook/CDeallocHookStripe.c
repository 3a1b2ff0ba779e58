// A stripe: its lock, and the trees that hold its hooks.

#include "CDeallocHookPrivate.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <time.h>

cdh_stripe cdh_stripes[CDH_STRIPES];
cdh_allocator cdh_injected;

_Noreturn void cdh_fatal(const char *message) {
  fprintf(stderr, "CDeallocHook: %s\n", message);
  abort();
}

// A waiter that has spun for longer than a section takes sleeps, so that a holder without a processor, or of lower
// priority, gets on.
void cdh_wait_for_lock(cdh_stripe *stripe) {
#ifdef DEBUG
  if (atomic_load_explicit(&stripe->owner, memory_order_relaxed) == &cdh_thread_word)
    cdh_fatal("the table is called from a retain function or an allocator");
#endif
  for (int attempt = 0;; attempt++) {
    unsigned free = 0;
    if (atomic_load_explicit(&stripe->held, memory_order_relaxed) == 0 &&
        atomic_compare_exchange_strong_explicit(&stripe->held, &free, 1, memory_order_acquire, memory_order_relaxed))
      return;
    if (attempt < 64) {
#if defined(__x86_64__)
      __builtin_ia32_pause();
#elif defined(__aarch64__)
      __asm__ volatile("yield");
#endif
    } else if (attempt < 72) {
      sched_yield();
    } else {
      nanosleep(&(struct timespec){.tv_nsec = 50000}, NULL);
    }
  }
}

__attribute__((constructor)) static void start(void) {
  for (int i = 0; i < CDH_STRIPES; i++) {
    cdh_stripes[i].trees = &cdh_stripes[i].only;
    cdh_stripes[i].tree_count = 1;
  }
  if (pthread_atfork(cdh_lock_all, cdh_unlock_all, cdh_unlock_all) != 0) cdh_fatal("no memory for the handlers of fork");
}

static const uint64_t SPREAD = 0x9E3779B97F4A7C15u;

// The objects in 64 KiB of memory share four of the stripes, so that a thread stays with few, whose memory the other
// processors leave alone. Of two threads that use neighbours, most have different ones.
enum { REGION_BITS = 16 };

cdh_stripe *cdh_lock_stripe_of(const void *pointer) {
#ifdef DEBUG
  if (!pointer) cdh_fatal("a null object");
#endif
  const uint64_t address = (uintptr_t)pointer;
  const uint64_t index = ((address >> REGION_BITS) * SPREAD >> (64 - CDH_STRIPE_BITS)) ^ (address * SPREAD >> 62);
  cdh_stripe *stripe = &cdh_stripes[index];
  cdh_lock(stripe);
  return stripe;
}

static int compare(const cdh_hook *a, const cdh_hook *b) {
  if (a->object != b->object) return (uintptr_t)a->object < (uintptr_t)b->object ? -1 : 1;
  if (a->kind != b->kind) return a->kind < b->kind ? -1 : 1;
  return a->id == b->id ? 0 : a->id < b->id ? -1 : 1;
}

RB_GENERATE_INTERNAL(cdh_hooks, cdh_hook, link, compare, __attribute__((unused)) static)

// --- The trees

static void *allocate(size_t size) { return cdh_injected.allocate ? cdh_injected.allocate(size) : malloc(size); }

// Leaves no address of a function in freed memory.
static void deallocate(void *memory, size_t size) {
  if (cdh_injected.deallocate)
    cdh_injected.deallocate(memory);
  else
#ifdef __linux__
    freezero(memory, size);
#else
    free(memory), (void)size;
#endif
}

// Neighbours in memory have neighbouring trees, since objects made one after the other mostly die one after the other.
static cdh_hooks *tree_of(cdh_stripe *stripe, const void *object) {
  const uint64_t address = (uintptr_t)object;
  return &stripe->trees[(((address >> REGION_BITS) * SPREAD >> 24) + (address >> 8)) & (stripe->tree_count - 1)];
}

// Spreads the hooks over another number of trees, so that a tree has about one, or many of the same object.
static void set_tree_count(cdh_stripe *stripe, size_t count) {
  cdh_hooks *old = stripe->trees, *trees = count == 1 ? &stripe->only : allocate(count * sizeof *trees);
  if (!trees) return;  // the trees that there are serve as well
  for (size_t i = 0; i < count; i++) RB_INIT(&trees[i]);
  size_t old_count = stripe->tree_count;
  stripe->trees = trees;
  stripe->tree_count = count;
  for (size_t i = 0; i < old_count; i++) {
    for (cdh_hook *moved; (moved = RB_ROOT(&old[i]));) {
      RB_REMOVE(cdh_hooks, &old[i], moved);
      RB_INSERT(cdh_hooks, tree_of(stripe, moved->object), moved);
    }
  }
  if (old != &stripe->only) deallocate(old, old_count * sizeof *old);
}

cdh_hook *cdh_find(cdh_stripe *stripe, const void *object, cdh_kind kind, uint64_t id) {
  cdh_hook wanted = {.object = object, .kind = kind, .id = id};
  return RB_FIND(cdh_hooks, tree_of(stripe, object), &wanted);
}

cdh_hook *cdh_find_value(cdh_stripe *stripe, const void *object, const void *key) {
  cdh_hook *found = cdh_find(stripe, object, CDH_VALUE_FIRST, (uintptr_t)key);
  return found ? found : cdh_find(stripe, object, CDH_VALUE_LAST, (uintptr_t)key);
}

cdh_hook *cdh_find_first(cdh_stripe *stripe, const void *object) {
  cdh_hook least = {.object = object};
  cdh_hook *first = RB_NFIND(cdh_hooks, tree_of(stripe, object), &least);
  return first && first->object == object ? first : NULL;
}

bool cdh_find_dying(cdh_stripe *stripe, const void *object) {
  cdh_dying *dying;
  LIST_FOREACH(dying, &stripe->dying, link) if (dying->object == object) return true;
  return false;
}

cdh_result cdh_add(cdh_stripe *stripe, const cdh_hook *new, cdh_hook *replaced, cdh_hook *old) {
  if (cdh_find_dying(stripe, new->object)) return CDH_DYING;
  cdh_hook *added = replaced ? replaced : allocate(sizeof *added);
  if (!added) return CDH_NO_MEMORY;
  if (replaced) {
    *old = *replaced;
    RB_REMOVE(cdh_hooks, tree_of(stripe, new->object), replaced);
  } else if (stripe->hook_count++ == stripe->tree_count) {
    set_tree_count(stripe, stripe->tree_count * 4);
  }
  *added = *new;
  RB_INSERT(cdh_hooks, tree_of(stripe, new->object), added);
  return CDH_OK;
}

bool cdh_take_out(cdh_stripe *stripe, cdh_hook *found, cdh_hook *taken) {
  if (!found) return false;
  *taken = *found;
  RB_REMOVE(cdh_hooks, tree_of(stripe, found->object), found);
  deallocate(found, sizeof *found);
  if (--stripe->hook_count == 0)
    set_tree_count(stripe, 1);
  else if (stripe->hook_count < stripe->tree_count / 16)
    set_tree_count(stripe, stripe->tree_count / 4);
  return true;
}

size_t cdh_count_objects(cdh_stripe *stripe) {
  size_t count = 0;
  for (size_t i = 0; i < stripe->tree_count; i++) {
    const void *last = NULL;
    cdh_hook *hook;
    RB_FOREACH(hook, cdh_hooks, &stripe->trees[i]) {
      count += hook->object != last;
      last = hook->object;
    }
  }
  cdh_dying *dying;
  LIST_FOREACH(dying, &stripe->dying, link) count += !cdh_find_first(stripe, dying->object);
  return count;
}
