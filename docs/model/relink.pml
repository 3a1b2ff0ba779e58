/* The links of one path a.b.c, moved by two threads at once: one sets the root's a, the other sets b of the object that a
 * leads to. At the end, when no thread moves links any more, the links must be in the lists of the objects that the path
 * leads through.
 *
 * A process is a thread; an atomic block is one section of the lock of the route's root or of an object's record. The
 * properties are read outside of any block, as they are in the code, where reading them is user code.
 *
 * Built with one of -DNO_VERSION, -DNO_PENDING, -DREAD_FIRST a guard is left out, and spin must find the error. */

#ifndef SWAPS
#define SWAPS 1         /* how often each thread sets its property */
#endif

/* Objects: the root is 0; a is 1 or 2; b of object 1 or 2 is 3 or 4. */
byte a = 1;
byte b[3];

/* The object in whose list the link of each level is; 9 is none. */
byte link0 = 9, link1 = 9, link2 = 9;
byte version = 0;
byte pending = 9;           /* the lowest level whose links are to be moved and are not yet */
byte busy = 0;

/* KeyPathChain.relink(from: level) */
inline relink(level) {
    atomic {
        if
#ifdef NO_PENDING
        :: true -> start = level
#else
        :: level < pending -> pending = level; start = level
        :: else -> start = pending
#endif
        fi;
        version++;
        mine = version;
        if :: start == 0 -> link0 = 9 :: else fi;
        if :: start <= 1 -> link1 = 9 :: else fi;
        link2 = 9
    }
    /* Level 0 is the root, which is always there. */
    if
    :: start == 0 ->
        link(link0, 0);
        object = a
    :: start == 1 -> object = a
    :: else ->
        /* The property of the link before, which has not moved since this began. */
        atomic { object = link1; if :: object == 9 -> goto stopped :: else fi };
        object = b[object]
    fi;
    if
    :: start <= 1 ->
#ifdef READ_FIRST
        next = b[object];
        link(link1, object);
        object = next
#else
        link(link1, object);
        object = b[object]
#endif
    :: else
    fi;
    link(link2, object);
    atomic { if :: version == mine -> pending = 9 :: else fi };
stopped: skip
}

/* KeyPathChain.link: the link is put into the object's list before its property is read, unless another thread has begun to
 * move the links. */
inline link(which, what) {
    atomic {
        if
#ifdef NO_VERSION
        :: true -> which = what
#else
        :: version == mine -> which = what
        :: else -> goto stopped
#endif
        fi
    }
}

/* Sets the root's a, and moves the links if its list has the link of level 0. */
proctype SetA() {
    byte start, mine, object, next, value, times;
    bool isLinked;
    for (times : 1 .. SWAPS) {
        if :: a == 1 -> value = 2 :: else -> value = 1 fi;
        a = value;
        atomic { isLinked = (link0 == 0) };
        if :: isLinked -> relink(1) :: else fi
    }
    busy--
}

/* Sets b of the object that a led to, and moves the links if that object's list has the link of level 1. */
proctype SetB() {
    byte start, mine, object, next, value, times, holder;
    bool isLinked;
    for (times : 1 .. SWAPS) {
        holder = 1;
        if :: holder = 1 :: holder = 2 fi;
        if :: b[holder] == 3 -> value = 4 :: else -> value = 3 fi;
        b[holder] = value;
        atomic { isLinked = (link1 == holder) };
        if :: isLinked -> relink(2) :: else fi
    }
    busy--
}

init {
    byte start, mine, object, next;
    b[1] = 3;
    b[2] = 3;
    relink(0);
    busy = 2;
    atomic { run SetA(); run SetB() }
    (busy == 0);
    assert(link0 == 0);
    assert(link1 == a);
    assert(link2 == b[a]);
    assert(pending == 9)
}
