// Written by generate.py.
// swift-format-ignore-file

import AutoKVO

let twentyImplicitKeysClasses: [@Sendable () -> TrackedObject] = [
    { TwentyImplicitKeys0() }, { TwentyImplicitKeys1() }, { TwentyImplicitKeys2() }, { TwentyImplicitKeys3() }, { TwentyImplicitKeys4() }, { TwentyImplicitKeys5() }, { TwentyImplicitKeys6() }, { TwentyImplicitKeys7() }, { TwentyImplicitKeys8() }, { TwentyImplicitKeys9() }, { TwentyImplicitKeys10() }, { TwentyImplicitKeys11() }, { TwentyImplicitKeys12() }, { TwentyImplicitKeys13() }, { TwentyImplicitKeys14() }, { TwentyImplicitKeys15() },
]

final class TwentyImplicitKeys0: TrackedObject {
    @Observed var p1 = 0; @Observed var p2 = 0; @Observed var p3 = 0; @Observed var p4 = 0; @Observed var p5 = 0
    @Observed var p6 = 0; @Observed var p7 = 0; @Observed var p8 = 0; @Observed var p9 = 0; @Observed var p10 = 0
    @Observed var p11 = 0; @Observed var p12 = 0; @Observed var p13 = 0; @Observed var p14 = 0; @Observed var p15 = 0
    @Observed var p16 = 0; @Observed var p17 = 0; @Observed var p18 = 0; @Observed var p19 = 0; @Observed var p20 = 0
}

final class TwentyImplicitKeys1: TrackedObject {
    @Observed var p1 = 0; @Observed var p2 = 0; @Observed var p3 = 0; @Observed var p4 = 0; @Observed var p5 = 0
    @Observed var p6 = 0; @Observed var p7 = 0; @Observed var p8 = 0; @Observed var p9 = 0; @Observed var p10 = 0
    @Observed var p11 = 0; @Observed var p12 = 0; @Observed var p13 = 0; @Observed var p14 = 0; @Observed var p15 = 0
    @Observed var p16 = 0; @Observed var p17 = 0; @Observed var p18 = 0; @Observed var p19 = 0; @Observed var p20 = 0
}

final class TwentyImplicitKeys2: TrackedObject {
    @Observed var p1 = 0; @Observed var p2 = 0; @Observed var p3 = 0; @Observed var p4 = 0; @Observed var p5 = 0
    @Observed var p6 = 0; @Observed var p7 = 0; @Observed var p8 = 0; @Observed var p9 = 0; @Observed var p10 = 0
    @Observed var p11 = 0; @Observed var p12 = 0; @Observed var p13 = 0; @Observed var p14 = 0; @Observed var p15 = 0
    @Observed var p16 = 0; @Observed var p17 = 0; @Observed var p18 = 0; @Observed var p19 = 0; @Observed var p20 = 0
}

final class TwentyImplicitKeys3: TrackedObject {
    @Observed var p1 = 0; @Observed var p2 = 0; @Observed var p3 = 0; @Observed var p4 = 0; @Observed var p5 = 0
    @Observed var p6 = 0; @Observed var p7 = 0; @Observed var p8 = 0; @Observed var p9 = 0; @Observed var p10 = 0
    @Observed var p11 = 0; @Observed var p12 = 0; @Observed var p13 = 0; @Observed var p14 = 0; @Observed var p15 = 0
    @Observed var p16 = 0; @Observed var p17 = 0; @Observed var p18 = 0; @Observed var p19 = 0; @Observed var p20 = 0
}

final class TwentyImplicitKeys4: TrackedObject {
    @Observed var p1 = 0; @Observed var p2 = 0; @Observed var p3 = 0; @Observed var p4 = 0; @Observed var p5 = 0
    @Observed var p6 = 0; @Observed var p7 = 0; @Observed var p8 = 0; @Observed var p9 = 0; @Observed var p10 = 0
    @Observed var p11 = 0; @Observed var p12 = 0; @Observed var p13 = 0; @Observed var p14 = 0; @Observed var p15 = 0
    @Observed var p16 = 0; @Observed var p17 = 0; @Observed var p18 = 0; @Observed var p19 = 0; @Observed var p20 = 0
}

