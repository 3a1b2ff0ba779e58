/* Two derived values, d = x + y and r = d, of which r is observed. Two threads set x and y; with -DREADERS=1 a third one only reads r. Whoever marks r
 * first refreshes it. When all threads are done, r must be what x and y are.
 *
 * A process is a thread; an atomic block is one section of the lock of the expression's object, or one atomic operation. The sources
 * are read outside of any block: the functions of derived values are user code.
 *
 * Built with one of -DMARK_LATE, -DNO_COUNT, -DSTOP_AT_MARKED or -DNO_VERSION a guard is left out, and spin must
 * find the error. */

#ifndef CHANGES
#define CHANGES 1           /* how often each thread sets its source */
#endif

#ifndef READERS
#define READERS 0
#endif

#define CLEAN 0
#define CHECK 1
#define DIRTY 2

byte x, y;
byte keptD, keptR;
byte markD, markR;          /* what has to be done */
byte countD, countR;        /* and how often that was said */
byte evaluatorD, evaluatorR;    /* the thread of the last evaluation, if that is not over */
byte versionD, versionR;
byte busy;

#define IS_READER (evaluatorR != me)
#ifdef NO_COUNT
#define IS_UNTOUCHED (markR == CHECK)
#else
#define IS_UNTOUCHED (markR == CHECK && countR == known)
#endif
#ifdef NO_VERSION
#define IS_CURRENT_D true
#else
#define IS_CURRENT_D (versionD == mineD)
#endif
#define IS_KEPT_D (markD == CLEAN && evaluatorD == 0)
#ifdef STOP_AT_MARKED
#define GOES_ON (!wasMarked)
#else
#define GOES_ON true
#endif

/* Expression.markReaders: not what this thread evaluates, which gets the new value now. */
inline markReaders() {
    atomic {
        if
        :: value != before && IS_READER -> markR = DIRTY; countR++
        :: else
        fi
    }
}

/* Expression.evaluate, of d. */
inline evaluateD() {
    isMarked = true;
    do
    :: isMarked ->
        atomic { versionD++; mineD = versionD; evaluatorD = me; markD = CLEAN; before = keptD };
        value = x;
        value = value + y;
        atomic {
            isMarked = false;
            if
            :: IS_CURRENT_D ->
#ifndef MARK_LATE
                markReaders();
#endif
                keptD = value; evaluatorD = 0; isCurrent = true
            :: else -> isCurrent = false
            fi
        };
#ifdef MARK_LATE
        if :: isCurrent -> markReaders() :: else fi;
#endif
        atomic { isMarked = (isCurrent && markD != CLEAN) }
    :: else -> break
    od
}

/* Expression.refresh, of d, which has no derived sources. */
inline refreshD() {
    atomic { isDone = (markD == CLEAN && evaluatorD == 0) || evaluatorD == me };
    if :: isDone :: else -> evaluateD() fi
}

/* The value of d for the function of r: the kept one, or one that is computed for it. */
inline readD() {
    refreshD();
    atomic {
        if
        :: IS_KEPT_D -> read = keptD; isDone = true
        :: else -> isDone = false
        fi
    };
    if :: isDone :: else -> read = x; read = read + y fi
}

inline evaluateR() {
    isMarkedR = true;
    do
    :: isMarkedR ->
        atomic { versionR++; mineR = versionR; evaluatorR = me; markR = CLEAN };
        readD();
        atomic {
            if
            :: versionR == mineR -> keptR = read; evaluatorR = 0; isMarkedR = (markR != CLEAN)
            :: else -> isMarkedR = false
            fi
        }
    :: else -> break
    od
}

/* Expression.refresh, of r. */
inline refreshR() {
    step = CHECK;
    do
    :: step == CHECK ->
        atomic {
            step = markR;
            known = countR;
            if :: evaluatorR != 0 && evaluatorR != me -> step = DIRTY :: else fi
        };
        if
        :: step == DIRTY -> evaluateR()
        :: step == CHECK ->
            atomic { isDone = (markD == CLEAN && evaluatorD == 0) };
            if
            :: isDone ->
                /* All that r read is unchanged, unless somebody has marked it meanwhile. */
                atomic { if :: IS_UNTOUCHED -> markR = CLEAN; step = CLEAN :: else fi }
            :: else -> refreshD()
            fi
        :: else
        fi
    :: else -> break
    od
}

/* Sets a source, marks what it concerns, and reads the value for the observers of r. */
proctype Set(byte me; bool isX) {
    byte value, before, read, step, known, mineD, mineR, times;
    bool isDone, isCurrent, isMarked, isMarkedR, wasMarked;
    for (times : 1 .. CHANGES) {
        if :: isX -> x = times :: else -> y = times fi;
        atomic { wasMarked = (markD != CLEAN); markD = DIRTY; countD++ };
        if
        :: GOES_ON -> atomic { if :: markR == CLEAN -> markR = CHECK :: else fi; countR++ }
        :: else
        fi;
        refreshR();
        /* Unless another thread computes r, which then tells its observers. */
        atomic { if :: markR == CLEAN && evaluatorR == 0 -> assert(keptR >= times) :: else fi }
    }
    busy--
}

proctype Read(byte me) {
    byte value, before, read, step, known, mineD, mineR;
    bool isDone, isCurrent, isMarked, isMarkedR;
    refreshR();
    busy--
}

init {
    busy = 2 + READERS;
    atomic {
        run Set(1, true);
        run Set(2, false);
        if :: READERS > 0 -> run Read(3) :: else fi
    }
    (busy == 0);
    assert(evaluatorD == 0 && evaluatorR == 0);
    /* A mark that is left by an evaluation that was overtaken costs another evaluation, no more. What has none is right. */
    assert(markD != CLEAN || keptD == x + y);
    assert(markR != CLEAN || keptR == x + y)
}
