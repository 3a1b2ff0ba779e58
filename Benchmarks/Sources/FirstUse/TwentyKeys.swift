// Written by generate.py.
// swift-format-ignore-file

import AutoKVO

let twentyKeysClasses: [@Sendable () -> TrackedObject] = [
    { TwentyKeys0() }, { TwentyKeys1() }, { TwentyKeys2() }, { TwentyKeys3() }, { TwentyKeys4() }, { TwentyKeys5() }, { TwentyKeys6() }, { TwentyKeys7() }, { TwentyKeys8() }, { TwentyKeys9() }, { TwentyKeys10() }, { TwentyKeys11() }, { TwentyKeys12() }, { TwentyKeys13() }, { TwentyKeys14() }, { TwentyKeys15() },
]

final class TwentyKeys0: TrackedObject {
    @Observed var p1 = 0; @Observed var p2 = 0; @Observed var p3 = 0; @Observed var p4 = 0; @Observed var p5 = 0
    @Observed var p6 = 0; @Observed var p7 = 0; @Observed var p8 = 0; @Observed var p9 = 0; @Observed var p10 = 0
    @Observed var p11 = 0; @Observed var p12 = 0; @Observed var p13 = 0; @Observed var p14 = 0; @Observed var p15 = 0
    @Observed var p16 = 0; @Observed var p17 = 0; @Observed var p18 = 0; @Observed var p19 = 0; @Observed var p20 = 0
    override class var schema: Schema {
        Schema(TwentyKeys0.self, extending: super.schema) {
            Key("p1", \.p1); Key("p2", \.p2); Key("p3", \.p3); Key("p4", \.p4); Key("p5", \.p5)
            Key("p6", \.p6); Key("p7", \.p7); Key("p8", \.p8); Key("p9", \.p9); Key("p10", \.p10)
            Key("p11", \.p11); Key("p12", \.p12); Key("p13", \.p13); Key("p14", \.p14); Key("p15", \.p15)
            Key("p16", \.p16); Key("p17", \.p17); Key("p18", \.p18); Key("p19", \.p19); Key("p20", \.p20)
        }
    }
}

final class TwentyKeys1: TrackedObject {
    @Observed var p1 = 0; @Observed var p2 = 0; @Observed var p3 = 0; @Observed var p4 = 0; @Observed var p5 = 0
    @Observed var p6 = 0; @Observed var p7 = 0; @Observed var p8 = 0; @Observed var p9 = 0; @Observed var p10 = 0
    @Observed var p11 = 0; @Observed var p12 = 0; @Observed var p13 = 0; @Observed var p14 = 0; @Observed var p15 = 0
    @Observed var p16 = 0; @Observed var p17 = 0; @Observed var p18 = 0; @Observed var p19 = 0; @Observed var p20 = 0
    override class var schema: Schema {
        Schema(TwentyKeys1.self, extending: super.schema) {
            Key("p1", \.p1); Key("p2", \.p2); Key("p3", \.p3); Key("p4", \.p4); Key("p5", \.p5)
            Key("p6", \.p6); Key("p7", \.p7); Key("p8", \.p8); Key("p9", \.p9); Key("p10", \.p10)
            Key("p11", \.p11); Key("p12", \.p12); Key("p13", \.p13); Key("p14", \.p14); Key("p15", \.p15)
            Key("p16", \.p16); Key("p17", \.p17); Key("p18", \.p18); Key("p19", \.p19); Key("p20", \.p20)
        }
    }
}

final class TwentyKeys2: TrackedObject {
    @Observed var p1 = 0; @Observed var p2 = 0; @Observed var p3 = 0; @Observed var p4 = 0; @Observed var p5 = 0
    @Observed var p6 = 0; @Observed var p7 = 0; @Observed var p8 = 0; @Observed var p9 = 0; @Observed var p10 = 0
    @Observed var p11 = 0; @Observed var p12 = 0; @Observed var p13 = 0; @Observed var p14 = 0; @Observed var p15 = 0
    @Observed var p16 = 0; @Observed var p17 = 0; @Observed var p18 = 0; @Observed var p19 = 0; @Observed var p20 = 0
    override class var schema: Schema {
        Schema(TwentyKeys2.self, extending: super.schema) {
            Key("p1", \.p1); Key("p2", \.p2); Key("p3", \.p3); Key("p4", \.p4); Key("p5", \.p5)
            Key("p6", \.p6); Key("p7", \.p7); Key("p8", \.p8); Key("p9", \.p9); Key("p10", \.p10)
            Key("p11", \.p11); Key("p12", \.p12); Key("p13", \.p13); Key("p14", \.p14); Key("p15", \.p15)
            Key("p16", \.p16); Key("p17", \.p17); Key("p18", \.p18); Key("p19", \.p19); Key("p20", \.p20)
        }
    }
}