final class TwentyImplicitKeys5: TrackedObject {
    @Observed var p1 = 0; @Observed var p2 = 0; @Observed var p3 = 0; @Observed var p4 = 0; @Observed var p5 = 0
    @Observed var p6 = 0; @Observed var p7 = 0; @Observed var p8 = 0; @Observed var p9 = 0; @Observed var p10 = 0
    @Observed var p11 = 0; @Observed var p12 = 0; @Observed var p13 = 0; @Observed var p14 = 0; @Observed var p15 = 0
    @Observed var p16 = 0; @Observed var p17 = 0; @Observed var p18 = 0; @Observed var p19 = 0; @Observed var p20 = 0
}

final class TwentyImplicitKeys6: TrackedObject {
    @Observed var p1 = 0; @Observed var p2 = 0; @Observed var p3 = 0; @Observed var p4 = 0; @Observed var p5 = 0
    @Observed var p6 = 0; @Observed var p7 = 0; @Observed var p8 = 0; @Observed var p9 = 0; @Observed var p10 = 0
    @Observed var p11 = 0; @Observed var p12 = 0; @Observed var p13 = 0; @Observed var p14 = 0; @Observed var p15 = 0
    @Observed var p16 = 0; @Observed var p17 = 0; @Observed var p18 = 0; @Observed var p19 = 0; @Observed var p20 = 0
}

final class TwentyImplicitKeys7: TrackedObject {
    @Observed var p1 = 0; @Observed var p2 = 0; @Observed var p3 = 0; @Observed var p4 = 0; @Observed var p5 = 0
    @Observed var p6 = 0; @Observed var p7 = 0; @Observed var p8 = 0; @Observed var p9 = 0; @Observed var p10 = 0
    @Observed var p11 = 0; @Observed var p12 = 0; @Observed var p13 = 0; @Observed var p14 = 0; @Observed var p15 = 0
    @Observed var p16 = 0; @Observed var p17 = 0; @Observed var p18 = 0; @Observed var p19 = 0; @Observed var p20 = 0
}

final class TwentyImplicitKeys8: TrackedObject {
    @Observed var p1 = 0; @Observed var p2 = 0; @Observed var p3 = 0; @Observed var p4 = 0; @Observed var p5 = 0
    @Observed var p6 = 0; @Observed var p7 = 0; @Observed var p8 = 0; @Observed var p9 = 0; @Observed var p10 = 0
    @Observed var p11 = 0; @Observed var p12 = 0; @Observed var p13 = 0; @Observed var p14 = 0; @Observed var p15 = 0
    @Observed var p16 = 0; @Observed var p17 = 0; @Observed var p18 = 0; @Observed var p19 = 0; @Observed var p20 = 0
}

final class TwentyImplicitKeys9: TrackedObject {
    @Observed var p1 = 0; @Observed var p2 = 0; @Observed var p3 = 0; @Observed var p4 = 0; @Observed var p5 = 0
    @Observed var p6 = 0; @Observed var p7 = 0; @Observed var p8 = 0; @Observed var p9 = 0; @Observed var p10 = 0
    @Observed var p11 = 0; @Observed var p12 = 0; @Observed var p13 = 0; @Observed var p14 = 0; @Observed var p15 = 0
    @Observed var p16 = 0; @Observed var p17 = 0; @Observed var p18 = 0; @Observed var p19 = 0; @Observed var p20 = 0
}

