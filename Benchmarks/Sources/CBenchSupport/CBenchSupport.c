#include "CBenchSupport.h"

#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void *sleep_for_ever(void *unused) {
  (void)unused;
  for (;;) pause();
  return NULL;
}

void bench_start(void) {
  mallopt(M_TRIM_THRESHOLD, INT_MAX);
  mallopt(M_MMAP_THRESHOLD, INT_MAX);
  mallopt(M_TOP_PAD, 64 << 20);
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
