// What stands under one address: the first association in place, more of them and the callbacks on the side.

#include "CDeallocHookPrivate.h"

static size_t value_capacity(const cdh_more *more) { return more->values ? (size_t)1 << more->value_bits : 0; }

static size_t home_of(const cdh_more *more, const void *key) {
  return cdh_hash(atomic_load_explicit(&cdh_seed, memory_order_relaxed), key) & (value_capacity(more) - 1);
}

static cdh_more *make_more(cdh_entry *entry) {
  cdh_more *more = cdh_entry_more(entry);
  if (more) return more;
  more = cdh_allocate(1, sizeof *more);
  if (!more) return NULL;
  more->callbacks = &more->only;
  entry->more_and_state |= (uintptr_t)more;
  return more;
}

// Gives back what holds nothing. Not during teardown, which has pointers into it.
static void trim(cdh_entry *entry) {
  cdh_more *more = cdh_entry_more(entry);
  if (more->value_count == 0) {
    cdh_deallocate(more->values);
    more->values = NULL;
  }
  if (more->pending == 0) {
    if (more->callbacks != &more->only) cdh_deallocate(more->callbacks);
    more->callbacks = &more->only;
    more->callback_bits = 0;
    more->length = 0;
  }
  if (more->value_count == 0 && more->pending == 0) {
    cdh_deallocate(more);
    entry->more_and_state &= CDH_STATES;
  }
}

void cdh_entry_free(cdh_entry *entry) {
  cdh_more *more = cdh_entry_more(entry);
  if (!more) return;
  more->value_count = more->pending = 0;
  trim(entry);
}

cdh_value *cdh_entry_find_more(const cdh_entry *entry, const void *key) {
  const cdh_more *more = cdh_entry_more(entry);
  if (!more || !more->values) return NULL;
  size_t mask = value_capacity(more) - 1;
  for (size_t i = home_of(more, key); more->values[i].state != CDH_EMPTY; i = (i + 1) & mask)
    if (more->values[i].key == key && more->values[i].state != CDH_TAKEN) return &more->values[i];
  return NULL;
}

static void insert(cdh_more *more, const cdh_value *value) {
  size_t i = home_of(more, value->key);
  while (more->values[i].state != CDH_EMPTY) i = (i + 1) & (value_capacity(more) - 1);
  more->values[i] = *value;
}

static bool make_room_for_value(cdh_more *more) {
  size_t capacity = value_capacity(more);
  if (capacity && more->value_count < capacity / 4 * 3) return true;
  if (capacity > UINT32_MAX / 2) return false;
  cdh_value *old = more->values;
  cdh_value *values = cdh_allocate(capacity ? capacity * 2 : CDH_FIRST_VALUES, sizeof *values);
  if (!values) return false;
  more->values = values;
  more->value_bits = capacity ? more->value_bits + 1 : __builtin_ctz(CDH_FIRST_VALUES);
  for (size_t i = 0; i < capacity; i++)
    if (old[i].state != CDH_EMPTY) insert(more, &old[i]);
  cdh_deallocate(old);
  return true;
}

static void take_first(cdh_entry *entry, cdh_value *taken) {
  *taken = (cdh_value){entry->key, entry->value, entry->release, cdh_entry_state(entry)};
  entry->more_and_state &= ~(uintptr_t)CDH_STATES;
}

static void put_first(cdh_entry *entry, const cdh_value *value) {
  entry->key = value->key;
  entry->value = value->value;
  entry->release = value->release;
  entry->more_and_state |= value->state;
}

bool cdh_entry_put(cdh_entry *entry, const cdh_value *value, cdh_value *old) {
  if (cdh_entry_state(entry) != CDH_EMPTY && entry->key == value->key) {
    take_first(entry, old);
    put_first(entry, value);
    return true;
  }
  cdh_value *same = cdh_entry_find_more(entry, value->key);
  if (same) {
    *old = *same;
    *same = *value;
    return true;
  }
  if (cdh_entry_state(entry) == CDH_EMPTY) {
    put_first(entry, value);
    return true;
  }
  cdh_more *more = make_more(entry);
  if (!more) return false;
  if (!make_room_for_value(more)) {
    trim(entry);
    return false;
  }
  insert(more, value);
  more->value_count++;
  return true;
}

bool cdh_entry_take(cdh_entry *entry, const void *key, bool dying, cdh_value *taken) {
  if (cdh_entry_state(entry) != CDH_EMPTY && entry->key == key) {
    take_first(entry, taken);
    return true;
  }
  cdh_value *found = cdh_entry_find_more(entry, key);
  if (!found) return false;
  *taken = *found;
  cdh_more *more = cdh_entry_more(entry);
  more->value_count--;
  if (dying) {
    found->state = CDH_TAKEN;
    return true;
  }
  size_t mask = value_capacity(more) - 1, hole = (size_t)(found - more->values);
  for (size_t i = (hole + 1) & mask; more->values[i].state != CDH_EMPTY; i = (i + 1) & mask) {
    if (((i - home_of(more, more->values[i].key)) & mask) < ((i - hole) & mask)) continue;
    more->values[hole] = more->values[i];
    hole = i;
  }
  more->values[hole].state = CDH_EMPTY;
  trim(entry);
  return true;
}

// Closes the gaps that cancelled callbacks left; those that remain keep their order.
static void compact(cdh_more *more) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < more->length; i++)
    if (more->callbacks[i].function) more->callbacks[kept++] = more->callbacks[i];
  more->length = kept;
}

static bool make_room_for_callback(cdh_more *more) {
  uint32_t capacity = (uint32_t)1 << more->callback_bits;
  if (more->length < capacity) return true;
  if (more->pending <= more->length / 2) {
    compact(more);
    return true;
  }
  if (more->callback_bits >= 30) return false;
  bool alone = more->callbacks == &more->only;
  cdh_callback *callbacks =
    cdh_grow(alone ? NULL : more->callbacks, alone ? 0 : capacity, (size_t)capacity * 2, sizeof *callbacks);
  if (!callbacks) return false;
  if (alone) callbacks[0] = more->only;
  more->callbacks = callbacks;
  more->callback_bits++;
  return true;
}

bool cdh_entry_add_callback(cdh_entry *entry, const cdh_callback *callback) {
  cdh_more *more = make_more(entry);
  if (!more) return false;
  if (!make_room_for_callback(more)) {
    trim(entry);
    return false;
  }
  more->callbacks[more->length++] = *callback;
  more->pending++;
  return true;
}

bool cdh_entry_cancel(cdh_entry *entry, uint64_t token, bool dying, cdh_callback *taken) {
  cdh_more *more = cdh_entry_more(entry);
  if (!more) return false;
  uint32_t low = 0, high = more->length;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (more->callbacks[middle].token < token) low = middle + 1;
    else high = middle;
  }
  if (low == more->length || more->callbacks[low].token != token || !more->callbacks[low].function) return false;
  *taken = more->callbacks[low];
  more->callbacks[low].function = NULL;
  more->pending--;
  if (!dying) trim(entry);
  return true;
}
