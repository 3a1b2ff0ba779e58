#include "CBenchSupport.h"

#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

struct bench_tally bench_current_tally;

static void *sleep_for_ever(void *unused) {
  (void)unused;
  for (;;) pause();
  return NULL;
}

void bench_start(void) {
  mallopt(M_TRIM_THRESHOLD, INT_MAX);
  mallopt(M_MMAP_THRESHOLD, INT_MAX);
  mallopt(M_TOP_PAD, 64 << 20);
  // The main thread's stack grows up to the limit in force at that time, and Linux keeps 128 MiB of addresses free below it.
  struct rlimit stack;
  if (getrlimit(RLIMIT_STACK, &stack) == 0) {
    stack.rlim_cur = stack.rlim_max < (120 << 20) ? stack.rlim_max : 120 << 20;
    setrlimit(RLIMIT_STACK, &stack);
  }
  if (getenv("BENCH_ONE_THREAD") != NULL) return;
  pthread_t thread;
  if (pthread_create(&thread, NULL, sleep_for_ever, NULL) != 0) {
    perror("pthread_create");
    exit(1);
  }
}

void bench_tidy_heap(void) {
  // glibc merges its small free blocks when a block of 64 KiB or more is freed; the barrier keeps the pair from being removed.
  void *large = malloc(1 << 20);
  __asm__ volatile("" : : "r"(large) : "memory");
  free(large);
}
