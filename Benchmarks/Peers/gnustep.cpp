// GNUstep's key-value observing behind the harness; the Objective-C is in gnustep.m.

#include "gnustep.h"

#include "bench.hpp"

struct Source;
struct Receiver;

struct KeyValueObserving : bench::Usual {
  static constexpr const char *system = "GNUstep KVO";
  static constexpr bool livesWithoutToken = false;
  struct Token {
    Receiver *observer;
    Source *target;
  };
  using Target = Source;
  using Observer = Receiver;
  static constexpr bool observesTwice = false;
  // Adding and removing search the list, so that large sizes take minutes.
  static bool has(const std::string &workload, long n) {
    if (workload == "W7") return n == 10000;
    if (workload == "fanout") return n <= 10000;
    return n <= 100000;
  }
  static bool once(const std::string &workload, long n) { return workload == "W6" && n == 100000; }
  static Source *makeTarget() { return static_cast<Source *>(gnustep_make_target()); }
  static void destroyTarget(Source *target) { gnustep_release(target); }
  static Receiver *makeObserver() { return static_cast<Receiver *>(gnustep_make_observer()); }
  static void destroyObserver(Receiver *observer) { gnustep_release(observer); }
  static long calls(Receiver *observer) { return gnustep_calls(observer); }
  static void set(Source *target, long value) { gnustep_set(target, value); }
  static Token add(Receiver *observer, Source *target) {
    gnustep_add(observer, target, 0);
    return {observer, target};
  }
  static void remove(Token &token) { gnustep_remove(token.observer, token.target, 0); }
  static Receiver *makeLife(const std::vector<Source *> &targets) {
    auto life = static_cast<Receiver *>(gnustep_make_life(targets.size()));
    for (size_t i = 0; i < targets.size(); i++) gnustep_add_to_life(life, i, targets[i]);
    return life;
  }
};

/// The path `child.value`: its leaf set, or its head swapped between two children.
static std::vector<bench::Line> path(bool leaf, int samples) {
  void *root = gnustep_make_target();
  void *children[2] = {gnustep_make_target(), gnustep_make_target()};
  void *observer = gnustep_make_observer();
  gnustep_set_child(root, children[0]);
  gnustep_add(observer, root, 1);
  long value = 0;
  auto result = bench::sampled(samples, 1, [&](long count) {
    for (long i = 0; i < count; i++) {
      value++;
      if (leaf)
        gnustep_set(children[0], value);
      else
        gnustep_set_child(root, children[value % 2]);
    }
  });
  bench::check("path calls", gnustep_calls(observer), value);
  gnustep_remove(observer, root, 1);
  return {{leaf ? "path-leaf" : "path-head", "ns/set", result}};
}

static std::vector<bench::Line> readByName(long, int samples) {
  void *object = gnustep_make_target();
  gnustep_set(object, 7);
  long sum = 0, reads = 0;
  auto result = bench::sampled(samples, 1, [&](long count) {
    for (long i = 0; i < count; i++) sum += gnustep_value_for_key(object);
    reads += count;
  });
  bench::check("value-key value", sum, 7 * reads);
  return {{"value-key", "ns/read", result}};
}

static std::vector<bench::Line> writeByName(long, int samples) {
  void *object = gnustep_make_target();
  long value = 0;
  auto result = bench::sampled(samples, 1, [&](long count) {
    for (long i = 0; i < count; i++) gnustep_set_value_for_key(object, ++value);
  });
  bench::check("set-key value", gnustep_value_for_key(object), value);
  return {{"set-key", "ns/write", result}};
}

static std::vector<void *> chain(long n) {
  std::vector<void *> objects;
  for (long i = 0; i < n; i++) objects.push_back(gnustep_make_target());
  for (long i = 1; i < n; i++) gnustep_set_child(objects[i - 1], objects[i]);
  return objects;
}

static std::vector<bench::Line> readPath(long n, int samples) {
  auto objects = chain(n);
  void *path = gnustep_make_path(n);
  gnustep_set(objects[n - 1], 7);
  long sum = 0, reads = 0;
  auto result = bench::sampled(samples, 1, [&](long count) {
    for (long i = 0; i < count; i++) sum += gnustep_value_for_path(objects[0], path);
    reads += count;
  });
  bench::check("value-path value", sum, 7 * reads);
  return {{"value-path", "ns/read", result}};
}

static std::vector<bench::Line> observePath(long n, int samples) {
  auto objects = chain(n);
  void *path = gnustep_make_path(n);
  void *observer = gnustep_make_observer();
  auto result = bench::sampled(samples, 1, [&](long count) {
    for (long i = 0; i < count; i++) {
      gnustep_add_path(observer, objects[0], path);
      gnustep_remove_path(observer, objects[0], path);
    }
  });
  gnustep_set(objects[n - 1], 1);
  bench::check("path-observe calls once removed", gnustep_calls(observer), 0);
  gnustep_add_path(observer, objects[0], path);
  gnustep_set(objects[n - 1], 2);
  bench::check("path-observe calls", gnustep_calls(observer), 1);
  gnustep_remove_path(observer, objects[0], path);
  return {{"path-observe", "ns/add and remove", result}};
}

/// GNUstep observes no path through an array: its user observes every item, and asks for the sum at each change.
static std::vector<bench::Line> sum(long n, int samples) {
  void *observer = gnustep_make_observer();
  void *table = gnustep_make_table(observer, n);
  void *item = gnustep_item(table, n / 2);
  long value = 0;
  auto result = bench::sampled(samples, 1, [&](long count) {
    for (long i = 0; i < count; i++) gnustep_set(item, ++value);
  });
  bench::check("sum calls", gnustep_calls(observer), value);
  bench::check("sum value", gnustep_sum(observer), value);
  return {{"sum", "ns/set", result}};
}

int main(int argc, char **argv) {
  gnustep_start();
  std::vector<bench::Cell> cells;
  bench::addCells<KeyValueObserving>(cells);
  cells.push_back({KeyValueObserving::system, "path-leaf", 1, false, [](int samples) { return path(true, samples); }});
  cells.push_back({KeyValueObserving::system, "path-head", 1, false, [](int samples) { return path(false, samples); }});
  bench::addSized(cells, KeyValueObserving::system, "value-key", {20}, readByName);
  bench::addSized(cells, KeyValueObserving::system, "set-key", {20}, writeByName);
  bench::addSized(cells, KeyValueObserving::system, "value-path", {1, 3, 100, 10000}, readPath);
  bench::addSized(cells, KeyValueObserving::system, "path-observe", {1, 3, 100, 10000}, observePath);
  bench::addSized(cells, KeyValueObserving::system, "sum", {1, 100, 1000, 10000}, sum);
  return bench::benchMain(argc, argv, cells);
}
