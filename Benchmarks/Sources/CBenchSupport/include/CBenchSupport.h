// What every benchmark executable, Swift or not, needs of the C library: the clock and the heap's size.

#ifndef C_BENCH_SUPPORT_H
#define C_BENCH_SUPPORT_H

#include <malloc.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#ifdef __cplusplus
extern "C" {
#endif

static inline uint64_t bench_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/// Bytes in use on the heap, the allocator's own headers included.
static inline size_t bench_heap_bytes(void) {
  struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

/// Called once, before anything is measured.
///
/// Keeps freed memory in the process, so that no phase is charged for page faults which the kernel causes only at some sizes.
/// Starts a thread that sleeps for ever: with one thread alone glibc and libstdc++ leave the atomic instructions out of
/// locks, allocation and counting, a shortcut that no program with threads gets and that would flatter some systems only.
///
/// Lets the main thread's stack grow to 120 MiB: a chain of 10,000 bindings is that many nested calls in every system.
///
/// With BENCH_ONE_THREAD in the environment it leaves that thread out.
void bench_start(void);

/// Merges what is free on the heap, so that every round of building starts from one piece of memory, as the first one does.
void bench_tidy_heap(void);

/// How often functions of derived values were called, and sinks, in the one thread that uses graphs.
struct bench_tally { long computations, calls; };
extern struct bench_tally bench_current_tally;

static inline void bench_computed(void) { bench_current_tally.computations++; }
static inline void bench_called(void) { bench_current_tally.calls++; }
static inline struct bench_tally bench_get_tally(void) { return bench_current_tally; }
static inline void bench_set_tally(struct bench_tally tally) { bench_current_tally = tally; }

#ifdef __cplusplus
}
#endif

#endif
