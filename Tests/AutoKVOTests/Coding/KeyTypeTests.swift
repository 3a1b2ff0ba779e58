import AutoKVO
import AutoKVOTestSupport
import Testing

/// Types of keys.
struct KeyTypeTests {
    private let person = Person()

    @Test("a type passes if its values can be set: the property's own, a number for a number") func passes() throws {
        for type: Any.Type in [Int.self, Double.self, UInt8.self] { try person.checkType(type, forKeyPath: "age") }
        try person.checkType(Employee.self, forKeyPath: "spouse")
        try person.checkType(String.self, forKeyPath: "nickname")
        try person.checkType(String?.self, forKeyPath: "nickname")
    }

    @Test("a type whose values can never be set, a key without a setter and an unknown one throw") func refused() {
        expectEqual(
            reason { try person.checkType(String.self, forKeyPath: "age") },
            .wrongType(expected: "Int", actual: "String")
        )
        expectEqual(reason { try person.checkType(String.self, forKeyPath: "fullName") }, .readOnlyKey)
        expectEqual(reason { try person.checkType(Int.self, forKeyPath: "agee") }, .unknownKey(nearest: "age"))
    }

    @Test("the type at the end of a path is the declared one") func valueTypes() throws {
        #expect(try Person.valueType(forKeyPath: "age") == Int.self)
        #expect(try Person.valueType(forKeyPath: "friends") == [Person].self)
        #expect(try Person.valueType(forKeyPath: "friends.@count") == Int.self)
        #expect(try Person.valueType(forKeyPath: "friends.@sum.age") == Any.self)
        #expect(try Employee.valueType(forKeyPath: "salary") == Int.self)
        #expect("\(try Person.valueType(forKeyPath: "spouse.address.city"))".contains("String"))
        expectEqual(reason { _ = try Person.valueType(forKeyPath: "salary") }, .unknownKey(nearest: nil))
    }
}
