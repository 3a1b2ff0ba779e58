// The harness of the peers that are not Swift: the same workloads, batches and checks as Sources/BenchKit, and the same
// protocol on the command line.
//
// A peer is a struct with
//   Target, Observer       types, handled by pointer;   Token    default-constructible, movable
//   system, callsOnAdd     its name, and how often a handler runs at registration
//   has(workload, n)       whether it takes part
//   makeTarget, destroyTarget, makeObserver, destroyObserver, calls(observer)
//   set(target, value)     noinline
//   add(observer, target) -> Token,  remove(token)
//   livesWithoutToken      whether an observation lives until one of its sides dies
//   makeLife(targets)      an observer of each of them, ended by destroyObserver
//   isForThreads           whether several threads may add and remove on one target
//   observesTwice          whether one observer may observe one key of one target twice

#pragma once

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "CBenchSupport.h"

namespace bench {

struct Line {
  std::string workload, unit;
  std::vector<double> samples;
};

struct Cell {
  std::string system, workload;
  long n;
  bool once;  // so slow that one round takes all samples
  std::function<std::vector<Line>(int)> run;
};

inline void check(const char *what, long actual, long expected) {
  if (actual == expected) return;
  std::fprintf(stderr, "%s: %ld, expected %ld\n", what, actual, expected);
  std::_Exit(3);
}

constexpr uint64_t shortestBatch = 1200000;

template <class Body>
std::vector<double> sampled(int samples, long per, Body body) {
  long count = 1;
  for (;;) {
    uint64_t start = bench_now();
    body(count);
    uint64_t took = bench_now() - start;
    if (took >= shortestBatch) break;
    double wanted = shortestBatch * 1.2 / double(std::max<uint64_t>(took, 100));
    count = std::max(count * 2, std::min(count * 50, long(double(count) * wanted)));
  }
  std::vector<double> result;
  for (int sample = 0; sample < samples; sample++) {
    uint64_t start = bench_now();
    body(count);
    result.push_back(double(bench_now() - start) / double(count * per));
  }
  return result;
}

struct Piece {
  long operations;
  uint64_t took;
};

template <class Make>
std::vector<double> sampledPieces(int samples, Make piece) {
  piece();
  std::vector<double> result;
  for (int sample = 0; sample < samples; sample++) {
    Piece sum{0, 0};
    do {
      Piece next = piece();
      sum.operations += next.operations;
      sum.took += next.took;
    } while (sum.took < shortestBatch);
    result.push_back(double(sum.took) / double(sum.operations));
  }
  return result;
}

/// What a peer takes part in if nothing speaks against it: everything, and W7 at the one usual size.
inline bool usual(const std::string &workload, long n) { return workload != "W7" || n == 100000; }

/// What every peer here has unless it says otherwise.
struct Usual {
  static constexpr long callsOnAdd = 0;
  static constexpr bool livesWithoutToken = true;
  static constexpr bool observesTwice = true;
  static constexpr bool isForThreads = false;
  static bool has(const std::string &workload, long n) { return usual(workload, n); }
  static bool once(const std::string &, long) { return false; }
};

template <class P>
struct Workloads {
  using Target = typename P::Target;
  using Observer = typename P::Observer;
  using Token = typename P::Token;

  static std::vector<Line> setUnobserved(int samples) {
    Target *target = P::makeTarget();
    long value = 0;
    auto result = sampled(samples, 1, [&](long count) {
      for (long i = 0; i < count; i++) P::set(target, ++value);
    });
    P::destroyTarget(target);
    return {{"W1", "ns/set", result}};
  }

  static std::vector<Line> handlers(const char *name, const char *unit, long n, int samples) {
    Target *target = P::makeTarget();
    std::vector<Observer *> observers;
    std::vector<Token> tokens;
    for (long i = 0; i < n; i++) observers.push_back(P::makeObserver());
    for (auto observer : observers) tokens.push_back(P::add(observer, target));
    long value = 0;
    auto result = sampled(samples, n, [&](long count) {
      for (long i = 0; i < count; i++) P::set(target, ++value);
    });
    for (auto observer : observers) check(name, P::calls(observer), value + P::callsOnAdd);
    for (auto &token : tokens) P::remove(token);
    for (auto observer : observers) P::destroyObserver(observer);
    P::destroyTarget(target);
    return {{name, unit, result}};
  }

