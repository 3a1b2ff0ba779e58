// The protocol
//
// Structure. A hook is one thing that the teardown of an object does: it runs a callback, or releases a value. Hooks
// are in a hash table by object, whose buckets are trees, ordered by object, then kind (callbacks, CDH_FIRST values,
// CDH_LAST values), then token or key. So the hooks of an object are side by side in the order in which its teardown
// needs them, and teardown takes out the first hook of the object until there is none. An object without hooks takes
// no memory. The table is cut into stripes by address, each with a lock, trees of its own, and a part of the list of
// members.
//
// Live → dying → gone. While `cdh_teardown` runs, a node on its stack is in the stripe's list of the dying, and
// nothing is added to the object. Each hook is taken out of its tree under the lock, and called without it. Others may
// take out hooks of a dying object too (`cdh_dissociate`, `cdh_cancel`); whoever takes a hook out is the one to
// release it, which is why each is released exactly once. The list of the dying is as long as there are teardowns at a
// time, nested or parallel.
//
// Locks. A stripe's lock guards everything in the stripe. The allocator is read with any of the locks held and written
// with all. Only fork and `cdh_set_allocator` hold more than one, taken in ascending order; an operation holds one,
// and not while it calls out. Memory is allocated and freed, and `retain` called, under the lock; callbacks and
// release functions run outside. A token comes from the stripe's counter, which never goes back, and an address stays
// with its stripe, so an old token cannot name a new callback.
//
// fork(). Handlers take all locks before and give them back after, on both sides, so that a child of a program with
// threads finds every stripe whole and may use the table. A teardown that another thread was in stays under way for
// ever in the child, as that thread does not exist there. Fork must not be called from an allocator or a `retain`
// function.

#include "CDeallocHookPrivate.h"

static void end(const cdh_hook *taken) {
  if (taken->release) taken->release(taken->value);
}

cdh_result cdh_associate(const void *object, const void *key, void *value, cdh_release_fn release, cdh_order order) {
  cdh_hook new = {.object = object, .id = (uintptr_t)key, .value = value, .release = release};
  new.kind = order == CDH_LAST ? CDH_VALUE_LAST : CDH_VALUE_FIRST;
  cdh_hook old = {.release = NULL};
  cdh_stripe *stripe = cdh_lock_stripe_of(object);
  cdh_result result = cdh_add(stripe, &new, cdh_find_value(stripe, object, key), &old);
  cdh_unlock(stripe);
  end(&old);
  return result;
}

void *cdh_associated(const void *object, const void *key, cdh_retain_fn retain) {
  cdh_stripe *stripe = cdh_lock_stripe_of(object);
  cdh_hook *found = cdh_find_value(stripe, object, key);
  void *value = found ? found->value : NULL;
  if (value && retain) value = retain(value);
  cdh_unlock(stripe);
  return value;
}

bool cdh_dissociate(const void *object, const void *key) {
  cdh_hook taken = {.release = NULL};
  cdh_stripe *stripe = cdh_lock_stripe_of(object);
  bool found = cdh_take_out(stripe, cdh_find_value(stripe, object, key), &taken);
  cdh_unlock(stripe);
  end(&taken);
  return found;
}

cdh_result cdh_on_teardown(const void *object, cdh_callback_fn callback, void *context, cdh_release_fn release,
                           uint64_t *token) {
  cdh_stripe *stripe = cdh_lock_stripe_of(object);
  cdh_hook new = {.object = object, .callback = callback, .value = context, .release = release};
  new.id = stripe->last_token + 1;
  cdh_result result = cdh_add(stripe, &new, NULL, NULL);
  if (result == CDH_OK) *token = stripe->last_token = new.id;
  cdh_unlock(stripe);
  return result;
}

bool cdh_cancel(const void *object, uint64_t token) {
  cdh_hook taken = {.release = NULL};
  cdh_stripe *stripe = cdh_lock_stripe_of(object);
  bool found = cdh_take_out(stripe, cdh_find(stripe, object, CDH_CALLBACK, token), &taken);
  cdh_unlock(stripe);
  end(&taken);
  return found;
}

void cdh_teardown(const void *object) {
  cdh_stripe *stripe = cdh_lock_stripe_of(object);
  if (!cdh_find_dying(stripe, object)) {
    cdh_dying dying = {.object = object};
    LIST_INSERT_HEAD(&stripe->dying, &dying, link);
    for (cdh_hook taken; cdh_take_out(stripe, cdh_find_first(stripe, object), &taken);) {
      cdh_unlock(stripe);
      if (taken.callback) taken.callback(object, taken.value);
      end(&taken);
      cdh_lock(stripe);
    }
    LIST_REMOVE(&dying, link);
  }
  cdh_unlock(stripe);
}

bool cdh_is_dying(const void *object) {
  cdh_stripe *stripe = cdh_lock_stripe_of(object);
  bool result = cdh_find_dying(stripe, object);
  cdh_unlock(stripe);
  return result;
}

size_t cdh_live_entries(void) {
  size_t count = 0;
  for (int i = 0; i < CDH_STRIPES; i++) {
    cdh_lock(&cdh_stripes[i]);
    count += cdh_count_objects(&cdh_stripes[i]);
    cdh_unlock(&cdh_stripes[i]);
  }
  return count;
}

void cdh_join(cdh_member *member) {
  cdh_stripe *stripe = cdh_lock_stripe_of(member);
  LIST_INSERT_HEAD(&stripe->members, member, link);
  cdh_unlock(stripe);
}

void cdh_leave(cdh_member *member) {
  cdh_stripe *stripe = cdh_lock_stripe_of(member);
  LIST_REMOVE(member, link);
  cdh_unlock(stripe);
}

size_t cdh_collect(cdh_try_retain_fn retain, void **values, size_t capacity) {
  size_t count = 0;
  for (int i = 0; i < CDH_STRIPES; i++) {
    cdh_lock(&cdh_stripes[i]);
    cdh_member *member;
    LIST_FOREACH(member, &cdh_stripes[i].members, link) {
      // Those beyond the capacity are only counted.
      void *value = count < capacity ? retain(member) : NULL;
      if (value) values[count] = value;
      count += value || count >= capacity;
    }
    cdh_unlock(&cdh_stripes[i]);
  }
  return count;
}

void cdh_set_allocator(const cdh_allocator *allocator) {
  cdh_lock_all();
  for (int i = 0; i < CDH_STRIPES; i++)
    if (cdh_count_objects(&cdh_stripes[i]) != 0) cdh_fatal("cdh_set_allocator is called while the table is not empty");
  cdh_injected = allocator ? *allocator : (cdh_allocator){NULL, NULL};
  cdh_unlock_all();
}
