// The per-thread word. It is read without a call; a pthread key exists only for its destructor, which runs at a
// thread's end.

#include "CDeallocHook.h"

#include <pthread.h>

_Thread_local void *cdh_thread_word __attribute__((tls_model("initial-exec")));
static _Thread_local cdh_release_fn word_release __attribute__((tls_model("initial-exec")));
static pthread_key_t key;
static bool has_key;

static void replace(void *value, cdh_release_fn release) {
  void *old_value = cdh_thread_word;
  cdh_release_fn old_release = word_release;
  cdh_thread_word = value;
  word_release = release;
  if (old_value && old_release) old_release(old_value);
}

// If the release function sets a value again, the key is set again, and POSIX calls this again, up to
// PTHREAD_DESTRUCTOR_ITERATIONS times in all.
static void thread_ends(void *unused) {
  (void)unused;
  replace(NULL, NULL);
}

__attribute__((constructor)) static void make_key(void) { has_key = pthread_key_create(&key, thread_ends) == 0; }

bool cdh_set_thread_value(void *value, cdh_release_fn release) {
  if (!has_key || pthread_setspecific(key, value) != 0) return false;
  replace(value, release);
  return true;
}
