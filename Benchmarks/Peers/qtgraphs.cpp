// The third set: Qt 6 QProperty with setBinding. The Swift systems have the same graphs in BenchKit/Graphs.swift.

#include <QtCore/QProperty>

#include <cstring>
#include <deque>
#include <memory>

#include "bench.hpp"

using Number = QProperty<long>;
static const char *const systemName = "Qt 6 QProperty";
static long told;

struct Sink {
  Number *number;
  void operator()() const {
    bench_called();
    told = number->value();
  }
};
using Handler = QPropertyChangeHandler<Sink>;

static long sum(long a, long b) { return long((unsigned long)a + (unsigned long)b); }
static long difference(long a, long b) { return long((unsigned long)a - (unsigned long)b); }

/// A graph: what it is made of, how it is changed, whether it is right.
struct Graph {
  std::deque<Number> numbers;
  QProperty<std::vector<long>> list;
  std::vector<Handler> handlers;
  std::vector<long> values;
  long total = 0;
  std::function<void(long)> change;
  std::function<bool(long)> isRight;

  Number *add() { return &numbers.emplace_back(0); }
  template <class Function>
  Number *derive(Function function) {
    Number *number = add();
    number->setBinding([function] {
      bench_computed();
      return function();
    });
    return number;
  }
  void sink(Number *number) { handlers.push_back(number->onValueChanged(Sink{number})); }
};

static void make(Graph &graph, const std::string &name, long n) {
  graph.handlers.reserve(size_t(n) + 8);
  Number *source = graph.add();
  graph.change = [=](long turn) { source->setValue(turn); };
  if (name == "deep") {
    Number *last = source;
    for (long i = 0; i < n; i++) last = graph.derive([last] { return last->value() + 1; });
    graph.sink(last);
    graph.isRight = [=](long turn) { return told == turn + n; };
  } else if (name == "broad") {
    std::vector<Number *> all;
    for (long i = 0; i < n; i++) {
      Number *first = graph.derive([=] { return source->value() + i; });
      all.push_back(graph.derive([first] { return first->value() + 1; }));
    }
    for (auto number : all) graph.sink(number);
    graph.isRight = [=](long turn) {
      for (long i = 0; i < n; i++)
        if (all[size_t(i)]->value() != turn + i + 1) return false;
      return true;
    };
  } else if (name == "diamond") {
    std::vector<Number *> sides;
    for (long i = 0; i < n; i++) sides.push_back(graph.derive([=] { return source->value() + 1; }));
    graph.sink(graph.derive([sides] {
      long result = 0;
      for (auto side : sides) result += side->value();
      return result;
    }));
    graph.isRight = [=](long turn) { return told == n * (turn + 1); };
  } else if (name == "triangle") {
    std::vector<Number *> chain{source};
    for (long i = 0; i < n; i++) chain.push_back(graph.derive([last = chain.back()] { return last->value() + 1; }));
    graph.sink(graph.derive([chain] {
      long result = 0;
      for (auto number : chain) result += number->value();
      return result;
    }));
    graph.isRight = [=](long turn) { return told == (n + 1) * turn + n * (n + 1) / 2; };
  } else if (name == "mux") {
    std::vector<Number *> sources;
    for (long i = 0; i < n; i++) sources.push_back(graph.add());
    auto list = &graph.list;
    list->setBinding([sources] {
      bench_computed();
      std::vector<long> values;
      values.reserve(sources.size());
      for (auto number : sources) values.push_back(number->value());
      return values;
    });
    for (long i = 0; i < n; i++) graph.sink(graph.derive([=] { return list->value()[size_t(i)] + 1; }));
    graph.change = [=](long turn) { sources[size_t(turn % n)]->setValue(turn); };
    graph.isRight = [](long turn) { return told == turn + 1; };
  } else if (name == "avoidable") {
    Number *first = graph.derive([=] { return source->value(); });
    Number *nothing = graph.derive([=] { return first->value() * 0; });
    Number *third = graph.derive([=] { return nothing->value() + 1; });
    Number *fourth = graph.derive([=] { return third->value() + 2; });
    Number *last = graph.derive([=] { return fourth->value() + 3; });
    graph.sink(last);
    graph.isRight = [=](long) { return last->value() == 6; };
  } else if (name == "repeated") {
    graph.sink(graph.derive([=] {
      long result = 0;
      for (int i = 0; i < 30; i++) result += source->value();
      return result;
    }));
    graph.isRight = [](long turn) { return told == 30 * turn; };
  } else if (name == "unstable") {
    Number *twice = graph.derive([=] { return source->value() * 2; });
    Number *inverse = graph.derive([=] { return -source->value(); });
    graph.sink(graph.derive([=] {
      long result = 0;
      for (int i = 0; i < 20; i++) result += source->value() % 2 ? twice->value() : inverse->value();
      return result;
    }));
    graph.isRight = [](long turn) { return told == (turn % 2 ? 40 * turn : -20 * turn); };
  } else if (name == "cellx") {
    std::vector<Number *> sources, layer;
    for (int i = 0; i < 4; i++) sources.push_back(graph.add());
    layer = sources;
    for (long i = 0; i < n; i++) {
      auto former = layer;
      layer = {graph.derive([=] { return former[1]->value(); }),
               graph.derive([=] { return difference(former[0]->value(), former[2]->value()); }),
               graph.derive([=] { return sum(former[1]->value(), former[3]->value()); }),
               graph.derive([=] { return former[2]->value(); })};
    }
    for (auto number : layer) graph.sink(number);
    graph.change = [=](long turn) {
      Qt::beginPropertyUpdateGroup();
      for (int i = 0; i < 4; i++) sources[size_t(i)]->setValue((i + 1) * turn);
      Qt::endPropertyUpdateGroup();
    };
    graph.isRight = [=](long turn) {
      long values[4] = {turn, 2 * turn, 3 * turn, 4 * turn};
      for (long i = 0; i < n; i++) {
        long next[4] = {values[1], difference(values[0], values[2]), sum(values[1], values[3]), values[2]};
        std::memcpy(values, next, sizeof values);
      }
      for (size_t i = 0; i < 4; i++)
        if (layer[i]->value() != values[i]) return false;
      return true;
    };
  } else if (name == "sheet") {
    std::vector<Number *> cells;
    for (long row = 0; row < n; row++)
      for (long column = 0; column < n; column++) {
        Number *left = column ? cells[size_t(row * n + column - 1)] : nullptr;
        Number *above = row ? cells[size_t((row - 1) * n + column)] : nullptr;
        cells.push_back(left || above ? graph.derive([=] { return sum(left ? left->value() : 0, above ? above->value() : 0); })
                                      : graph.derive([=] { return source->value(); }));
      }
    graph.sink(cells.back());
    graph.isRight = [=](long turn) {
      std::vector<long> values(size_t(n * n));
      for (long i = 0; i < n * n; i++)
        values[size_t(i)] =
            i ? sum(i % n ? values[size_t(i - 1)] : 0, i >= n ? values[size_t(i - n)] : 0) : turn;
      return told == values.back();
    };
  } else {
    std::vector<Number *> sources;
    for (long i = 0; i < n; i++) sources.push_back(graph.add());
    graph.sink(graph.derive([sources] {
      long result = 0;
      for (auto number : sources) result += number->value();
      return result;
    }));
    graph.values.resize(size_t(n));
    auto &values = graph.values;
    auto &total = graph.total;
    graph.change = [=, &values, &total](long turn) {
      long index = turn * 7919 % n;
      total += turn - values[size_t(index)];
      values[size_t(index)] = turn;
      sources[size_t(index)]->setValue(turn);
    };
    graph.isRight = [&total](long) { return told == total; };
  }
}

