// The classes that AutoKVO is measured with. counts-autokvo has this file by a link: the code under measurement stands in
// the module that measures, as a client's would.

import AutoKVO

final class Model: TrackedObject {
    @Observed var value = 0

    override class var schema: Schema {
        Schema(Model.self, extending: super.schema) {
            Key("value", \.value)
        }
    }
}

final class ModelOfFour: TrackedObject {
    @Observed var first = 0
    @Observed var second = 0
    @Observed var third = 0
    @Observed var fourth = 0

    override class var schema: Schema {
        Schema(ModelOfFour.self, extending: super.schema) {
            Key("first", \.first)
            Key("second", \.second)
            Key("third", \.third)
            Key("fourth", \.fourth)
        }
    }
}

final class Follower: TrackedObject {
    @ObservedWeak var model: Model?
}

/// A model that holds another, has a key made of another key, and a collection.
final class Branch: TrackedObject {
    @Observed var value = 0
    @Observed var child: Model?
    @Observed var items: [Int] = []

    var doubled: Int { value * 2 }

    override class var schema: Schema {
        Schema(Branch.self, extending: super.schema) {
            Key("value", \.value)
            Key("child", \.child)
            Key("items", \.items)
            Key("doubled", \.doubled, affectedBy: "value")
        }
    }
}

final class Panel: TrackedObject {
    var calls = 0
}

final class Tally {
    var calls = 0
}

@inline(never) func sum(of models: [Model]) -> Int { models.reduce(0) { $0 &+ $1.value } }
@inline(never) func isAlive(_ follower: Follower) -> Bool { follower.model != nil }
@inline(never) func readObservable(_ model: Model) -> Int { model.observable.value }
@inline(never) func setChild(_ branch: Branch, _ child: Model) { branch.child = child }
@inline(never) func setBase(_ branch: Branch, _ value: Int) { branch.value = value }
@inline(never) func append(_ item: Int, to branch: Branch) { branch.items.append(item) }