  static std::vector<Line> addRemove(bool besides, int samples) {
    Target *target = P::makeTarget();
    Observer *other = P::makeObserver();
    Observer *observer = P::makeObserver();
    Token otherToken{};
    if (besides) otherToken = P::add(other, target);
    long added = 0;
    auto result = sampled(samples, 1, [&](long count) {
      for (long i = 0; i < count; i++) {
        Token token = P::add(observer, target);
        P::remove(token);
      }
      added += count;
    });
    P::set(target, 1);
    check("W4 calls once removed", P::calls(observer), added * P::callsOnAdd);
    check("W4 calls of the other", P::calls(other), besides ? 1 + P::callsOnAdd : 0);
    Token token = P::add(observer, target);
    P::set(target, 2);
    check("W4 calls while added", P::calls(observer), (added + 1) * P::callsOnAdd + 1);
    P::remove(token);
    if (besides) P::remove(otherToken);
    P::destroyObserver(observer);
    P::destroyObserver(other);
    P::destroyTarget(target);
    return {{besides ? "W4b" : "W4", "ns/add and remove", result}};
  }

  static std::vector<Line> observerLife(int samples) {
    std::vector<Target *> targets;
    for (int i = 0; i < 10; i++) targets.push_back(P::makeTarget());
    auto result = sampled(samples, 10, [&](long count) {
      for (long i = 0; i < count; i++) P::destroyObserver(P::makeLife(targets));
    });
    Observer *life = P::makeLife(targets);
    for (auto target : targets) P::set(target, 1);
    check("W5 calls", P::calls(life), 10 * (1 + P::callsOnAdd));
    P::destroyObserver(life);
    for (auto target : targets) P::set(target, 2);  // a handler that was left behind would touch freed memory
    for (auto target : targets) P::destroyTarget(target);
    return {{"W5", "ns/observation", result}};
  }

  static std::vector<Line> removeMiddle(long n, int samples) {
    struct Side {
      Target *target;
      std::vector<Observer *> observers;
      std::vector<Token> tokens;
    };
    std::vector<Side> sides(std::max(1L, 2000 / n));
    for (auto &side : sides) {
      side.target = P::makeTarget();
      for (long i = 0; i < n; i++) side.observers.push_back(P::makeObserver());
      for (auto observer : side.observers) side.tokens.push_back(P::add(observer, side.target));
    }
    long block = 1;
    auto piece = [&]() -> Piece {
      long first = n / 2 - block / 2;
      uint64_t start = bench_now();
      for (auto &side : sides)
        for (long i = first; i < first + block; i++) P::remove(side.tokens[i]);
      uint64_t took = bench_now() - start;
      for (auto &side : sides) {
        auto &o = side.observers;
        auto &t = side.tokens;
        std::rotate(o.begin() + first, o.begin() + first + block, o.end());
        t.erase(t.begin() + first, t.begin() + first + block);
        for (long i = n - block; i < n; i++) t.push_back(P::add(o[i], side.target));
      }
      return {block * long(sides.size()), took};
    };
    piece();
    uint64_t once = std::max<uint64_t>(1, piece().took / sides.size());
    block = std::max(1L, std::min({n / 10, 1000L, long(4000000 / once)}));
    auto result = sampledPieces(samples, piece);

    for (auto &side : sides) {
      std::vector<long> before;
      for (auto observer : side.observers) before.push_back(P::calls(observer));
      P::set(side.target, 1);
      for (long i = 0; i < n; i++) check("W6 calls", P::calls(side.observers[i]), before[i] + 1);
      if constexpr (P::livesWithoutToken) {
        P::destroyTarget(side.target);
        for (auto observer : side.observers) P::destroyObserver(observer);
      } else {
        for (auto &token : side.tokens) P::remove(token);
        for (auto observer : side.observers) P::destroyObserver(observer);
        P::destroyTarget(side.target);
      }
    }
    return {{"W6", "ns/removal", result}};
  }