static std::vector<bench::Line> run(const std::string &name, long n, int samples) {
  auto graph = std::make_unique<Graph>();
  make(*graph, name, n);
  long turn = 0;
  auto change = [&] { graph->change(++turn); };
  auto checkLast = [&] { bench::check(name.c_str(), graph->isRight(turn), 1); };
  for (int i = 0; i < 4; i++) change();
  auto before = bench_get_tally();
  for (int i = 0; i < 16; i++) {
    change();
    auto tally = bench_get_tally();
    checkLast();
    bench_set_tally(tally);
  }
  auto behind = bench_get_tally();
  auto times = bench::sampled(samples, 1, [&](long count) {
    while (count--) change();
  });
  checkLast();
  return {{name, "ns/change", times},
          {name + "-computations", "per change", {double(behind.computations - before.computations) / 16}},
          {name + "-calls", "per change", {double(behind.calls - before.calls) / 16}}};
}

/// A source, a value derived from it, and its handler, in one object: made, and dropped.
struct Pair {
  Number source{1}, derived;
};

static std::vector<bench::Line> pairs(long n, int samples) {
  std::vector<double> builds, drops, bytes;
  for (int sample = 0; sample < samples; sample++) {
    bench_tidy_heap();
    std::vector<std::unique_ptr<Pair>> all;
    std::vector<Handler> handlers;
    all.reserve(size_t(n));
    handlers.reserve(size_t(n));
    size_t empty = bench_heap_bytes();
    uint64_t start = bench_now();
    for (long i = 0; i < n; i++) {
      auto pair = std::make_unique<Pair>();
      pair->derived.setBinding([pair = pair.get()] {
        bench_computed();
        return pair->source.value() + 1;
      });
      handlers.push_back(pair->derived.onValueChanged(Sink{&pair->derived}));
      all.push_back(std::move(pair));
    }
    builds.push_back(double(bench_now() - start) / double(n));
    bytes.push_back(double(bench_heap_bytes() - empty) / double(n) + sizeof(Handler));
    all[size_t(n / 2)]->source.setValue(5);
    bench::check("pairs value", told, 6);
    start = bench_now();
    handlers.clear();
    all.clear();
    drops.push_back(double(bench_now() - start) / double(n));
  }
  return {{"pairs", "ns/build", builds}, {"pairs-drop", "ns/drop", drops}, {"pairs-bytes", "bytes/pair", bytes}};
}

int main(int argc, char **argv) {
  std::vector<bench::Cell> cells;
  // A sheet of 100 by 100 and 100 layers of cellx have no end: a value is computed once for each way that leads to it.
  std::vector<std::pair<const char *, std::vector<long>>> graphs = {
      {"deep", {50}},     {"broad", {50}},   {"diamond", {5}},  {"triangle", {10}}, {"mux", {100}},
      {"avoidable", {1}}, {"repeated", {1}}, {"unstable", {1}}, {"cellx", {10}},    {"sheet", {8}},
      {"total", {1000, 10000, 100000}}};
  for (auto &[name, sizes] : graphs)
    bench::addSized(cells, systemName, name, sizes, [name = std::string(name)](long n, int samples) { return run(name, n, samples); });
  bench::addSized(cells, systemName, "pairs", {100000}, pairs);
  return bench::benchMain(argc, argv, cells);
}