final class TwentyImplicitKeys10: TrackedObject {
    @Observed var p1 = 0; @Observed var p2 = 0; @Observed var p3 = 0; @Observed var p4 = 0; @Observed var p5 = 0
    @Observed var p6 = 0; @Observed var p7 = 0; @Observed var p8 = 0; @Observed var p9 = 0; @Observed var p10 = 0
    @Observed var p11 = 0; @Observed var p12 = 0; @Observed var p13 = 0; @Observed var p14 = 0; @Observed var p15 = 0
    @Observed var p16 = 0; @Observed var p17 = 0; @Observed var p18 = 0; @Observed var p19 = 0; @Observed var p20 = 0
}

final class TwentyImplicitKeys11: TrackedObject {
    @Observed var p1 = 0; @Observed var p2 = 0; @Observed var p3 = 0; @Observed var p4 = 0; @Observed var p5 = 0
    @Observed var p6 = 0; @Observed var p7 = 0; @Observed var p8 = 0; @Observed var p9 = 0; @Observed var p10 = 0
    @Observed var p11 = 0; @Observed var p12 = 0; @Observed var p13 = 0; @Observed var p14 = 0; @Observed var p15 = 0
    @Observed var p16 = 0; @Observed var p17 = 0; @Observed var p18 = 0; @Observed var p19 = 0; @Observed var p20 = 0
}

final class TwentyImplicitKeys12: TrackedObject {
    @Observed var p1 = 0; @Observed var p2 = 0; @Observed var p3 = 0; @Observed var p4 = 0; @Observed var p5 = 0
    @Observed var p6 = 0; @Observed var p7 = 0; @Observed var p8 = 0; @Observed var p9 = 0; @Observed var p10 = 0
    @Observed var p11 = 0; @Observed var p12 = 0; @Observed var p13 = 0; @Observed var p14 = 0; @Observed var p15 = 0
    @Observed var p16 = 0; @Observed var p17 = 0; @Observed var p18 = 0; @Observed var p19 = 0; @Observed var p20 = 0
}

final class TwentyImplicitKeys13: TrackedObject {
    @Observed var p1 = 0; @Observed var p2 = 0; @Observed var p3 = 0; @Observed var p4 = 0; @Observed var p5 = 0
    @Observed var p6 = 0; @Observed var p7 = 0; @Observed var p8 = 0; @Observed var p9 = 0; @Observed var p10 = 0
    @Observed var p11 = 0; @Observed var p12 = 0; @Observed var p13 = 0; @Observed var p14 = 0; @Observed var p15 = 0
    @Observed var p16 = 0; @Observed var p17 = 0; @Observed var p18 = 0; @Observed var p19 = 0; @Observed var p20 = 0
}

final class TwentyImplicitKeys14: TrackedObject {
    @Observed var p1 = 0; @Observed var p2 = 0; @Observed var p3 = 0; @Observed var p4 = 0; @Observed var p5 = 0
    @Observed var p6 = 0; @Observed var p7 = 0; @Observed var p8 = 0; @Observed var p9 = 0; @Observed var p10 = 0
    @Observed var p11 = 0; @Observed var p12 = 0; @Observed var p13 = 0; @Observed var p14 = 0; @Observed var p15 = 0
    @Observed var p16 = 0; @Observed var p17 = 0; @Observed var p18 = 0; @Observed var p19 = 0; @Observed var p20 = 0
}

final class TwentyImplicitKeys15: TrackedObject {
    @Observed var p1 = 0; @Observed var p2 = 0; @Observed var p3 = 0; @Observed var p4 = 0; @Observed var p5 = 0
    @Observed var p6 = 0; @Observed var p7 = 0; @Observed var p8 = 0; @Observed var p9 = 0; @Observed var p10 = 0
    @Observed var p11 = 0; @Observed var p12 = 0; @Observed var p13 = 0; @Observed var p14 = 0; @Observed var p15 = 0
    @Observed var p16 = 0; @Observed var p17 = 0; @Observed var p18 = 0; @Observed var p19 = 0; @Observed var p20 = 0
}
