import AutoKVOTestSupport
import Testing

@testable import AutoKVO

/// A class of its own for each `Tag`: the schema of a class is made once.
private final class WideForm<Tag>: Model {
    let a0 = 0, a1 = 0, a2 = 0, a3 = 0, a4 = 0, a5 = 0, a6 = 0, a7 = 0, a8 = 0, a9 = 0
    let a10 = 0, a11 = 0, a12 = 0, a13 = 0, a14 = 0, a15 = 0, a16 = 0, a17 = 0, a18 = 0, a19 = 0
    let a20 = 0, a21 = 0, a22 = 0, a23 = 0, a24 = 0, a25 = 0, a26 = 0, a27 = 0, a28 = 0, a29 = 0
    let a30 = 0, a31 = 0, a32 = 0, a33 = 0, a34 = 0, a35 = 0, a36 = 0, a37 = 0, a38 = 0, a39 = 0
    let a40 = 0, a41 = 0, a42 = 0, a43 = 0, a44 = 0, a45 = 0, a46 = 0, a47 = 0, a48 = 0, a49 = 0
    let a50 = 0, a51 = 0, a52 = 0, a53 = 0, a54 = 0, a55 = 0, a56 = 0, a57 = 0, a58 = 0, a59 = 0
    let a60 = 0, a61 = 0, a62 = 0, a63 = 0, a64 = 0, a65 = 0, a66 = 0, a67 = 0, a68 = 0, a69 = 0
    let a70 = 0, a71 = 0, a72 = 0, a73 = 0, a74 = 0, a75 = 0, a76 = 0, a77 = 0, a78 = 0, a79 = 0
    let a80 = 0, a81 = 0, a82 = 0, a83 = 0, a84 = 0, a85 = 0, a86 = 0, a87 = 0, a88 = 0, a89 = 0
    let a90 = 0, a91 = 0, a92 = 0, a93 = 0, a94 = 0, a95 = 0, a96 = 0, a97 = 0, a98 = 0, a99 = 0
    let a100 = 0, a101 = 0, a102 = 0, a103 = 0, a104 = 0, a105 = 0, a106 = 0, a107 = 0, a108 = 0, a109 = 0
    let a110 = 0, a111 = 0, a112 = 0, a113 = 0, a114 = 0, a115 = 0, a116 = 0, a117 = 0, a118 = 0, a119 = 0
    let a120 = 0, a121 = 0, a122 = 0, a123 = 0, a124 = 0, a125 = 0, a126 = 0, a127 = 0, a128 = 0, a129 = 0
    let a130 = 0, a131 = 0, a132 = 0, a133 = 0, a134 = 0, a135 = 0, a136 = 0, a137 = 0, a138 = 0, a139 = 0
    let a140 = 0, a141 = 0, a142 = 0, a143 = 0, a144 = 0, a145 = 0, a146 = 0, a147 = 0, a148 = 0, a149 = 0
    let a150 = 0, a151 = 0, a152 = 0, a153 = 0, a154 = 0, a155 = 0, a156 = 0, a157 = 0, a158 = 0, a159 = 0
    let a160 = 0, a161 = 0, a162 = 0, a163 = 0, a164 = 0, a165 = 0, a166 = 0, a167 = 0, a168 = 0, a169 = 0
    let a170 = 0, a171 = 0, a172 = 0, a173 = 0, a174 = 0, a175 = 0, a176 = 0, a177 = 0, a178 = 0, a179 = 0
    let a180 = 0, a181 = 0, a182 = 0, a183 = 0, a184 = 0, a185 = 0, a186 = 0, a187 = 0, a188 = 0, a189 = 0
    let a190 = 0, a191 = 0, a192 = 0, a193 = 0, a194 = 0, a195 = 0, a196 = 0, a197 = 0, a198 = 0, a199 = 0
    @Observed var base = 0
    var sum: Int { base + 1 }

    override class var schema: Schema {
        Schema(WideForm.self, extending: super.schema) { for number in 0..<400 { Key("sum\(number)", \.sum) } }
    }
}

/// What the first use of a class costs.
struct SchemaCostTests {
    @Test("its stored properties are found once, and not again for each computed key") func computed()
        throws
    {
        func leastTime(_ body: (any Any.Type) throws -> Void) rethrows -> Double {
            try ([Int.self, Bool.self, String.self, [Int].self] as [any Any.Type]).map { tag in
                try processorTime { try body(tag) }
            }.min()!
        }
        func type<Tag>(_ tag: Tag.Type) -> Model.Type { WideForm<Tag>.self }
        func layoutTime() -> Double {
            leastTime { tag in for _ in 0..<100 { makeLayout(_openExistential(tag, do: type)) } } / 100
        }
        // What disturbs the one may spare the other: a first use cannot be repeated.
        let before = layoutTime()
        let schema = try leastTime { try _openExistential($0, do: type).validateSchema() }
        let layout = max(before, layoutTime())
        // Each of the 400 keys looks through what was found, and costs little more than finding it: 600 times as much in all, and up to 900
        // times beside other tests. That it was found twice for each besides took 1,400.
        #expect(schema < 1_100 * layout)
    }

    private func makeLayout(_ type: AnyClass) { precondition(FieldLayout(of: type).fields.count >= 200) }
}
