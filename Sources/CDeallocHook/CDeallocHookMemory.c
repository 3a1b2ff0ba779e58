// Where memory comes from, and what happens when a caller breaks a rule.

#include "CDeallocHookPrivate.h"

#include <stdio.h>
#include <string.h>

// Both null for the default. Read with any stripe's lock held, written with all of them.
static cdh_allocator injected;

void cdh_use_allocator(const cdh_allocator *allocator) {
  injected = allocator ? *allocator : (cdh_allocator){NULL, NULL};
}

void *cdh_allocate(size_t count, size_t size) {
  if (!injected.allocate) return calloc(count, size);
  size_t bytes;
  if (__builtin_mul_overflow(count, size, &bytes)) return NULL;
  void *memory = injected.allocate(bytes);
  if (memory) memset(memory, 0, bytes);
  return memory;
}

// Null if there is no memory, with the old array as it was. Addresses of functions and contexts are not left behind in
// freed memory: recallocarray clears it.
void *cdh_grow(void *array, size_t old_count, size_t count, size_t size) {
#ifdef __linux__
  if (!injected.allocate) return recallocarray(array, old_count, count, size);
#endif
  void *grown = cdh_allocate(count, size);
  if (!grown || !array) return grown;
  memcpy(grown, array, old_count * size);
  memset(array, 0, old_count * size);
  cdh_deallocate(array);
  return grown;
}

void cdh_deallocate(void *memory) {
  if (!memory) return;
  if (injected.deallocate)
    injected.deallocate(memory);
  else
    free(memory);
}

void cdh_fatal(const char *message) {
  fprintf(stderr, "CDeallocHook: %s\n", message);
  abort();
}
