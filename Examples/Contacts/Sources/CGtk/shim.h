// GTK for Swift, and what Swift cannot import of it: types that are macros with casts.

#ifndef CGTK_SHIM_H
#define CGTK_SHIM_H

#include <gdk/x11/gdkx.h>
#include <glib-unix.h>
#include <gtk/gtk.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <unistd.h>

// Named by the enumeration in another way since GLib 2.74.
static const guint cgtk_non_unique = G_APPLICATION_NON_UNIQUE;

static const GType cgtk_type_object = G_TYPE_OBJECT;
static const GType cgtk_type_boolean = G_TYPE_BOOLEAN;
static const GType cgtk_type_int64 = G_TYPE_INT64;
static const GType cgtk_type_double = G_TYPE_DOUBLE;
static const GType cgtk_type_string = G_TYPE_STRING;

// Linux gives the main thread the number of its process.
static inline bool cgtk_is_main_thread(void) { return getpid() == (pid_t)syscall(SYS_gettid); }

// What libdispatch exports for main loops that are not its own. No header declares it. The handle is an eventfd.
extern int _dispatch_get_main_queue_handle_4CF(void);
extern void _dispatch_main_queue_callback_4CF(void *unused);

#endif
