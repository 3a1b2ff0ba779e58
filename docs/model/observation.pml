/* One observation of one key: registered, walked, removed, fired and armed again, while either side dies.
 *
 * How this maps to the code stands in README.md. A process is a thread. An atomic block is one section of a record's lock
 * or one atomic operation; between them anything may happen. What a lock guards is touched only in such a block, so the
 * locks themselves are not modelled. `assert` is a property; a thread that cannot go on before its end is a deadlock.
 *
 * Built with one of -DNO_HOLDS, -DNO_RECHECK, -DNO_TRYRETAIN, -DNO_STATE_UNDER_LOCK, -DNO_EXCHANGE, -DCHAINED a guard is left
 * out, and spin must find the error that it prevents: check.sh makes sure of that. */

#ifndef WALKS
#define WALKS 2         /* changes of the property, each by a thread of its own, so that walks overlap */
#endif

/* The observation's state, an atomic word. */
mtype = { live, fired, ended };
mtype state = live;

/* Guarded by the target's lock. */
mtype = { none, linked, leaving, left };
mtype membership = none;
byte holds = 0;             /* walks that have the node in their hands */
bool hasClosure = true;     /* the closure's two words are in the observation */
byte closureReleases = 0;
bool targetIsMarked = false;  /* the record says isDying */

/* Guarded by the observer's lock. */
bool isHeld = false;
bool observerIsMarked = false;

/* Reference counts. The handle is the reference of whoever registered; `dropped` says it is gone. */
byte references = 1;        /* of the observation: handle, list, threads at work on it */
bool isFreed = false;
byte observerReferences = 1;
bool observerDied = false;  /* the deinit has begun: tryRetain fails from here on */
byte targetReferences = 1;  /* the program's; each walk has one more, since who writes has the object */
bool targetDied = false;

byte calls = 0;             /* handlers running now */
byte ends = 0;              /* times that the end was announced */
bool endIsVisible = false;  /* some remove() has returned */
#ifndef ONCE
#define ONCE 0          /* registered with .once, and armed again by a thread of its own */
#endif

#define touch()    assert(!isFreed)
#define isLive     (state == live)

/* Dropping a reference is atomic in the code too. The last one frees the observation, and the closure if it is there. */
inline release() {
    atomic {
        touch();
        assert(references > 0);
        references--;
        if
        :: references == 0 ->
            assert(membership != linked && membership != leaving);   /* the list owns what it has */
            assert(!isHeld);                                         /* the observer's list owns nothing */
            assert(holds == 0);
            isFreed = true;
            if :: hasClosure -> hasClosure = false; closureReleases++ :: else fi
        :: else
        fi
    }
}

/* Under the target's lock: the closure is given to the caller, who releases it outside. */
inline takeClosure(taken) {
    taken = false;
    if
#ifdef NO_HOLDS
    :: hasClosure -> hasClosure = false; taken = true
#else
    :: hasClosure && holds == 0 -> hasClosure = false; taken = true
#endif
    :: else
    fi
}

inline releaseClosure(taken) {
    if
    :: taken ->
        d_step { assert(calls == 0); closureReleases++; taken = false }
    :: else
    fi
}

/* ObjectRecord.hold, under the observer's lock. */
inline hold() {
    atomic {
        touch();
        if
        :: observerIsMarked || observerDied -> isHeldNow = false
#ifdef NO_STATE_UNDER_LOCK
        :: else -> assert(!isHeld); isHeld = true; isHeldNow = true
#else
        :: else -> isHeld = (isHeld || isLive); isHeldNow = true
#endif
        fi
    }
}

/* ObjectRecord.letGo, under the observer's lock. */
inline letGo(unlessLive) {
    atomic {
        touch();
        if
#ifdef NO_STATE_UNDER_LOCK
        :: isHeld -> isHeld = false
#else
        :: isHeld && !(unlessLive && isLive) -> isHeld = false
#endif
        :: else
        fi
    }
}