final class TwentyKeys3: TrackedObject {
    @Observed var p1 = 0; @Observed var p2 = 0; @Observed var p3 = 0; @Observed var p4 = 0; @Observed var p5 = 0
    @Observed var p6 = 0; @Observed var p7 = 0; @Observed var p8 = 0; @Observed var p9 = 0; @Observed var p10 = 0
    @Observed var p11 = 0; @Observed var p12 = 0; @Observed var p13 = 0; @Observed var p14 = 0; @Observed var p15 = 0
    @Observed var p16 = 0; @Observed var p17 = 0; @Observed var p18 = 0; @Observed var p19 = 0; @Observed var p20 = 0
    override class var schema: Schema {
        Schema(TwentyKeys3.self, extending: super.schema) {
            Key("p1", \.p1); Key("p2", \.p2); Key("p3", \.p3); Key("p4", \.p4); Key("p5", \.p5)
            Key("p6", \.p6); Key("p7", \.p7); Key("p8", \.p8); Key("p9", \.p9); Key("p10", \.p10)
            Key("p11", \.p11); Key("p12", \.p12); Key("p13", \.p13); Key("p14", \.p14); Key("p15", \.p15)
            Key("p16", \.p16); Key("p17", \.p17); Key("p18", \.p18); Key("p19", \.p19); Key("p20", \.p20)
        }
    }
}

final class TwentyKeys4: TrackedObject {
    @Observed var p1 = 0; @Observed var p2 = 0; @Observed var p3 = 0; @Observed var p4 = 0; @Observed var p5 = 0
    @Observed var p6 = 0; @Observed var p7 = 0; @Observed var p8 = 0; @Observed var p9 = 0; @Observed var p10 = 0
    @Observed var p11 = 0; @Observed var p12 = 0; @Observed var p13 = 0; @Observed var p14 = 0; @Observed var p15 = 0
    @Observed var p16 = 0; @Observed var p17 = 0; @Observed var p18 = 0; @Observed var p19 = 0; @Observed var p20 = 0
    override class var schema: Schema {
        Schema(TwentyKeys4.self, extending: super.schema) {
            Key("p1", \.p1); Key("p2", \.p2); Key("p3", \.p3); Key("p4", \.p4); Key("p5", \.p5)
            Key("p6", \.p6); Key("p7", \.p7); Key("p8", \.p8); Key("p9", \.p9); Key("p10", \.p10)
            Key("p11", \.p11); Key("p12", \.p12); Key("p13", \.p13); Key("p14", \.p14); Key("p15", \.p15)
            Key("p16", \.p16); Key("p17", \.p17); Key("p18", \.p18); Key("p19", \.p19); Key("p20", \.p20)
        }
    }
}

final class TwentyKeys5: TrackedObject {
    @Observed var p1 = 0; @Observed var p2 = 0; @Observed var p3 = 0; @Observed var p4 = 0; @Observed var p5 = 0
    @Observed var p6 = 0; @Observed var p7 = 0; @Observed var p8 = 0; @Observed var p9 = 0; @Observed var p10 = 0
    @Observed var p11 = 0; @Observed var p12 = 0; @Observed var p13 = 0; @Observed var p14 = 0; @Observed var p15 = 0
    @Observed var p16 = 0; @Observed var p17 = 0; @Observed var p18 = 0; @Observed var p19 = 0; @Observed var p20 = 0
    override class var schema: Schema {
        Schema(TwentyKeys5.self, extending: super.schema) {
            Key("p1", \.p1); Key("p2", \.p2); Key("p3", \.p3); Key("p4", \.p4); Key("p5", \.p5)
            Key("p6", \.p6); Key("p7", \.p7); Key("p8", \.p8); Key("p9", \.p9); Key("p10", \.p10)
            Key("p11", \.p11); Key("p12", \.p12); Key("p13", \.p13); Key("p14", \.p14); Key("p15", \.p15)
            Key("p16", \.p16); Key("p17", \.p17); Key("p18", \.p18); Key("p19", \.p19); Key("p20", \.p20)
        }
    }
}

