// Qt 6: a signal connected to a slot of a QObject (direct connection), and QProperty with a change handler.

#include <QtCore/QObject>
#include <QtCore/QProperty>
#include <QtCore/QVariant>
#include <memory>
#include <optional>

#include "bench.hpp"

class Source : public QObject {
  Q_OBJECT
 public:
  void setValue(long value) {
    if (m_value == value) return;
    m_value = value;
    emit valueChanged(value);
  }
 signals:
  void valueChanged(long value);

 private:
  long m_value = 0;
};

class Receiver : public QObject {
  Q_OBJECT
 public:
  long calls = 0;
 public slots:
  void valueDidChange(long) { calls++; }
};

struct Signal : bench::Usual {
  static constexpr const char *system = "Qt 6 signal";
  static constexpr bool isForThreads = true;
  using Target = Source;
  using Observer = Receiver;
  using Token = QMetaObject::Connection;
  static Source *makeTarget() { return new Source; }
  static void destroyTarget(Source *target) { delete target; }
  static Receiver *makeObserver() { return new Receiver; }
  static void destroyObserver(Receiver *observer) { delete observer; }
  static long calls(Receiver *observer) { return observer->calls; }
  [[gnu::noinline]] static void set(Source *target, long value) { target->setValue(value); }
  static Token add(Receiver *observer, Source *target) {
    return QObject::connect(target, &Source::valueChanged, observer, &Receiver::valueDidChange, Qt::DirectConnection);
  }
  static void remove(Token &token) { QObject::disconnect(token); }
  static Receiver *makeLife(const std::vector<Source *> &targets) {
    auto life = new Receiver;
    for (auto target : targets) add(life, target);
    return life;
  }
};

// A QProperty's handler has no observer but the code in it: the token is what must live, one block on the heap each.
struct Tally {
  long calls = 0;
  struct Handler {
    Tally *tally;
    void operator()() const { tally->calls++; }
  };
  std::vector<std::unique_ptr<QPropertyChangeHandler<Handler>>> held;
};

struct Holder {
  QProperty<long> value{0};
};

struct Property : bench::Usual {
  static constexpr const char *system = "Qt 6 QProperty";
  static constexpr bool livesWithoutToken = false;
  using Target = Holder;
  using Observer = Tally;
  using Token = std::unique_ptr<QPropertyChangeHandler<Tally::Handler>>;
  static Holder *makeTarget() { return new Holder; }
  static void destroyTarget(Holder *target) { delete target; }
  static Tally *makeObserver() { return new Tally; }
  static void destroyObserver(Tally *observer) { delete observer; }
  static long calls(Tally *observer) { return observer->calls; }
  [[gnu::noinline]] static void set(Holder *target, long value) { target->value = value; }
  static Token add(Tally *observer, Holder *target) {
    return std::make_unique<QPropertyChangeHandler<Tally::Handler>>(target->value, Tally::Handler{observer});
  }
  static void remove(Token &token) { token.reset(); }
  static Tally *makeLife(const std::vector<Holder *> &targets) {
    auto life = new Tally;
    life->held.reserve(10);
    for (auto target : targets) life->held.push_back(add(life, target));
    return life;
  }
};

/// A class of twenty properties, read and written by name.
class Keyed : public QObject {
  Q_OBJECT
  Q_PROPERTY(long key1 MEMBER m_value)
  Q_PROPERTY(long key2 MEMBER m_value)
  Q_PROPERTY(long key3 MEMBER m_value)
  Q_PROPERTY(long key4 MEMBER m_value)
  Q_PROPERTY(long key5 MEMBER m_value)
  Q_PROPERTY(long key6 MEMBER m_value)
  Q_PROPERTY(long key7 MEMBER m_value)
  Q_PROPERTY(long key8 MEMBER m_value)
  Q_PROPERTY(long key9 MEMBER m_value)
  Q_PROPERTY(long key10 MEMBER m_value)
  Q_PROPERTY(long key11 MEMBER m_value)
  Q_PROPERTY(long key12 MEMBER m_value)
  Q_PROPERTY(long key13 MEMBER m_value)
  Q_PROPERTY(long key14 MEMBER m_value)
  Q_PROPERTY(long key15 MEMBER m_value)
  Q_PROPERTY(long key16 MEMBER m_value)
  Q_PROPERTY(long key17 MEMBER m_value)
  Q_PROPERTY(long key18 MEMBER m_value)
  Q_PROPERTY(long key19 MEMBER m_value)
  Q_PROPERTY(long value READ value WRITE setValue)
 public:
  long value() const { return m_value; }
  void setValue(long value) { m_value = value; }

 private:
  long m_value = 7;
};

static std::vector<bench::Line> readByName(long, int samples) {
  Keyed object;
  long sum = 0, reads = 0;
  auto result = bench::sampled(samples, 1, [&](long count) {
    for (long i = 0; i < count; i++) sum += object.property("value").value<long>();
    reads += count;
  });
  bench::check("value-key value", sum, 7 * reads);
  return {{"value-key", "ns/read", result}};
}

static std::vector<bench::Line> writeByName(long, int samples) {
  Keyed object;
  long value = 0;
  auto result = bench::sampled(samples, 1, [&](long count) {
    for (long i = 0; i < count; i++) object.setProperty("value", QVariant::fromValue(++value));
  });
  bench::check("set-key value", object.value(), value);
  return {{"set-key", "ns/write", result}};
}

[[gnu::noinline]] static void setFirst(QProperty<long> &property, long value) { property = value; }

/// Bindings one after the other, of which the first property is set.
static std::vector<bench::Line> hops(long n, int samples) {
  std::vector<QProperty<long>> properties(n + 1);
  for (long i = 1; i <= n; i++) properties[i].setBinding([source = &properties[i - 1]] { return source->value(); });
  long value = 0;
  auto result = bench::sampled(samples, n, [&](long count) {
    for (long i = 0; i < count; i++) {
      setFirst(properties[0], ++value);
      bench::check("bind-hop value of the last", properties[n].value(), value);
    }
  });
  return {{"bind-hop", "ns/hop", result}};
}

/// Ten sets of each of n properties in one update group.
static std::vector<bench::Line> coalesce(long n, int samples) {
  std::vector<Holder *> holders;
  std::vector<Tally *> tallies;
  std::vector<Property::Token> tokens;
  for (long i = 0; i < n; i++) {
    holders.push_back(new Holder);
    tallies.push_back(new Tally);
    tokens.push_back(Property::add(tallies[i], holders[i]));
  }
  long value = 0, turns = 0;
  auto result = bench::sampled(samples, 10 * n, [&](long count) {
    for (long turn = 0; turn < count; turn++) {
      turns++;
      Qt::beginPropertyUpdateGroup();
      for (int set = 0; set < 10; set++) {
        value++;
        for (auto holder : holders) Property::set(holder, value);
      }
      Qt::endPropertyUpdateGroup();
    }
  });
  for (auto tally : tallies) bench::check("coalesce calls", tally->calls, turns);
  return {{"coalesce", "ns/set", result}};
}

int main(int argc, char **argv) {
  std::vector<bench::Cell> cells;
  bench::addCells<Signal>(cells);
  bench::addCells<Property>(cells);
  bench::addSized(cells, "Qt 6 property", "value-key", {20}, readByName);
  bench::addSized(cells, "Qt 6 property", "set-key", {20}, writeByName);
  bench::addSized(cells, Property::system, "bind-hop", {1, 100, 10000}, hops);
  bench::addSized(cells, Property::system, "coalesce", {1, 10, 100, 10000}, coalesce);
  return bench::benchMain(argc, argv, cells);
}

#include "qt.moc"
