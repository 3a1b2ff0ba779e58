// Counts the blocks that a process asks the heap for. Linking this target replaces malloc and its kin with ones that count
// and pass on to glibc's.

#ifndef C_COUNTING_MALLOC_H
#define C_COUNTING_MALLOC_H

#include <stdint.h>

/// How many blocks were asked for since the process started, by all threads together.
uint64_t counted_allocations(void);

#endif
