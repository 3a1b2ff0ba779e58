// Counts the blocks, and their bytes, that a process asks the heap for. Linking this target replaces malloc and its kin with
// ones that count and pass on to glibc's.

#ifndef C_COUNTING_MALLOC_H
#define C_COUNTING_MALLOC_H

#include <stdint.h>
#include <sys/types.h>
#include <unistd.h>

/// How many blocks were asked for since the process started, by all threads together.
uint64_t counted_allocations(void);

/// How many bytes these blocks take of the heap, with what glibc adds to each: 8 bytes, and what is missing to a multiple of 16.
uint64_t counted_bytes(void);

/// A copy of this process, in which 0 is returned: Swift's Glibc does not show fork(2).
static inline pid_t copy_of_process(void) { return fork(); }

#endif