final class TwentyKeys6: TrackedObject {
    @Observed var p1 = 0; @Observed var p2 = 0; @Observed var p3 = 0; @Observed var p4 = 0; @Observed var p5 = 0
    @Observed var p6 = 0; @Observed var p7 = 0; @Observed var p8 = 0; @Observed var p9 = 0; @Observed var p10 = 0
    @Observed var p11 = 0; @Observed var p12 = 0; @Observed var p13 = 0; @Observed var p14 = 0; @Observed var p15 = 0
    @Observed var p16 = 0; @Observed var p17 = 0; @Observed var p18 = 0; @Observed var p19 = 0; @Observed var p20 = 0
    override class var schema: Schema {
        Schema(TwentyKeys6.self, extending: super.schema) {
            Key("p1", \.p1); Key("p2", \.p2); Key("p3", \.p3); Key("p4", \.p4); Key("p5", \.p5)
            Key("p6", \.p6); Key("p7", \.p7); Key("p8", \.p8); Key("p9", \.p9); Key("p10", \.p10)
            Key("p11", \.p11); Key("p12", \.p12); Key("p13", \.p13); Key("p14", \.p14); Key("p15", \.p15)
            Key("p16", \.p16); Key("p17", \.p17); Key("p18", \.p18); Key("p19", \.p19); Key("p20", \.p20)
        }
    }
}

final class TwentyKeys7: TrackedObject {
    @Observed var p1 = 0; @Observed var p2 = 0; @Observed var p3 = 0; @Observed var p4 = 0; @Observed var p5 = 0
    @Observed var p6 = 0; @Observed var p7 = 0; @Observed var p8 = 0; @Observed var p9 = 0; @Observed var p10 = 0
    @Observed var p11 = 0; @Observed var p12 = 0; @Observed var p13 = 0; @Observed var p14 = 0; @Observed var p15 = 0
    @Observed var p16 = 0; @Observed var p17 = 0; @Observed var p18 = 0; @Observed var p19 = 0; @Observed var p20 = 0
    override class var schema: Schema {
        Schema(TwentyKeys7.self, extending: super.schema) {
            Key("p1", \.p1); Key("p2", \.p2); Key("p3", \.p3); Key("p4", \.p4); Key("p5", \.p5)
            Key("p6", \.p6); Key("p7", \.p7); Key("p8", \.p8); Key("p9", \.p9); Key("p10", \.p10)
            Key("p11", \.p11); Key("p12", \.p12); Key("p13", \.p13); Key("p14", \.p14); Key("p15", \.p15)
            Key("p16", \.p16); Key("p17", \.p17); Key("p18", \.p18); Key("p19", \.p19); Key("p20", \.p20)
        }
    }
}

final class TwentyKeys8: TrackedObject {
    @Observed var p1 = 0; @Observed var p2 = 0; @Observed var p3 = 0; @Observed var p4 = 0; @Observed var p5 = 0
    @Observed var p6 = 0; @Observed var p7 = 0; @Observed var p8 = 0; @Observed var p9 = 0; @Observed var p10 = 0
    @Observed var p11 = 0; @Observed var p12 = 0; @Observed var p13 = 0; @Observed var p14 = 0; @Observed var p15 = 0
    @Observed var p16 = 0; @Observed var p17 = 0; @Observed var p18 = 0; @Observed var p19 = 0; @Observed var p20 = 0
    override class var schema: Schema {
        Schema(TwentyKeys8.self, extending: super.schema) {
            Key("p1", \.p1); Key("p2", \.p2); Key("p3", \.p3); Key("p4", \.p4); Key("p5", \.p5)
            Key("p6", \.p6); Key("p7", \.p7); Key("p8", \.p8); Key("p9", \.p9); Key("p10", \.p10)
            Key("p11", \.p11); Key("p12", \.p12); Key("p13", \.p13); Key("p14", \.p14); Key("p15", \.p15)
            Key("p16", \.p16); Key("p17", \.p17); Key("p18", \.p18); Key("p19", \.p19); Key("p20", \.p20)
        }
    }
}

