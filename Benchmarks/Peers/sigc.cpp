// sigc++ 2: a slot on a trackable observer, which leaves every signal when it dies. For one thread only.

#include <sigc++/sigc++.h>

#include "bench.hpp"

struct Source {
  long value = 0;
  sigc::signal<void, long> changed;
};

struct Receiver : public sigc::trackable {
  long calls = 0;
  void valueDidChange(long) { calls++; }
};

struct Trackable : bench::Usual {
  static constexpr const char *system = "sigc++ trackable";
  // An observer that dies searches its list for each signal it leaves, so that large sizes take minutes.
  static bool has(const std::string &workload, long n) {
    return bench::usual(workload, n) && (workload != "fanin" || n <= 10000);
  }
  using Target = Source;
  using Observer = Receiver;
  using Token = sigc::connection;
  static Source *makeTarget() { return new Source; }
  static void destroyTarget(Source *target) { delete target; }
  static Receiver *makeObserver() { return new Receiver; }
  static void destroyObserver(Receiver *observer) { delete observer; }
  static long calls(Receiver *observer) { return observer->calls; }
  [[gnu::noinline]] static void set(Source *target, long value) {
    target->value = value;
    target->changed.emit(value);
  }
  static Token add(Receiver *observer, Source *target) {
    return target->changed.connect(sigc::mem_fun(*observer, &Receiver::valueDidChange));
  }
  static void remove(Token &token) { token.disconnect(); }
  static Receiver *makeLife(const std::vector<Source *> &targets) {
    auto life = new Receiver;
    for (auto target : targets) add(life, target);
    return life;
  }
};

int main(int argc, char **argv) {
  std::vector<bench::Cell> cells;
  bench::addCells<Trackable>(cells);
  return bench::benchMain(argc, argv, cells);
}