  static std::vector<Line> bytes(long n, bool oneTarget, int samples) {
    std::vector<double> result;
    for (int sample = 0; sample < samples; sample++) result.push_back(bytes(n, oneTarget));
    return {{oneTarget ? "W7" : "W7t", "bytes/observation", result}};
  }

  static double bytes(long n, bool oneTarget) {
    bench_tidy_heap();
    std::vector<Observer *> observers;
    for (long i = 0; i < (oneTarget && !P::observesTwice ? n : 1); i++) observers.push_back(P::makeObserver());
    std::vector<Target *> targets;
    for (long i = 0; i < (oneTarget ? 1 : n); i++) targets.push_back(P::makeTarget());
    std::vector<Token> tokens;
    tokens.reserve(n);
    size_t before = bench_heap_bytes();
    for (long i = 0; i < n; i++) {
      Token token = P::add(observers[i % observers.size()], targets[oneTarget ? 0 : i]);
      if (!P::livesWithoutToken) tokens.push_back(std::move(token));
    }
    size_t after = bench_heap_bytes();
    for (auto target : targets) P::set(target, 1);
    for (auto observer : observers)
      check("W7 calls", P::calls(observer), n / long(observers.size()) * (1 + P::callsOnAdd));
    for (auto &token : tokens) P::remove(token);
    for (auto target : targets) P::destroyTarget(target);
    for (auto observer : observers) P::destroyObserver(observer);
    return double(after - before) / double(n);
  }

  struct Meeting {
    int expected;
    std::atomic<int> arrived{0};
    void arrive() {
      arrived.fetch_add(1);
      while (arrived.load(std::memory_order_acquire) < expected) {
      }
    }
  };

  struct Job {
    Meeting *meeting;
    long count;
    uint64_t start, end;
  };

  static void *work(void *context) {
    auto job = static_cast<Job *>(context);
    Target *target = P::makeTarget();
    Observer *observer = P::makeObserver();
    Token token = P::add(observer, target);
    long value = 0;
    for (long i = 0; i < job->count / 10; i++) P::set(target, ++value);
    job->meeting->arrive();
    job->start = bench_now();
    for (long i = 0; i < job->count; i++) P::set(target, ++value);
    job->end = bench_now();
    check("W8 calls", P::calls(observer), value + P::callsOnAdd);
    P::remove(token);
    P::destroyObserver(observer);
    P::destroyTarget(target);
    return nullptr;
  }

  static uint64_t took(long count, int threads) {
    Meeting meeting{threads};
    std::vector<Job> jobs(threads, Job{&meeting, count, 0, 0});
    std::vector<pthread_t> ids(threads);
    for (int i = 0; i < threads; i++)
      if (pthread_create(&ids[i], nullptr, work, &jobs[i]) != 0) check("threads started", i, threads);
    for (auto id : ids) pthread_join(id, nullptr);
    uint64_t start = jobs[0].start, end = jobs[0].end;
    for (auto &job : jobs) {
      start = std::min(start, job.start);
      end = std::max(end, job.end);
    }
    return end - start;
  }

  static std::vector<Line> threads(int samples) {
    long count = 1000;
    while (took(count, 1) < shortestBatch) count *= 2;
    std::vector<double> one, two;
    for (int i = 0; i < samples * 4; i++) {  // two free cores at once are rarer than one
      one.push_back(double(took(count, 1)) / double(count));
      two.push_back(double(took(count, 2)) / double(count));
    }
    return {{"W8-1", "ns/set", one}, {"W8-2", "ns/set", two}};
  }

