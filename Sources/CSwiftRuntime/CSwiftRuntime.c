#define _DEFAULT_SOURCE  // nanosleep, in a strict C mode

#include "CSwiftRuntime.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

void csr_back_off(unsigned attempt) {
  if (attempt < 8) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
  } else if (attempt < 64) {
    sched_yield();
  } else {
    // The holder was put off the processor, perhaps below us in priority: sleep, so that it can run.
    nanosleep(&(struct timespec){.tv_nsec = 50000}, NULL);
  }
}

void csr_print_error(const char *text, size_t length) {
  while (length > 0) {
    ssize_t written = write(STDERR_FILENO, text, length);
    if (written <= 0) return;
    text += written;
    length -= (size_t)written;
  }
}

#ifdef __APPLE__
const void *csr_copy_class(const void *type) { return NULL; }
bool csr_is_generic(const void *type) { return false; }
bool csr_is_surely_not_final(const void *type) { return false; }
bool csr_stores_by_functions(const void *type) { return false; }
bool csr_may_override_getter(const void *type, const void *superclass) { return true; }
int csr_overrides_property(const void *type, const void *superclass, const void *key_path, bool is_own) { return 1; }
int csr_is_same_property(const void *type, const void *superclass, const void *declared, const void *key_path) { return -1; }
#else
const void *csr_copy_class(const void *type) {
  // From its address on: kind, superclass, then 32 bits each of flags, address point in an object, size of an object, alignment
  // (and 16 reserved), size of the metadata, and how much of that lies before the address.
  const uint32_t *halves = type;
  uint32_t size = halves[8], before = halves[9];
  char *copy = malloc(size);
  if (copy == NULL) return NULL;
  memcpy(copy, (const char *)type - before, size);
  // Derived from the original, so that casts to it succeed.
  memcpy(copy + before + sizeof(void *), &type, sizeof(type));
  return copy + before;
}

// The descriptor of a class: 32 bits each of flags, parent, name, access function, fields, superclass, two sizes of the metadata, number
// of the words that the class adds to it, number of fields, and where their offsets are. Then, of a generic class, 64 bits, 16 bits
// each of the numbers of its parameters, of what it requires of them, and of those that the metadata has, and flags; a byte
// for each parameter, and, at the next multiple of four, twelve for each requirement. Then twelve bytes, if the metadata is completed at its
// first use, as that of a subclass of a generic class is. Then, unless there is none, the table of methods: where it begins in the metadata
// and how long it is, then for each method its flags and its address.
static const uint32_t *descriptor_of(const void *type) { return ((const uint32_t *const *)type)[5]; }

static const uint32_t generic = 1u << 7, singleton = 1u << 16, foreign = 2u << 16, resilient_superclass = 1u << 29;

// NULL if it is not known where the table is: something else may lie before it, too.
static const uint32_t *methods_of(const uint32_t *descriptor) {
  static const uint32_t none[2], vtable = 1u << 31;
  const uint32_t flags = descriptor[0], *next = descriptor + 11;
  if ((flags & (foreign | resilient_superclass)) != 0) return NULL;
  if ((flags & vtable) == 0) return none;
  if ((flags & generic) != 0) {
    uint16_t counts[4];
    memcpy(counts, next + 2, sizeof(counts));
    if (counts[3] != 0) return NULL;
    next += 4 + (counts[0] + 3) / 4 + 3 * counts[1];
  }
  return (flags & singleton) != 0 ? next + 3 : next;
}

enum { KIND = 15, INITIALIZER = 1, GETTER = 2, SETTER = 3, OF_OBJECTS = 16 };

bool csr_is_generic(const void *type) { return (descriptor_of(type)[0] & (generic | singleton)) != 0; }

bool csr_is_surely_not_final(const void *type) {
  const uint32_t *methods = csr_is_generic(type) ? NULL : methods_of(descriptor_of(type));
  if (methods == NULL) return false;
  for (uint32_t i = 0; i < methods[1]; i++) {
    // A final class has initializers in the table, too.
    if ((methods[2 + 2 * i] & KIND) != INITIALIZER) return true;
  }
  return false;
}

bool csr_stores_by_functions(const void *type) {
  // The second word of a class is its superclass. The first one of all has none.
  uint32_t superclasses = 0;
  for (const void *const *next = type; next != NULL; next = next[1]) superclasses |= descriptor_of(next)[0];
  return (descriptor_of(type)[0] & generic) != 0 && (superclasses & resilient_superclass) != 0;
}

bool csr_may_override_getter(const void *type, const void *superclass) {
  const uint32_t *methods = methods_of(descriptor_of(superclass));
  void *const *words = type, *const *originals = superclass;
  if (methods == NULL) return true;
  for (uint32_t i = 0; i < methods[1]; i++) {
    bool is_getter = (methods[2 + 2 * i] & (KIND | OF_OBJECTS)) == (GETTER | OF_OBJECTS);
    if (is_getter && words[methods[0] + i] != originals[methods[0] + i]) return true;
  }
  return false;
}