/* ObjectRecord.link, under the target's lock. */
inline link() {
    atomic {
        touch();
        isLinkedNow = !(targetIsMarked || targetDied);
        if
#ifdef NO_STATE_UNDER_LOCK
        :: isLinkedNow ->
            assert(membership != linked);   /* linked twice: the list is torn */
#else
        :: isLinkedNow && membership != linked && isLive ->
#endif
            if
            :: membership != leaving -> references++    /* the list's own */
            :: else                                     /* which it still has */
            fi;
            membership = linked
        :: else
        fi
    }
}

/* ObjectRecord.unlink, under the target's lock; `taking` takes the closure in the same go. */
inline unlink(taking, unlessLive, taken, isGone) {
    atomic {
        touch();
        taken = false;
        isGone = false;
        if
#ifdef NO_STATE_UNDER_LOCK
        :: membership == linked ->
#else
        :: membership == linked && !(unlessLive && isLive) ->
#endif
            if
            :: holds > 0 -> membership = leaving
            :: else -> membership = left; isGone = true
            fi
        :: else
        fi;
        if :: taking -> takeClosure(taken) :: else fi
    }
    if :: isGone -> release() :: else fi
}

/* KeyValueObservation.end. The caller has a reference, and says whether the observer may still hold the observation. */
inline end(mayBeHeld) {
#ifdef NO_EXCHANGE
    touch();
    mine = (state != ended);
    if :: mine -> state = ended :: else fi;
#else
    atomic {
        touch();
        mine = (state != ended);
        if :: mine -> state = ended :: else fi
    }
#endif
    if
    :: mine ->
        if :: mayBeHeld -> letGo(true) :: else fi;
        unlink(true, false, taken, isGone);
        releaseClosure(taken);
        atomic { touch(); ends++; assert(ends == 1) }
    :: else
    fi
}

/* What a walk does with the node: takes it into its hands, asks it, calls, lets go. */
proctype Walk() {
    bool isMine, mine, taken, isGone, isCalled, goneNode;
    /* The writer has the target; a dead target is not written. */
    atomic {
        if
        :: targetReferences > 0 && !targetDied -> targetReferences++
        :: else -> goto done
        fi
    }
    atomic {
        isMine = false;
        if
        :: membership == linked -> touch(); holds++; isMine = true
        :: else
        fi
    }
    if
    :: isMine ->
        isCalled = false;
        /* Asked again right before the call. */
        atomic {
            touch();
#ifdef NO_RECHECK
            isCalled = true;
#else
            isCalled = (state == live);
#endif
            assert(!(isCalled && endIsVisible))     /* no call starts after a remove() has returned */
        }
        if
        :: isCalled && ONCE ->
            /* .once: whoever gets the state from live to fired makes the call, and detaches. */
            atomic {
                touch();
                if
                :: state == live -> state = fired
                :: else -> isCalled = false
                fi
            }
            if
            :: isCalled ->
                unlink(false, true, taken, isGone);
                letGo(true)
            :: else
            fi
        :: else
        fi;
        if
        :: isCalled ->
            atomic {
#ifdef NO_TRYRETAIN
                observerReferences++
#else
                if
                :: !observerDied && observerReferences > 0 -> observerReferences++
                :: else -> isCalled = false
                fi
#endif
            }
            if
            :: isCalled ->
                atomic {
                    touch();
                    assert(hasClosure);             /* nobody released it while it was in use */
                    assert(!observerDied);          /* called alive or not at all */
                    assert(!targetDied);
                    calls++
                }
                /* The handler runs. The closure stays until it returns. */
                atomic {
                    touch();
                    assert(hasClosure);
                    assert(!observerDied);
                    calls--
                }
                /* The delivery's reference may be the last: the observer's deinit runs here then. */
                atomic {
                    observerReferences--;
                    if
                    :: observerReferences == 0 -> observerDied = true; run ObserverDeinit()
                    :: else
                    fi
                }
            :: else
            fi
        :: else
        fi;
        /* ObserverList.release, under the target's lock. */
        atomic {
            touch();
            holds--;
            goneNode = false;
            if
            :: holds == 0 && membership == leaving ->
                membership = left;
                goneNode = true
            :: else
            fi
        }
        if
        :: goneNode ->
#ifdef CHAINED
            /* The node's own link leads to the next that is gone: it must not be in a list again. */
            assert(membership == left);
#endif
            /* releaseHandlerIfEnded */
            atomic {
                touch();
                taken = false;
                if
                :: state == ended -> takeClosure(taken)
                :: else
                fi
            }
            releaseClosure(taken);
            release()
        :: else
        fi
    :: else
    fi;
    /* The writer lets go of the target. */
    atomic {
        targetReferences--;
        if
        :: targetReferences == 0 && !targetDied -> targetDied = true; run TargetDeinit()
        :: else
        fi
    }
done: skip
}