final class TwentyKeys9: TrackedObject {
    @Observed var p1 = 0; @Observed var p2 = 0; @Observed var p3 = 0; @Observed var p4 = 0; @Observed var p5 = 0
    @Observed var p6 = 0; @Observed var p7 = 0; @Observed var p8 = 0; @Observed var p9 = 0; @Observed var p10 = 0
    @Observed var p11 = 0; @Observed var p12 = 0; @Observed var p13 = 0; @Observed var p14 = 0; @Observed var p15 = 0
    @Observed var p16 = 0; @Observed var p17 = 0; @Observed var p18 = 0; @Observed var p19 = 0; @Observed var p20 = 0
    override class var schema: Schema {
        Schema(TwentyKeys9.self, extending: super.schema) {
            Key("p1", \.p1); Key("p2", \.p2); Key("p3", \.p3); Key("p4", \.p4); Key("p5", \.p5)
            Key("p6", \.p6); Key("p7", \.p7); Key("p8", \.p8); Key("p9", \.p9); Key("p10", \.p10)
            Key("p11", \.p11); Key("p12", \.p12); Key("p13", \.p13); Key("p14", \.p14); Key("p15", \.p15)
            Key("p16", \.p16); Key("p17", \.p17); Key("p18", \.p18); Key("p19", \.p19); Key("p20", \.p20)
        }
    }
}

final class TwentyKeys10: TrackedObject {
    @Observed var p1 = 0; @Observed var p2 = 0; @Observed var p3 = 0; @Observed var p4 = 0; @Observed var p5 = 0
    @Observed var p6 = 0; @Observed var p7 = 0; @Observed var p8 = 0; @Observed var p9 = 0; @Observed var p10 = 0
    @Observed var p11 = 0; @Observed var p12 = 0; @Observed var p13 = 0; @Observed var p14 = 0; @Observed var p15 = 0
    @Observed var p16 = 0; @Observed var p17 = 0; @Observed var p18 = 0; @Observed var p19 = 0; @Observed var p20 = 0
    override class var schema: Schema {
        Schema(TwentyKeys10.self, extending: super.schema) {
            Key("p1", \.p1); Key("p2", \.p2); Key("p3", \.p3); Key("p4", \.p4); Key("p5", \.p5)
            Key("p6", \.p6); Key("p7", \.p7); Key("p8", \.p8); Key("p9", \.p9); Key("p10", \.p10)
            Key("p11", \.p11); Key("p12", \.p12); Key("p13", \.p13); Key("p14", \.p14); Key("p15", \.p15)
            Key("p16", \.p16); Key("p17", \.p17); Key("p18", \.p18); Key("p19", \.p19); Key("p20", \.p20)
        }
    }
}

final class TwentyKeys11: TrackedObject {
    @Observed var p1 = 0; @Observed var p2 = 0; @Observed var p3 = 0; @Observed var p4 = 0; @Observed var p5 = 0
    @Observed var p6 = 0; @Observed var p7 = 0; @Observed var p8 = 0; @Observed var p9 = 0; @Observed var p10 = 0
    @Observed var p11 = 0; @Observed var p12 = 0; @Observed var p13 = 0; @Observed var p14 = 0; @Observed var p15 = 0
    @Observed var p16 = 0; @Observed var p17 = 0; @Observed var p18 = 0; @Observed var p19 = 0; @Observed var p20 = 0
    override class var schema: Schema {
        Schema(TwentyKeys11.self, extending: super.schema) {
            Key("p1", \.p1); Key("p2", \.p2); Key("p3", \.p3); Key("p4", \.p4); Key("p5", \.p5)
            Key("p6", \.p6); Key("p7", \.p7); Key("p8", \.p8); Key("p9", \.p9); Key("p10", \.p10)
            Key("p11", \.p11); Key("p12", \.p12); Key("p13", \.p13); Key("p14", \.p14); Key("p15", \.p15)
            Key("p16", \.p16); Key("p17", \.p17); Key("p18", \.p18); Key("p19", \.p19); Key("p20", \.p20)
        }
    }
}

final class TwentyKeys12: TrackedObject {
    @Observed var p1 = 0; @Observed var p2 = 0; @Observed var p3 = 0; @Observed var p4 = 0; @Observed var p5 = 0
    @Observed var p6 = 0; @Observed var p7 = 0; @Observed var p8 = 0; @Observed var p9 = 0; @Observed var p10 = 0
    @Observed var p11 = 0; @Observed var p12 = 0; @Observed var p13 = 0; @Observed var p14 = 0; @Observed var p15 = 0
    @Observed var p16 = 0; @Observed var p17 = 0; @Observed var p18 = 0; @Observed var p19 = 0; @Observed var p20 = 0
    override class var schema: Schema {
        Schema(TwentyKeys12.self, extending: super.schema) {
            Key("p1", \.p1); Key("p2", \.p2); Key("p3", \.p3); Key("p4", \.p4); Key("p5", \.p5)
            Key("p6", \.p6); Key("p7", \.p7); Key("p8", \.p8); Key("p9", \.p9); Key("p10", \.p10)
            Key("p11", \.p11); Key("p12", \.p12); Key("p13", \.p13); Key("p14", \.p14); Key("p15", \.p15)
            Key("p16", \.p16); Key("p17", \.p17); Key("p18", \.p18); Key("p19", \.p19); Key("p20", \.p20)
        }
    }
}

