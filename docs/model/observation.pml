/* One observation of one key: registered, traversed, removed, fired and armed again, while either side dies.
 *
 * README.md says what this is in the code. A process is a thread. An atomic block is one section of a record's lock
 * or one atomic operation; between them anything may happen. What a lock guards is touched only in such a block, so the
 * locks themselves are not modelled. `assert` is a property; a thread that cannot go on before its end is a deadlock.
 *
 * Built with one of -DNO_PINS, -DNO_RECHECK, -DNO_TRYRETAIN, -DNO_STATE_UNDER_LOCK, -DNO_EXCHANGE, -DCHAINED a guard is left
 * out, and spin must find the error that it prevents, which check.sh verifies. */

#ifndef TRAVERSALS
#define TRAVERSALS 2         /* changes of the property, each by a thread of its own, so that traversals overlap */
#endif

/* The observation's state, an atomic word. */
mtype = { live, fired, ended };
mtype state = live;

/* Guarded by the target's lock. */
mtype = { none, linked, leaving, out };
mtype membership = none;
byte pins = 0;             /* number of traversals that pin the observation */
bool hasClosure = true;     /* the closure's two words are in the observation */
byte closureReleases = 0;
bool targetIsMarked = false;  /* the record says isDying */

/* Guarded by the observer's lock. */
bool isHeld = false;
bool observerIsMarked = false;

/* Reference counts. The handle is the reference of the thread that registered the observation. */
byte references = 1;        /* of the observation: the handle, the list, threads that use it */
bool isFreed = false;
byte observerReferences = 1;
bool observerDied = false;  /* the deinit has begun: tryRetain fails from here on */
byte targetReferences = 1;  /* the program's; each traversal has one more, since the writer has a reference */
bool targetDied = false;

byte calls = 0;             /* handlers running now */
byte ends = 0;              /* how often the end was announced */
bool endIsVisible = false;  /* a remove() has returned */
#ifndef ONCE
#define ONCE 0          /* registered with .once, and armed again by a thread of its own */
#endif

#define touch()    assert(!isFreed)
#define isLive     (state == live)

/* Releasing a reference is atomic in the code too. The last release frees the observation, and the closure if it is there. */
inline release() {
    atomic {
        touch();
        assert(references > 0);
        references--;
        if
        :: references == 0 ->
            assert(membership != linked && membership != leaving);   /* the list owns the observations in it */
            assert(!isHeld);                                         /* the observer's list owns no reference */
            assert(pins == 0);
            isFreed = true;
            if :: hasClosure -> hasClosure = false; closureReleases++ :: else fi
        :: else
        fi
    }
}

/* Under the target's lock: the caller gets the closure, and releases it without the lock. */
inline takeClosure(taken) {
    taken = false;
    if
#ifdef NO_PINS
    :: hasClosure -> hasClosure = false; taken = true
#else
    :: hasClosure && pins == 0 -> hasClosure = false; taken = true
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
            assert(membership != linked);   /* linked twice: the list is damaged */
#else
        :: isLinkedNow && membership != linked && isLive ->
#endif
            if
            :: membership != leaving -> references++    /* of the list */
            :: else                                     /* the list still has its reference */
            fi;
            membership = linked
        :: else
        fi
    }
}

/* ObjectRecord.unlink, under the target's lock; `taking` takes the closure in the same section. */
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
            :: pins > 0 -> membership = leaving
            :: else -> membership = out; isGone = true
            fi
        :: else
        fi;
        if :: taking -> takeClosure(taken) :: else fi
    }
    if :: isGone -> release() :: else fi
}

/* KeyValueObservation.end. The caller has a reference, and says whether the observer's list may still have the observation. */
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

/* What a traversal does with the observation: pins it, checks its state, calls the handler, unpins it. */
proctype Traverse() {
    bool isPinned, mine, taken, isGone, isCalled, goneNode;
    /* The writer has a reference to the target; a dead target is not written. */
    atomic {
        if
        :: targetReferences > 0 && !targetDied -> targetReferences++
        :: else -> goto done
        fi
    }
    atomic {
        isPinned = false;
        if
        :: membership == linked -> touch(); pins++; isPinned = true
        :: else
        fi
    }
    if
    :: isPinned ->
        isCalled = false;
        /* The state is checked again right before the call. */
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
            /* .once: the thread that changes the state from live to fired makes the call, and detaches the observation. */
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
                    assert(hasClosure);             /* it is not released while it is used */
                    assert(!observerDied);          /* the handler is called with a living observer or not at all */
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
                /* The delivery's reference may be the last: then the observer's deinit runs here. */
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
        /* ObserverList.unlinkIfUnpinned, under the target's lock. */
        atomic {
            touch();
            pins--;
            goneNode = false;
            if
            :: pins == 0 && membership == leaving ->
                membership = out;
                goneNode = true
            :: else
            fi
        }
        if
        :: goneNode ->
#ifdef CHAINED
            /* The observation's own link leads to the next one to release: the observation must not be in a list again. */
            assert(membership == out);
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
    /* The writer releases the target. */
    atomic {
        targetReferences--;
        if
        :: targetReferences == 0 && !targetDied -> targetDied = true; run TargetDeinit()
        :: else
        fi
    }
done: skip
}

/* ObjectRecord.teardown: the observations in which the object is the target. */
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

/* ObjectRecord.teardown: the observations in which the object is the observer. */
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

/* The program releases the target, or the observer. */
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

/* remove() by the thread that has the observation. */
proctype Remove() {
    bool mine, taken, isGone;
    end(true);
    endIsVisible = true;
    release()
}

/* rearm() by the thread that has the observation, which then releases it. */
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

/* stopObservingAllTargets(), at any time: the observation is found under the observer's lock, retained, and ended. */
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

/* The registration: the observer's list, then the target's. The registering thread has references to both objects. */
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
    byte traversal;
    atomic {
        run Register();
        run StopObserving();
        traversal = 0;
        do
        :: traversal < TRAVERSALS -> run Traverse(); traversal++
        :: else -> break
        od
    }
    /* When every thread has finished, nothing is left, and the closure has been released once. */
    (_nr_pr == 1);
    assert(ends == 1);
    assert(membership == none || membership == out);
    assert(!isHeld);
    assert(isFreed && references == 0);
    assert(!hasClosure && closureReleases == 1)
}
