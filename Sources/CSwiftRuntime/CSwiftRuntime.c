#define _DEFAULT_SOURCE  // nanosleep, in a strict C mode

#include "CSwiftRuntime.h"

#include <sched.h>
#include <time.h>
#include <unistd.h>

void csr_back_off(unsigned attempt) {
  if (attempt < 8) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
    return;
  }
  if (attempt < 64) {
    sched_yield();
    return;
  }
  // The holder was put off the processor, perhaps below us in priority: sleep, so that it can run.
  struct timespec pause = {.tv_sec = 0, .tv_nsec = 50000};
  nanosleep(&pause, NULL);
}

void csr_print_error(const char *text, size_t length) {
  while (length > 0) {
    ssize_t written = write(STDERR_FILENO, text, length);
    if (written <= 0) return;
    text += written;
    length -= (size_t)written;
  }
}