final class TwentyKeys13: TrackedObject {
    @Observed var p1 = 0; @Observed var p2 = 0; @Observed var p3 = 0; @Observed var p4 = 0; @Observed var p5 = 0
    @Observed var p6 = 0; @Observed var p7 = 0; @Observed var p8 = 0; @Observed var p9 = 0; @Observed var p10 = 0
    @Observed var p11 = 0; @Observed var p12 = 0; @Observed var p13 = 0; @Observed var p14 = 0; @Observed var p15 = 0
    @Observed var p16 = 0; @Observed var p17 = 0; @Observed var p18 = 0; @Observed var p19 = 0; @Observed var p20 = 0
    override class var schema: Schema {
        Schema(TwentyKeys13.self, extending: super.schema) {
            Key("p1", \.p1); Key("p2", \.p2); Key("p3", \.p3); Key("p4", \.p4); Key("p5", \.p5)
            Key("p6", \.p6); Key("p7", \.p7); Key("p8", \.p8); Key("p9", \.p9); Key("p10", \.p10)
            Key("p11", \.p11); Key("p12", \.p12); Key("p13", \.p13); Key("p14", \.p14); Key("p15", \.p15)
            Key("p16", \.p16); Key("p17", \.p17); Key("p18", \.p18); Key("p19", \.p19); Key("p20", \.p20)
        }
    }
}

final class TwentyKeys14: TrackedObject {
    @Observed var p1 = 0; @Observed var p2 = 0; @Observed var p3 = 0; @Observed var p4 = 0; @Observed var p5 = 0
    @Observed var p6 = 0; @Observed var p7 = 0; @Observed var p8 = 0; @Observed var p9 = 0; @Observed var p10 = 0
    @Observed var p11 = 0; @Observed var p12 = 0; @Observed var p13 = 0; @Observed var p14 = 0; @Observed var p15 = 0
    @Observed var p16 = 0; @Observed var p17 = 0; @Observed var p18 = 0; @Observed var p19 = 0; @Observed var p20 = 0
    override class var schema: Schema {
        Schema(TwentyKeys14.self, extending: super.schema) {
            Key("p1", \.p1); Key("p2", \.p2); Key("p3", \.p3); Key("p4", \.p4); Key("p5", \.p5)
            Key("p6", \.p6); Key("p7", \.p7); Key("p8", \.p8); Key("p9", \.p9); Key("p10", \.p10)
            Key("p11", \.p11); Key("p12", \.p12); Key("p13", \.p13); Key("p14", \.p14); Key("p15", \.p15)
            Key("p16", \.p16); Key("p17", \.p17); Key("p18", \.p18); Key("p19", \.p19); Key("p20", \.p20)
        }
    }
}

final class TwentyKeys15: TrackedObject {
    @Observed var p1 = 0; @Observed var p2 = 0; @Observed var p3 = 0; @Observed var p4 = 0; @Observed var p5 = 0
    @Observed var p6 = 0; @Observed var p7 = 0; @Observed var p8 = 0; @Observed var p9 = 0; @Observed var p10 = 0
    @Observed var p11 = 0; @Observed var p12 = 0; @Observed var p13 = 0; @Observed var p14 = 0; @Observed var p15 = 0
    @Observed var p16 = 0; @Observed var p17 = 0; @Observed var p18 = 0; @Observed var p19 = 0; @Observed var p20 = 0
    override class var schema: Schema {
        Schema(TwentyKeys15.self, extending: super.schema) {
            Key("p1", \.p1); Key("p2", \.p2); Key("p3", \.p3); Key("p4", \.p4); Key("p5", \.p5)
            Key("p6", \.p6); Key("p7", \.p7); Key("p8", \.p8); Key("p9", \.p9); Key("p10", \.p10)
            Key("p11", \.p11); Key("p12", \.p12); Key("p13", \.p13); Key("p14", \.p14); Key("p15", \.p15)
            Key("p16", \.p16); Key("p17", \.p17); Key("p18", \.p18); Key("p19", \.p19); Key("p20", \.p20)
        }
    }
}
