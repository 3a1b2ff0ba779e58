/// Edits that change the order of an array's elements. Each is one replacement of the elements that got another place,
/// or nothing if none did.
extension Property where Value: EditableCollection, Value.Index == Int {
    /// Exchanges two elements: a replacement of both. With itself an element is not exchanged.
    ///
    /// - Precondition: Both indexes are those of elements.
    /// - Complexity: O(1).
    @inlinable
    public func swapAt(_ i: Int, _ j: Int) {
        require(element: i)
        require(element: j)
        if i == j { return }
        if object.isObserved {
            announce(.replacement, RangeSet([i..<i + 1, j..<j + 1])) { $0.swapAt(i, j) }
        } else {
            exclusively { $0.swapAt(i, j) }
        }
    }

    /// Turns the order of the elements around.
    ///
    /// - Complexity: O(*n*).
    @inlinable
    public func reverse() {
        if object.isObserved {
            arrange(by: indices.reversed())
        } else {
            exclusively { $0.reverse() }
        }
    }

    /// Sorts the array by a condition that says which of two elements comes first. Equal elements keep their order.
    ///
    /// - Complexity: O(*n* log *n*).
    @inlinable
    public func sort(by areInIncreasingOrder: (Value.Element, Value.Element) throws -> Bool) rethrows {
        if object.isObserved {
            arrange(by: try order(of: value, by: areInIncreasingOrder))
        } else {
            try exclusively { try $0.sort(by: areInIncreasingOrder) }
        }
    }

    /// Gives the elements a random order.
    ///
    /// - Complexity: O(*n*).
    @inlinable
    public func shuffle(using generator: inout some RandomNumberGenerator) {
        if object.isObserved {
            arrange(by: indices.shuffled(using: &generator))
        } else {
            exclusively { $0.shuffle(using: &generator) }
        }
    }

    /// Gives the elements a random order.
    @inlinable
    public func shuffle() {
        var generator = SystemRandomNumberGenerator()
        shuffle(using: &generator)
    }

    /// Brings the elements at some indexes together, in their order, before the element at another index.
    ///
    /// - Parameters:
    ///   - indexes: Which elements.
    ///   - index: Where they go, counted in the array as it is before.
    /// - Returns: Where they are now.
    /// - Precondition: The indexes are those of elements; the destination may be the one after the last.
    /// - Complexity: O(*n*) while somebody observes the object, else O(*n* log *n*).
    @inlinable
    @discardableResult
    public func moveSubranges(_ indexes: RangeSet<Int>, to index: Int) -> Range<Int> {
        require(bounds: index..<index)
        if let first = indexes.ranges.first, let last = indexes.ranges.last {
            require(bounds: first.lowerBound..<last.upperBound)
        }
        if !object.isObserved { return exclusively { $0.moveSubranges(indexes, to: index) } }
        var order = Array(startIndex..<endIndex)
        let start = startIndex
        let offsets = RangeSet(indexes.ranges.map { $0.lowerBound - start..<$0.upperBound - start })
        let moved = order.moveSubranges(offsets, to: index - start)
        arrange(by: order)
        return moved.lowerBound + start..<moved.upperBound + start
    }

    @inlinable
    func order(
        of value: Value, by areInIncreasingOrder: (Value.Element, Value.Element) throws -> Bool
    ) rethrows -> [Int] {
        try value.indices.sorted { try areInIncreasingOrder(value[$0], value[$1]) }
    }

    /// Gives every place the element that is now at another: `order` has the indexes of the elements in their new
    /// order.
    @usableFromInline
    func arrange(by order: [Int]) {
        let start = startIndex
        var moved: [(place: Int, element: Value.Element)] = []
        for (offset, index) in order.enumerated() where start + offset != index {
            moved.append((start + offset, self[index]))
        }
        guard let first = moved.first else { return }
        var ranges: [Range<Int>] = [first.place..<first.place]
        for (place, _) in moved {
            if ranges[ranges.count - 1].upperBound == place {
                ranges[ranges.count - 1] = ranges[ranges.count - 1].lowerBound..<place + 1
            } else {
                ranges.append(place..<place + 1)
            }
        }
        announce(.replacement, RangeSet(ranges)) { value in
            for (place, element) in moved { value[place] = element }
        }
    }
}

extension Property where Value: EditableCollection, Value.Index == Int, Value.Element: Comparable {
    /// Sorts the array: one replacement of the elements that got another place. Equal elements keep their order.
    ///
    /// - Complexity: O(*n* log *n*).
    @inlinable
    public func sort() { sort(by: <) }
}
