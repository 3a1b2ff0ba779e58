/* Two derived values, d = x + y and r = d, of which r is observed. Threads set x and y, -DREADERS of them only read r. Whoever marks r
 * first refreshes it. A thread that sets tells the observers of r, if it finds d by the links of x or y. When all threads are done, r must be what
 * x and y are, and observers must have been told that.
 *
 * A process is a thread; an atomic block is one section of the lock of the expression's object, or one atomic operation. The sources
 * are read outside of any block: the functions of derived values are user code.
 *
 * Built with one of -DMARK_LATE, -DNO_COUNT, -DSTOP_AT_MARKED, -DNO_VERSION, -DLOOK_ONCE or -DKEEP_LAST_ONLY a guard is left out, and spin must
 * find the error. */

#ifndef CHANGES
#define CHANGES 1           /* how often each thread sets its source */
#endif

#ifndef SETTERS
#define SETTERS 2
#endif

#ifndef READERS
#define READERS 0
#endif

#ifndef READS
#define READS 1             /* how often a reader does */
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
byte lastOverD, lastOverR;      /* the newest evaluation that is over */
byte linksX = 1, linksY = 1;    /* links of d's evaluations in the lists of x and y */
bool hasSources = true;         /* whether d has those of the newest one that is over */
byte told;                      /* the largest value that observers of r have been told */
byte busy;

#define IS_READER (evaluatorR != me)
#ifdef NO_COUNT
#define IS_UNTOUCHED (markR == CHECK)
#else
#define IS_UNTOUCHED (markR == CHECK && countR == known)
#endif
#ifdef NO_VERSION
#define IS_KEPT(version, last, mine) true
#else
#ifdef KEEP_LAST_ONLY
#define IS_KEPT(version, last, mine) (version == mine)
#else
#define IS_KEPT(version, last, mine) (mine > last)
#endif
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

/* Expression.evaluate, of d. It compares its value with the kept one again if another thread has replaced that. */
inline evaluateD() {
    isMarked = true;
    do
    :: isMarked ->
        atomic {
            versionD++; mineD = versionD; evaluatorD = me; markD = CLEAN;
            isOwn = !hasSources; hasSources = false
        };
        /* Each link is added before the read. */
        if :: isOwn -> linksX++ :: else fi;
        value = x;
        if :: isOwn -> linksY++ :: else fi;
        value = value + y;
        atomic {
            before = keptD;
            isCurrent = (versionD == mineD);
            if
            :: IS_KEPT(versionD, lastOverD, mineD) ->
#ifndef MARK_LATE
                markReaders();
#endif
                keptD = value; lastOverD = mineD;
                isLeft = hasSources; hasSources = true;
                if :: isCurrent -> evaluatorD = 0 :: else fi
            :: else -> isLeft = true
            fi
        };
#ifdef MARK_LATE
        if :: isCurrent -> markReaders() :: else fi;
#endif
        if :: isLeft -> linksX--; linksY-- :: else fi;
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
            :: IS_KEPT(versionR, lastOverR, mineR) ->
                keptR = read; lastOverR = mineR;
                if
                :: versionR == mineR -> evaluatorR = 0; isMarkedR = (markR != CLEAN)
                :: else -> isMarkedR = false
                fi
            :: else -> isMarkedR = false
            fi
        }
    :: else -> break
    od
}

/* Expression.refresh, of r: d is looked at once, unless r is marked again meanwhile. */
inline refreshR() {
    step = CHECK;
    isPassed = false;
    do
    :: step == CHECK ->
        atomic {
            step = markR;
#ifndef LOOK_ONCE
            if :: countR != known -> isPassed = false :: else fi;
#endif
            known = countR;
            if :: evaluatorR != 0 && evaluatorR != me -> step = DIRTY :: else fi
        };
        if
        :: step == DIRTY -> evaluateR()
        :: step == CHECK ->
            atomic { isDone = isPassed || (markD == CLEAN && evaluatorD == 0); isPassed = true };
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
    bool isDone, isCurrent, isMarked, isMarkedR, wasMarked, isOwn, isLeft, isFound, isPassed;
    for (times : 1 .. CHANGES) {
        if :: isX -> x = times :: else -> y = times fi;
        if :: isX -> isFound = (linksX > 0) :: else -> isFound = (linksY > 0) fi;
        if
        :: isFound ->
            atomic { wasMarked = (markD != CLEAN); markD = DIRTY; countD++ };
            if
            :: GOES_ON -> atomic { if :: markR == CLEAN -> markR = CHECK :: else fi; countR++ }
            :: else
            fi;
            refreshR();
            atomic {
                isDone = (markR == CLEAN && evaluatorR == 0);
                if :: isDone -> read = keptR; assert(read >= times) :: else fi
            };
            /* Another thread computes r: this one computes a value for itself. */
            if :: isDone :: else -> readD() fi;
            atomic { if :: read > told -> told = read :: else fi }
        :: else
        fi
    }
    busy--
}

proctype Read(byte me) {
    byte value, before, read, step, known, mineD, mineR, times;
    bool isDone, isCurrent, isMarked, isMarkedR, isOwn, isLeft, isPassed;
    for (times : 1 .. READS) { refreshR() }
    busy--
}

init {
    busy = SETTERS + READERS;
    atomic {
        run Set(1, true);
        if :: SETTERS > 1 -> run Set(2, false) :: else fi;
        if :: READERS > 0 -> run Read(3) :: else fi;
        if :: READERS > 1 -> run Read(4) :: else fi
    }
    (busy == 0);
    assert(evaluatorD == 0 && evaluatorR == 0);
    /* A mark that is left by an evaluation that was overtaken costs another evaluation, no more. What has none is right. */
    assert(markD != CLEAN || keptD == x + y);
    assert(markR != CLEAN || keptR == x + y);
    assert(told == x + y);
    assert(linksX == 1 && linksY == 1 && hasSources)
}
