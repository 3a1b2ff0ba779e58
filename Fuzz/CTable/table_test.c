// The table from plain C: a first look for a reader, and something to put under valgrind. What only C can do is here too:
// fork(). The rest of the behaviour is tested from Swift, in Tests/CDeallocHookTests.

#include "CDeallocHook.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHECK(condition)                                                                      \
  do {                                                                                        \
    if (!(condition)) {                                                                       \
      fprintf(stderr, "%s, line %d: %s does not hold\n", __func__, __LINE__, #condition); \
      abort();                                                                                \
    }                                                                                         \
  } while (0)

static const char first_key, last_key;

// What was called, one letter each.
static char trace[64];
static size_t traced;

static void trace_letter(void *letter) {
  CHECK(traced < sizeof trace - 1);
  trace[traced++] = *(char *)letter;
  free(letter);
}

static void trace_callback(const void *object, void *letter) {
  CHECK(cdh_is_dying(object));
  CHECK(cdh_associate(object, &first_key, letter, NULL, CDH_FIRST) == CDH_DYING);
  CHECK(traced < sizeof trace - 1);
  trace[traced++] = *(char *)letter - 'a' + 'A';
}

static char *letter(char value) {
  char *memory = malloc(1);
  *memory = value;
  return memory;
}

static void expect_trace(const char *expected) {
  for (size_t i = 0; i <= traced; i++) CHECK((i == traced ? '\0' : trace[i]) == expected[i]);
  traced = 0;
}

static void callbacks_run_in_order_and_then_values_go(void) {
  void *object = calloc(1, 16);
  uint64_t token;
  CHECK(cdh_associate(object, &last_key, letter('z'), trace_letter, CDH_LAST) == CDH_OK);
  CHECK(cdh_associate(object, &first_key, letter('f'), trace_letter, CDH_FIRST) == CDH_OK);
  for (char name = 'a'; name <= 'e'; name++)
    CHECK(cdh_on_teardown(object, trace_callback, letter(name), trace_letter, &token) == CDH_OK);
  CHECK(cdh_cancel(object, token));
  expect_trace("e");
  cdh_teardown(object);
  expect_trace("AaBbCcDdfz");
  CHECK(!cdh_is_dying(object) && !cdh_associated(object, &last_key, NULL));
  free(object);
}

static void a_value_replaced_or_removed_is_released(void) {
  void *object = calloc(1, 16);
  CHECK(cdh_associate(object, &first_key, letter('a'), trace_letter, CDH_FIRST) == CDH_OK);
  CHECK(cdh_associate(object, &first_key, letter('b'), trace_letter, CDH_FIRST) == CDH_OK);
  expect_trace("a");
  CHECK(cdh_live_entries() == 1);
  CHECK(cdh_dissociate(object, &first_key) && !cdh_dissociate(object, &first_key));
  expect_trace("b");
  CHECK(cdh_live_entries() == 0);
  free(object);
}

static void many_objects_with_many_keys_leave_nothing(void) {
  enum { OBJECTS = 3000, KEYS = 12 };
  static char objects[OBJECTS * 16], keys[KEYS];
  for (int i = 0; i < OBJECTS * KEYS; i++)
    CHECK(cdh_associate(&objects[i / KEYS * 16], &keys[i % KEYS], malloc(1), free, (cdh_order)(i % 2)) == CDH_OK);
  CHECK(cdh_live_entries() == OBJECTS);
  for (int i = 0; i < OBJECTS; i++) cdh_teardown(&objects[i * 16]);
  CHECK(cdh_live_entries() == 0);
}

static void *use_neighbours(void *start) {
  char *base = start;
  for (int i = 0; i < 20000; i++) {
    char *object = base + i % 50 * 32;
    CHECK(cdh_associate(object, &first_key, malloc(1), free, CDH_FIRST) == CDH_OK);
    CHECK(cdh_associated(object, &first_key, NULL));
    if (i % 3 == 0) cdh_teardown(object);
  }
  for (int i = 0; i < 50; i++) cdh_teardown(base + i * 32);
  return NULL;
}

static void two_threads_use_neighbouring_addresses(void) {
  static char memory[50 * 32];
  pthread_t other;
  CHECK(pthread_create(&other, NULL, use_neighbours, memory + 16) == 0);
  use_neighbours(memory);
  CHECK(pthread_join(other, NULL) == 0);
  CHECK(cdh_live_entries() == 0);
}

static volatile bool stop;

static void *use_until_stopped(void *unused) {
  (void)unused;
  static char memory[256 * 16];
  for (unsigned i = 0; !__atomic_load_n(&stop, __ATOMIC_RELAXED); i++) {
    CHECK(cdh_associate(&memory[i % 256 * 16], &first_key, memory, NULL, CDH_FIRST) == CDH_OK);
    cdh_teardown(&memory[i % 256 * 16]);
  }
  return NULL;
}

static void a_forked_child_finds_no_lock_held(void) {
  static char mine[1000 * 16];
  pthread_t other;
  CHECK(pthread_create(&other, NULL, use_until_stopped, NULL) == 0);
  for (int i = 0; i < 40; i++) {
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
      alarm(60);  // a lock that is held for ever ends the child, and so the test
      for (int j = 0; j < 1000; j++) {
        if (cdh_associate(&mine[j * 16], &first_key, mine, NULL, CDH_FIRST) != CDH_OK) _exit(1);
        cdh_teardown(&mine[j * 16]);
      }
      _exit(0);
    }
    int status;
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
  __atomic_store_n(&stop, true, __ATOMIC_RELAXED);
  CHECK(pthread_join(other, NULL) == 0);
  CHECK(cdh_live_entries() == 0);
}

static void *set_and_end(void *unused) {
  (void)unused;
  CHECK(!cdh_thread_value());
  CHECK(cdh_set_thread_value(letter('a'), trace_letter));
  CHECK(cdh_set_thread_value(letter('b'), trace_letter));
  CHECK(*(char *)cdh_thread_value() == 'b');
  return NULL;
}

static void the_value_of_a_thread_goes_with_it(void) {
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, set_and_end, NULL) == 0);
  CHECK(pthread_join(thread, NULL) == 0);
  expect_trace("ab");
  CHECK(!cdh_thread_value());
}

int main(void) {
  callbacks_run_in_order_and_then_values_go();
  a_value_replaced_or_removed_is_released();
  many_objects_with_many_keys_leave_nothing();
  two_threads_use_neighbouring_addresses();
  a_forked_child_finds_no_lock_held();
  the_value_of_a_thread_goes_with_it();
  puts("all hold");
  return 0;
}
