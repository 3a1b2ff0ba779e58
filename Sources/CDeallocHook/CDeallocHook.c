#include "CDeallocHook.h"
