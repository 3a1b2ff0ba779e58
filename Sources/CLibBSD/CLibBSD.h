// What CDeallocHook takes from libbsd. This target exists so that SwiftPM names the package to install (libbsd-dev) when
// the library is missing; the C code includes the headers itself.

#include <bsd/stdlib.h>
#include <bsd/sys/queue.h>
