// GObject: a property that notifies, and handlers on notify::value that end with their observer (g_signal_connect_object).

#include <glib-object.h>

#include "bench.hpp"

struct Source {
  GObject parent;
  long value;
};
struct SourceClass {
  GObjectClass parent;
};
static GParamSpec *valueSpec;

G_DEFINE_TYPE(Source, source, G_TYPE_OBJECT)

static void setProperty(GObject *object, guint, const GValue *value, GParamSpec *) {
  reinterpret_cast<Source *>(object)->value = g_value_get_long(value);
}
static void getProperty(GObject *object, guint, GValue *value, GParamSpec *) {
  g_value_set_long(value, reinterpret_cast<Source *>(object)->value);
}
static void source_class_init(SourceClass *type) {
  G_OBJECT_CLASS(type)->set_property = setProperty;
  G_OBJECT_CLASS(type)->get_property = getProperty;
  valueSpec = g_param_spec_long("value", nullptr, nullptr, G_MINLONG, G_MAXLONG, 0,
                                GParamFlags(G_PARAM_READWRITE | G_PARAM_EXPLICIT_NOTIFY | G_PARAM_STATIC_STRINGS));
  g_object_class_install_property(G_OBJECT_CLASS(type), 1, valueSpec);
}
static void source_init(Source *) {}

struct Receiver {
  GObject parent;
  long calls;
};
struct ReceiverClass {
  GObjectClass parent;
};
G_DEFINE_TYPE(Receiver, receiver, G_TYPE_OBJECT)
static void receiver_class_init(ReceiverClass *) {}
static void receiver_init(Receiver *) {}

static void valueDidChange(GObject *, GParamSpec *, gpointer observer) { static_cast<Receiver *>(observer)->calls++; }

struct Notify : bench::Usual {
  static constexpr const char *system = "GObject notify";
  struct Token {
    Source *target;
    gulong id;
  };
  using Target = Source;
  using Observer = Receiver;
  static bool has(const std::string &workload, long n) { return bench::usual(workload, n) && (workload == "W6" || n <= 100000); }
  static Source *makeTarget() { return static_cast<Source *>(g_object_new(source_get_type(), nullptr)); }
  static void destroyTarget(Source *target) { g_object_unref(target); }
  static Receiver *makeObserver() { return static_cast<Receiver *>(g_object_new(receiver_get_type(), nullptr)); }
  static void destroyObserver(Receiver *observer) { g_object_unref(observer); }
  static long calls(Receiver *observer) { return observer->calls; }
  [[gnu::noinline]] static void set(Source *target, long value) {
    target->value = value;
    g_object_notify_by_pspec(&target->parent, valueSpec);
  }
  static Token add(Receiver *observer, Source *target) {
    return {target, g_signal_connect_object(target, "notify::value", G_CALLBACK(valueDidChange), observer, GConnectFlags(0))};
  }
  static void remove(Token &token) { g_signal_handler_disconnect(token.target, token.id); }
  static Receiver *makeLife(const std::vector<Source *> &targets) {
    auto life = makeObserver();
    for (auto target : targets) add(life, target);
    return life;
  }
};

/// Ten sets of each of n objects, whose notifications are frozen meanwhile.
static std::vector<bench::Line> coalesce(long n, int samples) {
  std::vector<Source *> targets;
  Receiver *observer = Notify::makeObserver();
  for (long i = 0; i < n; i++) {
    targets.push_back(Notify::makeTarget());
    Notify::add(observer, targets[i]);
  }
  long value = 0, turns = 0;
  auto result = bench::sampled(samples, 10 * n, [&](long count) {
    for (long turn = 0; turn < count; turn++) {
      turns++;
      for (auto target : targets) g_object_freeze_notify(&target->parent);
      for (int set = 0; set < 10; set++) {
        value++;
        for (auto target : targets) Notify::set(target, value);
      }
      for (auto target : targets) g_object_thaw_notify(&target->parent);
    }
  });
  bench::check("coalesce calls", Notify::calls(observer), turns * n);
  return {{"coalesce", "ns/set", result}};
}

int main(int argc, char **argv) {
  std::vector<bench::Cell> cells;
  bench::addCells<Notify>(cells);
  bench::addSized(cells, Notify::system, "coalesce", {1, 10, 100, 10000}, coalesce);
  return bench::benchMain(argc, argv, cells);
}
