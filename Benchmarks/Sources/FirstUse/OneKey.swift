// Written by generate.py.
// swift-format-ignore-file

import AutoKVO

let oneKeyClasses: [@Sendable () -> TrackedObject] = [
    { OneKey0() }, { OneKey1() }, { OneKey2() }, { OneKey3() }, { OneKey4() }, { OneKey5() }, { OneKey6() }, { OneKey7() }, { OneKey8() }, { OneKey9() }, { OneKey10() }, { OneKey11() }, { OneKey12() }, { OneKey13() }, { OneKey14() }, { OneKey15() },
]

final class OneKey0: TrackedObject {
    @Observed var p1 = 0
    override class var schema: Schema {
        Schema(OneKey0.self, extending: super.schema) {
            Key("p1", \.p1)
        }
    }
}

final class OneKey1: TrackedObject {
    @Observed var p1 = 0
    override class var schema: Schema {
        Schema(OneKey1.self, extending: super.schema) {
            Key("p1", \.p1)
        }
    }
}

final class OneKey2: TrackedObject {
    @Observed var p1 = 0
    override class var schema: Schema {
        Schema(OneKey2.self, extending: super.schema) {
            Key("p1", \.p1)
        }
    }
}

final class OneKey3: TrackedObject {
    @Observed var p1 = 0
    override class var schema: Schema {
        Schema(OneKey3.self, extending: super.schema) {
            Key("p1", \.p1)
        }
    }
}

final class OneKey4: TrackedObject {
    @Observed var p1 = 0
    override class var schema: Schema {
        Schema(OneKey4.self, extending: super.schema) {
            Key("p1", \.p1)
        }
    }
}

final class OneKey5: TrackedObject {
    @Observed var p1 = 0
    override class var schema: Schema {
        Schema(OneKey5.self, extending: super.schema) {
            Key("p1", \.p1)
        }
    }
}

final class OneKey6: TrackedObject {
    @Observed var p1 = 0
    override class var schema: Schema {
        Schema(OneKey6.self, extending: super.schema) {
            Key("p1", \.p1)
        }
    }
}

final class OneKey7: TrackedObject {
    @Observed var p1 = 0
    override class var schema: Schema {
        Schema(OneKey7.self, extending: super.schema) {
            Key("p1", \.p1)
        }
    }
}

final class OneKey8: TrackedObject {
    @Observed var p1 = 0
    override class var schema: Schema {
        Schema(OneKey8.self, extending: super.schema) {
            Key("p1", \.p1)
        }
    }
}

final class OneKey9: TrackedObject {
    @Observed var p1 = 0
    override class var schema: Schema {
        Schema(OneKey9.self, extending: super.schema) {
            Key("p1", \.p1)
        }
    }
}

final class OneKey10: TrackedObject {
    @Observed var p1 = 0
    override class var schema: Schema {
        Schema(OneKey10.self, extending: super.schema) {
            Key("p1", \.p1)
        }
    }
}

final class OneKey11: TrackedObject {
    @Observed var p1 = 0
    override class var schema: Schema {
        Schema(OneKey11.self, extending: super.schema) {
            Key("p1", \.p1)
        }
    }
}

final class OneKey12: TrackedObject {
    @Observed var p1 = 0
    override class var schema: Schema {
        Schema(OneKey12.self, extending: super.schema) {
            Key("p1", \.p1)
        }
    }
}

final class OneKey13: TrackedObject {
    @Observed var p1 = 0
    override class var schema: Schema {
        Schema(OneKey13.self, extending: super.schema) {
            Key("p1", \.p1)
        }
    }
}

final class OneKey14: TrackedObject {
    @Observed var p1 = 0
    override class var schema: Schema {
        Schema(OneKey14.self, extending: super.schema) {
            Key("p1", \.p1)
        }
    }
}

final class OneKey15: TrackedObject {
    @Observed var p1 = 0
    override class var schema: Schema {
        Schema(OneKey15.self, extending: super.schema) {
            Key("p1", \.p1)
        }
    }
}
