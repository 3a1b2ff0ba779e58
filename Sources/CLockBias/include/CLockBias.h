// CLockBias: what a lock needs that one thread, its owner, takes and gives back with plain stores.
//
// The owner writes "I am in", then reads whether it still owns the lock. Another thread writes that nobody owns it, then reads
// whether the owner is in. Each has to see the other's write, so a full fence belongs between the two: here the thread that
// comes second, and seldom, pays for both, by having the kernel put one into every thread of the process (membarrier(2),
// 0.6 to 0.8 µs with two cores). The protocol itself is AutoKVO's ShortLock.swift; docs/model/bias.pml checks it.

#ifndef CLOCKBIAS_H
#define CLOCKBIAS_H

#include <stdint.h>

/// The owner of a lock that has none: no thread has this number.
#define CLB_NOBODY UINT32_MAX

extern _Thread_local uint32_t clb_number __attribute__((tls_model("initial-exec")));

/// This thread's number, 0 if it has never owned a lock. No two threads of a process have had the same.
static inline uint32_t clb_thread_number(void) { return clb_number; }

/// The number of the thread that is to own a new lock: this one, or nobody. It is nobody where the kernel has no such fence, while
/// 16,384 locks have an owner, and after 256 fences: so what locks that change hands cost a process is bounded.
uint32_t clb_owner(void);

/// A lock has no owner any more.
void clb_disown(void);

/// Returns when every other thread of the process has executed a full fence.
void clb_fence_all_threads(void);

#endif