// A key path: the header of an object, a pointer, a word with the size of the rest and flags, then for each component its flags and, of a
// computed property, what tells it from all others, its getter, and its setter if it has one. What tells it is, in a class, the place of
// its getter among the methods of the descriptor, or, if no class can override it, the getter itself. Then there may be the size of
// arguments and a table of functions for them: what a subscript is called with, or the parameters of a generic class.
extern const void *const swift_keyPathGenericWitnessTable[];

static bool is_computed(const void *key_path) {
  const uint32_t flags = ((const uint32_t *)key_path)[8], kind = 0x7F300000, computed = 0x02000000;
  return (flags & kind) == computed;
}

static uintptr_t identity_of(const void *key_path) { return ((const uintptr_t *)key_path)[5]; }

static bool is_property_alone(const void *key_path) {
  const uint32_t single_component = 0x20000000, settable = 0x00400000, arguments = 0x00080000;
  const uint32_t *words = key_path, flags = words[8];
  const uintptr_t *end = (const uintptr_t *)key_path + ((flags & settable) != 0 ? 8 : 7);
  if ((words[6] & single_component) == 0) return false;
  return !is_computed(key_path) || (flags & arguments) == 0 || end[1] == (uintptr_t)swift_keyPathGenericWitnessTable;
}

static bool is_settable(const void *key_path) { return (((const uint32_t *)key_path)[8] & 0x00400000) != 0; }

int csr_overrides_property(const void *type, const void *superclass, const void *key_path, bool is_own) {
  const uint32_t *descriptor = descriptor_of(superclass), *methods = methods_of(descriptor);
  if (!is_property_alone(key_path)) return -1;
  if (methods == NULL || !is_computed(key_path)) return 1;
  void *const *words = (void *const *)type + methods[0], *const *originals = (void *const *)superclass + methods[0];
  uintptr_t getter = identity_of(key_path), place = (getter - (uintptr_t)(methods + 2)) / (2 * sizeof(uint32_t));
  if (place < methods[1]) return words[place] != originals[place];
  if (is_own) return -1;
  // A getter that overrides one, and cannot be overridden itself. A word of the table is the getter, or a function around it, where the value
  // is passed in another way: the property is overridden with another type or for more readers, or its type is a parameter of the class. What
  // overrides a property that can be set overrides the setter, too.
  const uint32_t kind = KIND | OF_OBJECTS;
  for (uint32_t i = 0; i < methods[1]; i++) {
    bool is_setter = (methods[2 + 2 * i] & kind) == (SETTER | OF_OBJECTS);
    if ((uintptr_t)words[i] == getter || (is_settable(key_path) && is_setter && words[i] != originals[i])) return 1;
  }
  return (descriptor[0] & generic) != 0 && csr_may_override_getter(type, superclass) ? 1 : -1;
}

int csr_is_same_property(const void *type, const void *superclass, const void *declared, const void *key_path) {
  const uint32_t *a = declared, *b = key_path;
  if (!is_property_alone(declared) || !is_property_alone(key_path)) return -1;
  // A stored one is its flags, with the offset. A very large one is elsewhere.
  bool is_stored = (a[8] & 0x7F000000) == 0x03000000 && (a[8] & 0x007FFFFC) != 0x007FFFFC;
  if (!is_computed(declared) || !is_computed(key_path)) return is_stored && a[8] == b[8] ? 1 : -1;
  uintptr_t getter = identity_of(key_path);
  if (identity_of(declared) == getter) return 1;
  // The table that has the declared one is that of the class which introduces it.
  for (const void *const *next = superclass; next != NULL; next = next[1]) {
    const uint32_t *methods = methods_of(descriptor_of(next));
    if (methods == NULL) return -1;
    uintptr_t place = (identity_of(declared) - (uintptr_t)(methods + 2)) / (2 * sizeof(uint32_t));
    if (place >= methods[1]) continue;
    uintptr_t word = ((const uintptr_t *)type)[methods[0] + place];
    if (word == getter) return 1;
    return word == ((const uintptr_t *)next)[methods[0] + place] ? 0 : -1;
  }
  return 0;
}
#endif

#ifdef __linux__
// Of libdispatch, whose headers are not in the C compiler's path. Asserting that a queue is the current one ends the process if it is
// not; a value that the queue has, and those that target it, can be asked for.
typedef struct dispatch_queue_s dispatch_queue;
extern dispatch_queue _dispatch_main_q;
extern void dispatch_queue_set_specific(dispatch_queue *queue, const void *key, void *value, void (*destructor)(void *));
extern void *dispatch_get_specific(const void *key);

bool csr_is_on_main_queue(void) {
  static char key;
  static atomic_bool is_set;
  if (!atomic_load_explicit(&is_set, memory_order_acquire)) {
    dispatch_queue_set_specific(&_dispatch_main_q, &key, &key, NULL);
    atomic_store_explicit(&is_set, true, memory_order_release);
  }
  return dispatch_get_specific(&key) != NULL;
}
#else
bool csr_is_on_main_queue(void) { return false; }
#endif

static _Thread_local int held_locks;

uintptr_t csr_this_thread(void) { return (uintptr_t)&held_locks; }

int csr_add_held_locks(int change) { return held_locks += change; }
