import AutoKVO
import AutoKVOTestSupport

/// Counts how often functions of derived values run.
final class Computations {
    private(set) var counts: [String: Int] = [:]
    func count(_ name: String) { counts[name, default: 0] += 1 }
    func take() -> [String: Int] {
        defer { counts = [:] }
        return counts
    }
}

/// A diamond, a choice, a chain that stops where values are equal.
final class DerivedGraph: Model {
    @Observed var a = 0
    @Observed var b = 10
    @Observed var flag = true
    let computed = Computations()

    @Derived({ (g: DerivedGraph) in
        g.computed.count("left")
        return g.a + 1
    }) var left: Int
    @Derived({ (g: DerivedGraph) in
        g.computed.count("right")
        return g.a * 2
    }) var right: Int
    @Derived({ (g: DerivedGraph) in
        g.computed.count("top")
        return g.left + g.right
    }) var top: Int
    @Derived({ (g: DerivedGraph) in
        g.computed.count("chosen")
        return g.flag ? g.a : g.b
    }) var chosen: Int
    @Derived({ (g: DerivedGraph) in
        g.computed.count("tens")
        return g.a / 10
    }) var tens: Int
    @Derived({ (g: DerivedGraph) in
        g.computed.count("shown")
        return "\(g.tens)"
    }) var shown: String
    @Derived(\DerivedGraph.makeSum) var sum: Int
    private var makeSum: Int {
        computed.count("sum")
        return a + b
    }
    @Derived({ (g: DerivedGraph) in withoutTracking { g.a } + g.b }) var half: Int
    @Derived({ (g: DerivedGraph) in g.first + 1 }) var second: Int
    @Derived({ (g: DerivedGraph) in g.second + 1 }) var first: Int
}

final class CartItem: Model {
    @Observed var price: Int
    @Observed var name = "item"
    init(_ price: Int) { self.price = price }
}

final class Cart: Model {
    @Observed var items: [CartItem] = []
    @Observed var owner: Person?
    @ObservedWeak var guest: Person?
    let computed = Computations()

    @Derived({ (cart: Cart) in
        cart.computed.count("total")
        return cart.items.reduce(0) { $0 + $1.price }
    }) var total: Int
    @Derived({ (cart: Cart) in cart.owner?.firstName ?? "nobody" }) var ownerName: String
    @Derived({ (cart: Cart) in cart.guest?.firstName }) var guestName: String?
    @Derived({ (cart: Cart) in cart.items.max { $0.price < $1.price } }) var dearest: CartItem?
    var count: Int { items.count }
    var label: String { "\(count) for \(owner?.firstName ?? "nobody")" }

    override class var schema: Schema {
        Schema(Cart.self, extending: super.schema) {
            Key("label", \.label)
            Key("dear", \.isDear, affectedBy: "total")
        }
    }
    var isDear: Bool { total > 100 }
}

/// Each value depends on the one before it.
final class ChainLink: Model {
    @Observed var base = 0
    var previous: ChainLink?
    @Derived({ (link: ChainLink) in link.previous.map { $0.value + 1 } ?? link.base }) var value: Int

    static func chain(_ count: Int) -> [ChainLink] {
        var links = [ChainLink()]
        for _ in 1..<count {
            let next = ChainLink()
            next.previous = links.last
            links.append(next)
        }
        return links
    }
}

final class ReadingPanel: Model {
    @Observed var model: Person?
    @Observed var text = ""
}