  static std::vector<Line> scale(const std::string &shape, long n, int samples) {
    bool fanOut = shape == "fanout", fanIn = shape == "fanin";
    long targetCount = fanOut ? 1 : n, observerCount = fanIn ? 1 : n;
    long rounds = std::max(1L, 10000 / n);
    std::vector<Target *> targets;
    std::vector<Observer *> observers;
    std::vector<Token> tokens;
    targets.reserve(targetCount);
    observers.reserve(observerCount);
    tokens.reserve(n);
    std::vector<double> build, notify, teardown, bytes;
    for (int sample = 0; sample <= samples; sample++) {
      uint64_t spentBuild = 0, spentNotify = 0, spentTeardown = 0;
      size_t held = 0;
      for (long round = 0; round < rounds; round++) {
        bench_tidy_heap();
        size_t empty = bench_heap_bytes();
        uint64_t start = bench_now();
        for (long i = 0; i < n; i++) {
          if (i < targetCount) targets.push_back(P::makeTarget());
          if (i < observerCount) observers.push_back(P::makeObserver());
          Token token = P::add(observers.back(), targets.back());
          if (!P::livesWithoutToken) tokens.push_back(std::move(token));
        }
        uint64_t built = bench_now();
        held += bench_heap_bytes() - empty;
        uint64_t ready = bench_now();
        for (auto target : targets) P::set(target, 1);
        uint64_t notified = bench_now();
        for (auto observer : observers)
          check(shape.c_str(), P::calls(observer), n / observerCount * (1 + P::callsOnAdd));
        uint64_t ending = bench_now();
        for (auto &token : tokens) P::remove(token);
        tokens.clear();
        if (fanIn) P::destroyObserver(observers[0]);
        for (auto target : targets) P::destroyTarget(target);
        if (!fanIn)
          for (auto observer : observers) P::destroyObserver(observer);
        targets.clear();
        observers.clear();
        uint64_t gone = bench_now();
        spentBuild += built - start;
        spentNotify += notified - ready;
        spentTeardown += gone - ending;
      }
      if (sample == 0) continue;
      double items = double(n * rounds);
      build.push_back(double(spentBuild) / items);
      notify.push_back(double(spentNotify) / items);
      teardown.push_back(double(spentTeardown) / items);
      bytes.push_back(double(held) / items);
    }
    return {{shape + "-build", "ns/item", build},
            {shape + "-notify", "ns/item", notify},
            {shape + "-teardown", "ns/item", teardown},
            {shape + "-bytes", "bytes/item", bytes}};
  }

  /// Runs `body(meeting, index, job)` on that many threads; the job takes its start and end.
  template <class Body>
  static std::vector<Job> together(int threads, Body body) {
    Meeting meeting{threads};
    std::vector<Job> jobs(threads, Job{&meeting, 0, 0, 0});
    std::vector<std::thread> running;
    for (int i = 0; i < threads; i++) running.emplace_back([&, i] { body(meeting, i, jobs[i]); });
    for (auto &thread : running) thread.join();
    return jobs;
  }

  static uint64_t elapsed(const std::vector<Job> &jobs) {
    uint64_t start = jobs[0].start, end = jobs[0].end;
    for (auto &job : jobs) {
      start = std::min(start, job.start);
      end = std::max(end, job.end);
    }
    return end - start;
  }

  static std::vector<Line> sharedChurn(long n, int samples) {
    Target *shared = P::makeTarget();
    std::vector<Observer *> others;
    std::vector<Token> tokens;
    for (long i = 0; i < n; i++) others.push_back(P::makeObserver());
    for (auto other : others) tokens.push_back(P::add(other, shared));
    Observer *visitors[2] = {P::makeObserver(), P::makeObserver()};
    auto nanoseconds = [&](long count, int threads) {
      auto jobs = together(threads, [&](Meeting &meeting, int index, Job &job) {
        Target *own = P::makeTarget();
        Observer *observer = P::makeObserver();
        Token token = P::add(observer, own);
        meeting.arrive();
        job.start = bench_now();
        for (long value = 1; value <= count; value++) {
          P::set(own, value);
          Token visit = P::add(visitors[index], shared);
          P::remove(visit);
        }
        job.end = bench_now();
        check("shared-churn calls", P::calls(observer), count + P::callsOnAdd);
        P::remove(token);
        P::destroyObserver(observer);
        P::destroyTarget(own);
      });
      return double(elapsed(jobs)) / double(count);
    };
    long count = 100;
    while (nanoseconds(count, 1) * double(count) < shortestBatch) count *= 2;
    std::vector<double> one, two;
    for (int i = 0; i < samples * 2; i++) {
      one.push_back(nanoseconds(count, 1));
      two.push_back(nanoseconds(count, 2));
    }
    P::set(shared, 1);
    for (auto other : others) check("shared-churn calls of the others", P::calls(other), 1 + P::callsOnAdd);
    for (auto visitor : visitors) check("shared-churn calls once removed", P::calls(visitor), 0);
    for (auto &token : tokens) P::remove(token);
    for (auto other : others) P::destroyObserver(other);
    for (auto visitor : visitors) P::destroyObserver(visitor);
    P::destroyTarget(shared);
    return {{"shared-churn-1", "ns/turn", one}, {"shared-churn", "ns/turn", two}};
  }

