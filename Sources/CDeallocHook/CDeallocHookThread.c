// The per-thread word. The word itself is read without a call; a pthread key exists only to be told of a thread's end.

#include "CDeallocHookPrivate.h"

#include <pthread.h>

_Thread_local void *cdh_thread_word __attribute__((tls_model("initial-exec")));
static _Thread_local cdh_release_fn word_release __attribute__((tls_model("initial-exec")));

static pthread_once_t key_once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static bool key_exists;

static void replace(void *value, cdh_release_fn release) {
  void *old_value = cdh_thread_word;
  cdh_release_fn old_release = word_release;
  cdh_thread_word = value;
  word_release = release;
  if (old_value && old_release) old_release(old_value);
}

// POSIX has set the key to null before. If the release function sets a value again the key is set again, and this is
// called again, up to PTHREAD_DESTRUCTOR_ITERATIONS times in all.
static void thread_ends(void *unused) {
  (void)unused;
  replace(NULL, NULL);
}

static void make_key(void) { key_exists = pthread_key_create(&key, thread_ends) == 0; }

bool cdh_set_thread_value(void *value, cdh_release_fn release) {
  if (pthread_once(&key_once, make_key) != 0) cdh_fatal("pthread_once failed");
  if (!key_exists || pthread_setspecific(key, value) != 0) return false;
  replace(value, release);
  return true;
}
