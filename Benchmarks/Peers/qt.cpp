// Qt 6: a signal connected to a slot of a QObject (direct connection), and QProperty with a change handler.

#include <QtCore/QObject>
#include <QtCore/QProperty>
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

int main(int argc, char **argv) {
  std::vector<bench::Cell> cells;
  bench::addCells<Signal>(cells);
  bench::addCells<Property>(cells);
  return bench::benchMain(argc, argv, cells);
}

#include "qt.moc"
