#include "CRecording.h"

uintptr_t crc_count;
_Thread_local void *crc_recorder;
_Thread_local uintptr_t crc_depth;
