// CRecording: whether anything records what it reads. Two words that every read of an observed property looks at; in C, since a
// Swift global would be found by a call, and would make the compiler keep the object of each read alive around that.

#ifndef CRECORDING_H
#define CRECORDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

// A program that speaks C++ with Swift reads this header as C++.
#ifdef __cplusplus
extern "C" {
#endif

/// How many threads record now, or are about to.
extern uintptr_t crc_count;
/// How many evaluations have begun on this thread, inside each other, and not ended.
extern _Thread_local uintptr_t crc_depth __attribute__((tls_model("initial-exec")));
/// What records on this thread.
extern _Thread_local void *_Nullable crc_recorder __attribute__((tls_model("initial-exec")));

/// Whether this thread records. One load and one branch where no thread does. `pure`: the compiler need not assume that it
/// releases anything.
static inline __attribute__((pure)) bool crc_is_recording(void) {
  return __builtin_expect(__atomic_load_n(&crc_count, __ATOMIC_RELAXED) != 0, 0) && crc_recorder != NULL;
}

/// What records on this thread, NULL if nothing does.
static inline void *_Nullable crc_current(void) { return crc_recorder; }

/// Makes something else record on this thread, or nothing. Returns what did.
static inline void *_Nullable crc_exchange(void *_Nullable recorder) {
  void *former = crc_recorder;
  crc_recorder = recorder;
  return former;
}

/// An evaluation begins or ends, or several of them do. Only the outermost writes what all threads read.
static inline void crc_begin(void) {
  if (crc_depth++ == 0) __atomic_fetch_add(&crc_count, 1, __ATOMIC_RELAXED);
}
static inline void crc_end(void) {
  if (--crc_depth == 0) __atomic_fetch_sub(&crc_count, 1, __ATOMIC_RELAXED);
}

/// Around an expression that takes the address of a property to read it: the thread sanitizer would report two threads that do so.
/// Its runtime has these functions; without it there are none.
extern void AnnotateIgnoreWritesBegin(const char *file, int line) __attribute__((weak));
extern void AnnotateIgnoreWritesEnd(const char *file, int line) __attribute__((weak));
static inline __attribute__((pure)) bool crc_ignores_writes(void) { return AnnotateIgnoreWritesBegin != NULL; }
static inline void crc_begin_addressing(void) { AnnotateIgnoreWritesBegin(__FILE__, __LINE__); }
static inline void crc_end_addressing(void) { AnnotateIgnoreWritesEnd(__FILE__, __LINE__); }

#ifdef __cplusplus
}
#endif

#pragma clang assume_nonnull end

#endif