/* ObjectRecord.teardown, its target's half. */
proctype TargetDeinit() {
    bool mine, taken, isGone, found;
    atomic { targetIsMarked = true }
    do
    :: true ->
        /* firstLinked, retained under the lock. */
        atomic {
            found = false;
            if
            :: membership == linked -> touch(); references++; found = true
            :: else
            fi
        }
        if
        :: !found -> break
        :: else ->
            end(true);
            if :: !mine -> unlink(false, false, taken, isGone) :: else fi;
            release()
        fi
    od
}

/* ObjectRecord.teardown, its observer's half. */
proctype ObserverDeinit() {
    bool mine, taken, isGone, found;
    atomic { observerIsMarked = true }
    do
    :: true ->
        atomic {
            found = false;
            if
            :: isHeld -> touch(); isHeld = false; references++; found = true
            :: else
            fi
        }
        if
        :: !found -> break
        :: else -> end(false); release()
        fi
    od
}

/* The program lets go of the target, or of the observer. */
proctype DropTarget() {
    atomic {
        targetReferences--;
        if
        :: targetReferences == 0 && !targetDied -> targetDied = true; run TargetDeinit()
        :: else
        fi
    }
}

proctype DropObserver() {
    atomic {
        observerReferences--;
        if
        :: observerReferences == 0 && !observerDied -> observerDied = true; run ObserverDeinit()
        :: else
        fi
    }
}

/* remove() through the handle, by the thread that has it. */
proctype Remove() {
    bool mine, taken, isGone;
    end(true);
    endIsVisible = true;
    release()
}

/* rearm() through the handle, then the handle is dropped. */
proctype Rearm() {
    bool mine, taken, isGone, isHeldNow, isLinkedNow, isMine;
    atomic {
        touch();
        isMine = false;
        if
        :: state == fired -> state = live; isMine = true
        :: else
        fi
    }
    if
    :: isMine ->
        hold();
        if
        :: isHeldNow ->
            link();
            if
            :: !isLinkedNow -> letGo(false)
            :: else
            fi
        :: else -> isLinkedNow = false
        fi;
        if
        :: !isLinkedNow ->
            atomic { if :: state == live -> state = fired :: else fi };
            unlink(false, true, taken, isGone);
            letGo(true)
        :: else
        fi
    :: else
    fi;
    release()
}

/* stopObservingAllTargets(), at any time: what the observer holds is found under its lock, retained, and ended. */
proctype StopObserving() {
    bool mine, taken, isGone, found;
    atomic {
        found = isHeld;
        if :: found -> touch(); references++ :: else fi
    }
    if
    :: found -> end(true); release()
    :: else
    fi
}

/* The registration: the observer's side, then the target's. The registering thread has both objects. */
proctype Register() {
    bool mine, taken, isGone, isHeldNow, isLinkedNow;
    hold();
    if
    :: isHeldNow ->
        link();
        if :: !isLinkedNow -> letGo(false) :: else fi
    :: else -> isLinkedNow = false
    fi;
    if :: !isLinkedNow -> end(true) :: else fi;
    run DropTarget();
    run DropObserver();
    if
    :: ONCE ->
        atomic { references++ };
        run Rearm();
        run Remove()
    :: else ->
        run Remove()
    fi
}

init {
    byte walk;
    atomic {
        run Register();
        run StopObserving();
        walk = 0;
        do
        :: walk < WALKS -> run Walk(); walk++
        :: else -> break
        od
    }
    /* When every thread has finished: nothing is left, and the closure went once. */
    (_nr_pr == 1);
    assert(ends == 1);
    assert(membership == none || membership == left);
    assert(!isHeld);
    assert(isFreed && references == 0);
    assert(!hasClosure && closureReleases == 1)
}
