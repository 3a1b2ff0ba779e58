// Counts the blocks, and their bytes, that a process asks the heap for. Linking this target replaces malloc and its kin with
// ones that count and pass on to glibc's.

#ifndef C_COUNTING_MALLOC_H
#define C_COUNTING_MALLOC_H

#include <stdint.h>

/// How many blocks were asked for since the process started, by all threads together.
uint64_t counted_allocations(void);

/// How many bytes these blocks take of the heap, with what glibc adds to each: 8 bytes, and what is missing to a multiple of 16.
uint64_t counted_bytes(void);

#endif
