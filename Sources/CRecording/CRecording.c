#include "CRecording.h"

uintptr_t crc_count;
_Thread_local void *crc_recorder;
