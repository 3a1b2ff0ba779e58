/* A record's lock, which one thread owns as long as no other thread takes it (ShortLock.swift). The owner takes it without an
 * atomic operation, so other threads see its writes only after a while: `way` is the owner's store buffer,
 * and the owner's reads do not wait for it. Two threads must never have the lock at once, and none may wait for ever.
 *
 * Built with one of -DNO_FENCE, -DNO_REREAD, -DNO_WAIT, -DNO_QUEUE a guard is left out, and spin must find the error. */

#ifndef ROUNDS
#define ROUNDS 2        /* how often the owner takes it */
#endif
#ifndef OTHERS
#define OTHERS 2        /* how many other threads do, once each */
#endif

bool spin = false, ownerIsIn = false;
bool isShared = false;      /* no thread owns it */
byte inside = 0;

/* The owner's writes of ownerIsIn that no other thread sees yet, the oldest first. */
chan way = [2] of { bool };

inline enter() { atomic { inside++; assert(inside == 1) } }
inline exit() { inside-- }

/* csr_fence_all_threads: from here on all threads see what any thread has written. */
inline fence() {
    d_step { do :: nempty(way) -> way?ownerIsIn :: empty(way) -> break od }
}

/* A write becomes visible at any time. */
active proctype Memory() {
    end: do :: atomic { nempty(way) -> way?ownerIsIn } od
}

/* An atomic operation of the owner, which waits for its own writes. */
inline take_spin_as_owner() { atomic { empty(way) && !spin -> spin = true } }

active proctype Owner() {
    byte round = 0;
    do
    :: round == ROUNDS -> break
    :: else ->
        round++;
        if
        :: isShared -> goto shared
        :: else
        fi;
        way!true;
#ifndef NO_REREAD
        if
        :: isShared -> way!false; goto shared
        :: else
        fi;
#endif
        enter();
        exit();
        way!false;
        goto next;
shared: take_spin_as_owner();
        assert(isShared);
        enter();
        exit();
        spin = false;
next:   skip
    od
}

proctype Other() {
#ifndef NO_QUEUE
    atomic { !spin -> spin = true };
#endif
    if
    :: !isShared ->
        isShared = true;
#ifndef NO_FENCE
        fence();
#endif
#ifndef NO_WAIT
        !ownerIsIn
#endif
    :: else
    fi;
    enter();
    exit();
    spin = false
}

init {
    byte other = 0;
    atomic { do :: other < OTHERS -> run Other(); other++ :: else -> break od }
}
