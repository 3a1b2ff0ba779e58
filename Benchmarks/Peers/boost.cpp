// boost::signals2: a plain slot, and a slot that tracks its observer by a shared pointer.

#include <boost/make_shared.hpp>
#include <boost/signals2.hpp>

#include "bench.hpp"

namespace signals = boost::signals2;

struct Source {
  long value = 0;
  signals::signal<void(long)> changed;
};

struct Receiver {
  long calls = 0;
  std::vector<signals::scoped_connection> held;
  void valueDidChange(long) { calls++; }
};

struct Plain : bench::Usual {
  static constexpr const char *system = "boost::signals2";
  static constexpr bool isForThreads = true;
  using Target = Source;
  using Observer = Receiver;
  using Token = signals::connection;
  static Source *makeTarget() { return new Source; }
  static void destroyTarget(Source *target) { delete target; }
  static Receiver *makeObserver() { return new Receiver; }
  static void destroyObserver(Receiver *observer) { delete observer; }
  static long calls(Receiver *observer) { return observer->calls; }
  [[gnu::noinline]] static void set(Source *target, long value) {
    target->value = value;
    target->changed(value);
  }
  static Token add(Receiver *observer, Source *target) {
    return target->changed.connect([observer](long value) { observer->valueDidChange(value); });
  }
  static void remove(Token &token) { token.disconnect(); }
  static Receiver *makeLife(const std::vector<Source *> &targets) {
    auto life = new Receiver;
    life->held.reserve(10);
    for (auto target : targets) life->held.emplace_back(add(life, target));
    return life;
  }
};

struct Tracked : bench::Usual {
  static constexpr const char *system = "boost::signals2 tracked";
  struct Shared {
    boost::shared_ptr<Receiver> receiver = boost::make_shared<Receiver>();
  };
  using Target = Source;
  using Observer = Shared;
  using Token = signals::connection;
  static bool has(const std::string &workload, long n) {
    // A tracked slot is taken out by a later signal or connect, not by its observer's death; the others are the plain slot's.
    return workload == "W2" || workload == "W3" || workload == "W4" || workload == "W5" || (workload == "W7" && n == 100000) || workload == "W8";
  }
  static Source *makeTarget() { return new Source; }
  static void destroyTarget(Source *target) { delete target; }
  static Shared *makeObserver() { return new Shared; }
  static void destroyObserver(Shared *observer) { delete observer; }
  static long calls(Shared *observer) { return observer->receiver->calls; }
  [[gnu::noinline]] static void set(Source *target, long value) {
    target->value = value;
    target->changed(value);
  }
  static Token add(Shared *observer, Source *target) {
    using Slot = signals::signal<void(long)>::slot_type;
    return target->changed.connect(Slot(&Receiver::valueDidChange, observer->receiver.get(), boost::placeholders::_1)
                                       .track(observer->receiver));
  }
  static void remove(Token &token) { token.disconnect(); }
  static Shared *makeLife(const std::vector<Source *> &targets) {
    auto life = new Shared;
    for (auto target : targets) add(life, target);
    return life;
  }
};

int main(int argc, char **argv) {
  std::vector<bench::Cell> cells;
  bench::addCells<Plain>(cells);
  bench::addCells<Tracked>(cells);
  return bench::benchMain(argc, argv, cells);
}
