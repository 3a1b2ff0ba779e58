#define _GNU_SOURCE  // syscall, nanosleep

#include "CSwiftRuntime.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#if defined(__linux__) && __has_include(<linux/membarrier.h>)
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#define HAS_FENCE 1
#else
#define HAS_FENCE 0
#endif

_Thread_local uint32_t csr_number __attribute__((tls_model("initial-exec")));

#if HAS_FENCE

// In debug builds any number of fences: the tests, which would use them up at once, are there for the locks that have owners.
#ifdef DEBUG
enum { MOST_FENCES = INT32_MAX, MOST_OWNED = 16384 };
#else
enum { MOST_FENCES = 256, MOST_OWNED = 16384 };
#endif

// How many fences may still be executed before new locks get no owner: none at all where the kernel has them not.
static atomic_int fences_left;
static atomic_int owned;
static atomic_uint last_number;

static bool membarrier(int command) { return syscall(__NR_membarrier, command, 0, 0) == 0; }

// While the process has one thread this takes a microsecond; later the kernel would wait until all processors have passed.
__attribute__((constructor)) static void register_process(void) {
  if (membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED)) atomic_store(&fences_left, MOST_FENCES);
}

// Gives this thread a number. False if there are no more.
static bool number_thread(void) {
  uint32_t last = atomic_load_explicit(&last_number, memory_order_relaxed);
  do {
    if (last == CSR_NOBODY - 1) return false;
  } while (!atomic_compare_exchange_weak_explicit(&last_number, &last, last + 1, memory_order_relaxed, memory_order_relaxed));
  csr_number = last + 1;
  return true;
}

uint32_t csr_owner(void) {
  if (atomic_load_explicit(&fences_left, memory_order_relaxed) <= 0) return CSR_NOBODY;
  if (csr_number == 0 && !number_thread()) return CSR_NOBODY;
  if (atomic_fetch_add_explicit(&owned, 1, memory_order_relaxed) >= MOST_OWNED) {
    csr_disown();
    return CSR_NOBODY;
  }
  return csr_number;
}

void csr_disown(void) { atomic_fetch_sub_explicit(&owned, 1, memory_order_relaxed); }

void csr_fence_all_threads(void) {
  atomic_fetch_sub_explicit(&fences_left, 1, memory_order_relaxed);
  if (membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED)) return;
  // A filter of system calls that was put up after the start refuses it. What an owner has written is seen a microsecond
  // later at most: wait fifty times as long. There will be no more owners.
  atomic_store_explicit(&fences_left, 0, memory_order_relaxed);
  nanosleep(&(struct timespec){.tv_nsec = 50 * 1000}, NULL);
}

#else

uint32_t csr_owner(void) { return CSR_NOBODY; }
void csr_disown(void) {}
void csr_fence_all_threads(void) {}

#endif
