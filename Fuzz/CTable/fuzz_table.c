// Drives the table with a sequence of calls read from the input, next to a plain reference: an array of the values and
// one of the callbacks that should be there. Callbacks and release functions read further calls from the same input, so
// that calls nest, on the dying object too. Allocations fail where the input says. Any difference aborts.

#include "CDeallocHook.h"

#include <stdio.h>
#include <stdlib.h>

#define CHECK(condition)                                                     \
  do {                                                                       \
    if (!(condition)) {                                                      \
      fprintf(stderr, "line %d: %s does not hold\n", __LINE__, #condition); \
      abort();                                                               \
    }                                                                        \
  } while (0)

// Most objects are side by side, so that some share a tree, and enough for a stripe to have more trees and then fewer.
enum { OBJECTS = 108, CROWDED = 100, KEYS = 24, RECORDS = 4096, DEEPEST = 6 };

typedef enum { ABSENT, PRESENT, OVER } presence;

typedef struct {
  presence presence;
  bool has_release;
  int releases;
  int object, key;
  cdh_order order;
} value_record;

typedef struct {
  presence presence;
  bool has_release;
  int releases;
  int object;
  uint64_t token;
} callback_record;

static const void *objects[OBJECTS];
static const void *keys[KEYS];
static bool dying[OBJECTS], releasing[OBJECTS];
static cdh_member members[OBJECTS];
static bool is_member[OBJECTS];
static value_record values[RECORDS];
static callback_record callbacks[RECORDS];
static int value_count, callback_count, depth, last_torn_down;

static const uint8_t *input;
static size_t input_left;
static int allocations_left;  // until one fails; negative: none does
static bool failed;
static long outstanding;

static int next(int bound) {
  if (input_left == 0) return 0;
  input_left--;
  return *input++ % bound;
}

static void *allocate(size_t bytes) {
  if (allocations_left == 0) {
    allocations_left = -1;
    failed = true;
    return NULL;
  }
  if (allocations_left > 0) allocations_left--;
  void *memory = malloc(bytes);
  if (memory) outstanding++;
  return memory;
}

static void deallocate(void *memory) {
  if (memory) outstanding--;
  free(memory);
}

static void step(void);

static void nest(void) {
  if (depth == DEEPEST) return;
  depth++;
  for (int calls = next(4); calls > 0; calls--) step();
  depth--;
}

static int value_for(int object, int key) {
  for (int i = 0; i < value_count; i++)
    if (values[i].presence == PRESENT && values[i].object == object && values[i].key == key) return i;
  return -1;
}

static bool exists(int object) {
  for (int i = 0; i < value_count; i++)
    if (values[i].presence == PRESENT && values[i].object == object) return true;
  for (int i = 0; i < callback_count; i++)
    if (callbacks[i].presence == PRESENT && callbacks[i].object == object) return true;
  return dying[object];
}

// A value that is replaced or removed is marked before the call; one that teardown releases is marked here.
static void release_value(void *pointer) {
  value_record *value = pointer;
  CHECK(value->has_release && ++value->releases == 1);
  if (value->presence == PRESENT) {
    CHECK(dying[value->object]);
    releasing[value->object] = true;
    value->presence = OVER;
    for (int i = 0; i < callback_count; i++)
      CHECK(callbacks[i].object != value->object || callbacks[i].presence != PRESENT);
    for (int i = 0; value->order == CDH_LAST && i < value_count; i++)
      CHECK(values[i].object != value->object || values[i].presence != PRESENT || !values[i].has_release ||
            values[i].order == CDH_LAST);
  }
  nest();
}

static void release_context(void *pointer) {
  callback_record *callback = pointer;
  CHECK(callback->has_release && callback->presence == OVER && ++callback->releases == 1);
  nest();
}

static void run_callback(const void *object, void *pointer) {
  callback_record *callback = pointer;
  CHECK(object == objects[callback->object] && dying[callback->object] && !releasing[callback->object]);
  CHECK(callback->presence == PRESENT && callback->releases == 0);
  for (callback_record *earlier = callbacks; earlier < callback; earlier++)
    CHECK(earlier->object != callback->object || earlier->presence != PRESENT);
  callback->presence = OVER;
  nest();
  CHECK(callback->releases == 0);
}

static void check_result(cdh_result result, int object) {
  // Without memory for more trees those that there are serve as well, so a failed allocation need not fail the call.
  CHECK(result == (dying[object] ? CDH_DYING : CDH_OK) || (failed && result == CDH_NO_MEMORY));
}

static void associate(int object, int key) {
  if (value_count == RECORDS) return;
  int index = value_count++, old = dying[object] ? -1 : value_for(object, key);
  value_record *value = &values[index];
  *value = (value_record){.has_release = next(4) != 0, .object = object, .key = key, .order = (cdh_order)next(2)};
  if (old >= 0) {  // needs no memory; what is released on the way sees the new value
    values[old].presence = OVER;
    value->presence = PRESENT;
  }
  failed = false;
  cdh_result result =
    cdh_associate(objects[object], keys[key], value, value->has_release ? release_value : NULL, value->order);
  if (old >= 0) {
    CHECK(result == CDH_OK);
  } else {
    check_result(result, object);
    if (result == CDH_OK) value->presence = PRESENT;
  }
}

static void *retain(void *value) {
  CHECK(((value_record *)value)->presence == PRESENT);
  return value;
}

static void look(int object, int key, bool retained) {
  int index = value_for(object, key);
  const value_record *expected = index < 0 ? NULL : &values[index];
  void *found = cdh_associated(objects[object], keys[key], retained ? retain : NULL);
  // What has no release function goes silently during the releases, at a moment that is not promised.
  CHECK(found == expected || (!found && releasing[object] && !expected->has_release));
  if (!retained) return;
  (is_member[object] ? cdh_leave : cdh_join)(&members[object]);
  is_member[object] = !is_member[object];
}

static void dissociate(int object, int key) {
  int index = value_for(object, key);
  if (index >= 0) values[index].presence = OVER;
  bool maybe = index >= 0 && releasing[object] && !values[index].has_release;
  bool found = cdh_dissociate(objects[object], keys[key]);
  CHECK(found == (index >= 0) || (maybe && !found));
  if (index >= 0) CHECK(values[index].releases == values[index].has_release);
  for (int other = 0; other < KEYS; other++) look(object, other, false);
}

static void add_callback(int object) {
  if (callback_count == RECORDS) return;
  callback_record *callback = &callbacks[callback_count++];
  *callback = (callback_record){.has_release = next(2), .object = object};
  failed = false;
  cdh_result result = cdh_on_teardown(objects[object], run_callback, callback,
                                      callback->has_release ? release_context : NULL, &callback->token);
  check_result(result, object);
  CHECK((callback->token != 0) == (result == CDH_OK));
  if (result == CDH_OK) callback->presence = PRESENT;
}

static void cancel(int object) {
  if (callback_count == 0) return;
  int back = next(16);
  callback_record *callback = &callbacks[back < callback_count ? callback_count - 1 - back : 0];
  // With another object than its own, a token may be that of a callback of that object: each stripe counts its own.
  uint64_t token = callback->token;
  for (callback = callbacks; callback < callbacks + callback_count; callback++)
    if (callback->presence == PRESENT && callback->object == object && callback->token == token) break;
  bool expected = callback < callbacks + callback_count;
  if (expected) callback->presence = OVER;
  bool cancelled = cdh_cancel(objects[object], token);
  CHECK(cancelled == expected);
  if (expected) CHECK(callback->releases == callback->has_release);
}

static void cancel_own(void) {
  if (callback_count == 0) return;
  callback_record *callback = &callbacks[next(256) % callback_count];
  bool expected = callback->presence == PRESENT;
  if (expected) callback->presence = OVER;
  bool cancelled = cdh_cancel(objects[callback->object], callback->token);
  CHECK(cancelled == expected);
}

static void tear_down(int object) {
  if (dying[object]) {
    cdh_teardown(objects[object]);
    CHECK(cdh_is_dying(objects[object]));
    return;
  }
  last_torn_down = object;
  dying[object] = exists(object);
  cdh_teardown(objects[object]);
  dying[object] = releasing[object] = false;
  for (int i = 0; i < value_count; i++) {
    if (values[i].object != object || values[i].presence != PRESENT) continue;
    CHECK(!values[i].has_release);
    values[i].presence = OVER;
  }
  for (int i = 0; i < callback_count; i++)
    CHECK(callbacks[i].object != object || callbacks[i].presence != PRESENT);
  CHECK(!cdh_is_dying(objects[object]));
  for (int key = 0; key < KEYS; key++) CHECK(!cdh_associated(objects[object], keys[key], NULL));
}

static void *unless_first(cdh_member *member) {
  CHECK(is_member[member - members]);
  return member == members ? NULL : member;
}

static void check_count(void) {
  size_t joined = 0;
  for (int i = 1; i < OBJECTS; i++) joined += is_member[i];
  void *found[OBJECTS];
  CHECK(cdh_collect(unless_first, found, OBJECTS) == joined);
  size_t count = 0;
  for (int object = 0; object < OBJECTS; object++) {
    count += exists(object);
    CHECK(cdh_is_dying(objects[object]) == dying[object]);
  }
  CHECK(cdh_live_entries() == count);
}

static void step(void) {
  if (input_left == 0) return;
  int call = next(16), object = next(OBJECTS + 16);
  if (object >= OBJECTS) object = last_torn_down;
  switch (call) {
    case 0: case 1: case 2: associate(object, next(KEYS)); break;
    case 3: for (int key = 0; key < KEYS; key++) associate(object, key); break;
    case 4: look(object, next(KEYS), next(2)); break;
    case 5: case 6: dissociate(object, next(KEYS)); break;
    case 7: case 8: add_callback(object); break;
    case 9: cancel(object); break;
    case 10: cancel_own(); break;
    case 11: tear_down(object); break;
    case 12: check_count(); break;
    case 13: allocations_left = next(4); break;
    case 14: for (int i = 0; i < CROWDED; i++) associate(i, object % KEYS); break;
    case 15: for (int i = 0; i < CROWDED; i++) if (i != object) tear_down(i); break;
  }
}

static void choose_addresses(void) {
  uintptr_t address = 0x10000;
  for (int i = 0; i < OBJECTS; address += i++ < CROWDED ? 8 : 0x10000) objects[i] = (void *)address;
  for (int i = 0; i < KEYS; i++) keys[i] = (void *)(uintptr_t)(8 * i + 8);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (!objects[0]) {
    choose_addresses();
    cdh_set_allocator(&(cdh_allocator){allocate, deallocate});
  }
  input = data;
  input_left = size;
  allocations_left = -1;
  value_count = callback_count = depth = last_torn_down = 0;
  while (input_left > 0) step();

  for (int object = 0; object < OBJECTS; object++) {
    tear_down(object);
    if (is_member[object]) look(object, 0, true);
  }
  CHECK(cdh_live_entries() == 0 && outstanding == 0);
  for (int i = 0; i < value_count; i++)
    CHECK(values[i].releases == (values[i].presence == OVER && values[i].has_release));
  for (int i = 0; i < callback_count; i++)
    CHECK(callbacks[i].releases == (callbacks[i].presence == OVER && callbacks[i].has_release));
  return 0;
}