  static std::vector<Line> storm(long n, int samples) {
    Target *target = P::makeTarget();
    std::vector<Observer *> observers[2];
    std::vector<Token> kept[2];
    for (auto &list : observers)
      for (long i = 0; i < n; i++) list.push_back(P::makeObserver());
    long rounds = std::max(1L, 4000 / n);
    auto add = [&](int index) {
      for (auto observer : observers[index]) kept[index].push_back(P::add(observer, target));
    };
    auto remove = [&](int index) {
      for (auto &token : kept[index]) P::remove(token);
      kept[index].clear();
    };
    std::vector<double> result;
    for (int sample = 0; sample <= samples * 2; sample++) {
      auto jobs = together(2, [&](Meeting &meeting, int index, Job &job) {
        kept[index].reserve(n);
        meeting.arrive();
        job.start = bench_now();
        for (long round = 0; round < rounds; round++) {
          add(index);
          remove(index);
        }
        job.end = bench_now();
      });
      if (sample > 0) result.push_back(double(elapsed(jobs)) / double(n * rounds));
    }
    together(2, [&](Meeting &, int index, Job &) { add(index); });
    P::set(target, 1);
    together(2, [&](Meeting &, int index, Job &) { remove(index); });
    P::set(target, 2);
    for (auto &list : observers)
      for (auto observer : list) {
        check("storm calls", P::calls(observer), 1);
        P::destroyObserver(observer);
      }
    P::destroyTarget(target);
    return {{"storm", "ns/add and remove", result}};
  }

  static std::vector<Line> deliverAndRemove(long n, int samples) {
    Target *target = P::makeTarget();
    std::vector<Observer *> observers;
    std::vector<Token> tokens;
    for (long i = 0; i < n; i++) observers.push_back(P::makeObserver());
    for (auto observer : observers) tokens.push_back(P::add(observer, target));
    Observer *visitor = P::makeObserver();
    long value = 0, count = std::max(1L, 1000 / n);
    std::vector<double> result, removals;
    auto nanoseconds = [&] {
      std::atomic<bool> isOver{false};
      long added = 0, first = value;
      auto jobs = together(2, [&](Meeting &meeting, int index, Job &job) {
        meeting.arrive();
        job.start = bench_now();
        if (index == 0) {
          for (long turn = 1; turn <= count; turn++) P::set(target, first + turn);
          isOver.store(true, std::memory_order_release);
        } else {
          for (; !isOver.load(std::memory_order_acquire); added++) {
            Token token = P::add(visitor, target);
            P::remove(token);
          }
        }
        job.end = bench_now();
      });
      value += count;
      removals.push_back(double(jobs[1].end - jobs[1].start) / double(std::max(1L, added)));
      return double(jobs[0].end - jobs[0].start) / double(count * n);
    };
    while (nanoseconds() * double(count * n) < shortestBatch) count *= 2;
    removals.clear();
    for (int i = 0; i < samples * 2; i++) result.push_back(nanoseconds());
    for (auto observer : observers) check("deliver-remove calls", P::calls(observer), value + P::callsOnAdd);
    long before = P::calls(visitor);
    P::set(target, value + 1);
    check("deliver-remove calls once removed", P::calls(visitor), before);
    for (auto &token : tokens) P::remove(token);
    for (auto observer : observers) P::destroyObserver(observer);
    P::destroyObserver(visitor);
    P::destroyTarget(target);
    return {{"deliver-remove", "ns/handler", result}, {"deliver-remove-other", "ns/add and remove", removals}};
  }

  static std::vector<Line> run(const std::string &workload, long n, int samples) {
    if (workload == "W1") return setUnobserved(samples);
    if (workload == "W2") return handlers("W2", "ns/set", 1, samples);
    if (workload == "W3") return handlers("W3", "ns/handler", n, samples);
    if (workload == "W4") return addRemove(false, samples);
    if (workload == "W4b") return addRemove(true, samples);
    if (workload == "W5") return observerLife(samples);
    if (workload == "W6") return removeMiddle(n, samples);
    if (workload == "W7") return bytes(n, true, samples);
    if (workload == "W7t") return bytes(n, false, samples);
    if (workload == "W8") return threads(samples);
    if constexpr (P::isForThreads) {
      if (workload == "shared-churn") return sharedChurn(n, samples);
      if (workload == "storm") return storm(n, samples);
      if (workload == "deliver-remove") return deliverAndRemove(n, samples);
    }
    return scale(workload, n, samples);
  }
};

/// Cells of a workload of the second set: `run(n, samples)` at each of the sizes.
template <class Run>
void addSized(std::vector<Cell> &cells, const char *system, const char *workload, std::vector<long> sizes, Run run) {
  for (long n : sizes) cells.push_back({system, workload, n, false, [=](int samples) { return run(n, samples); }});
}

template <class P>
void addCells(std::vector<Cell> &cells) {
  std::vector<std::pair<const char *, std::vector<long>>> all = {
      {"W1", {1}}, {"W2", {1}}, {"W3", {1000}}, {"W4", {1}}, {"W4b", {1}}, {"W5", {1}},
      {"W6", {100, 10000, 100000, 1000000}}, {"W7", {10000, 100000}}, {"W7t", {100000}}, {"W8", {1}}};
  for (auto shape : {"objects", "fanout", "fanin"}) all.push_back({shape, {1000, 10000, 100000, 1000000}});
  if (P::isForThreads)
    for (auto workload : {"shared-churn", "storm", "deliver-remove"}) all.push_back({workload, {1, 100, 10000}});
  for (auto &[workload, sizes] : all)
    for (long n : sizes)
      if (P::has(workload, n)) {
        std::string name = workload;
        cells.push_back({P::system, name, n, P::once(workload, n), [=](int samples) { return Workloads<P>::run(name, n, samples); }});
      }
}

inline int benchMain(int argc, char **argv, const std::vector<Cell> &cells) {
  if (argc == 2 && !std::strcmp(argv[1], "list")) {
    for (auto &cell : cells)
      std::printf("{\"system\":\"%s\",\"workload\":\"%s\",\"n\":%ld,\"once\":%s}\n", cell.system.c_str(), cell.workload.c_str(),
                  cell.n, cell.once ? "true" : "false");
    return 0;
  }
  long n = argc == 5 ? std::atol(argv[3]) : 0;
  int samples = argc == 5 ? std::atoi(argv[4]) : 0;
  for (auto &cell : cells) {
    if (samples < 1 || cell.system != argv[1] || cell.workload != argv[2] || cell.n != n) continue;
    bench_start();
    for (auto &line : cell.run(samples)) {
      std::printf("{\"system\":\"%s\",\"workload\":\"%s\",\"n\":%ld,\"unit\":\"%s\",\"samples\":[", cell.system.c_str(),
                  line.workload.c_str(), n, line.unit.c_str());
      for (size_t i = 0; i < line.samples.size(); i++) std::printf("%s%.4f", i ? "," : "", line.samples[i]);
      std::printf("]}\n");
    }
    return 0;
  }
  std::fprintf(stderr, "usage: %s list | SYSTEM WORKLOAD N SAMPLES\n", argv[0]);
  return 2;
}

}  // namespace bench
