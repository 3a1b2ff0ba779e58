import AutoKVO
import AutoKVOTestSupport
import Testing

@Suite("Types of keys") struct KeyTypeTests {
    private let person = Person()

    @Test("a type passes if its values can be set: the property's own, a number for a number") func passes() throws {
        for type: Any.Type in [Int.self, Double.self, UInt8.self] { try person.checkType(type, forKey: "age") }
        try person.checkType(Employee.self, forKey: "spouse")
        try person.checkType(String.self, forKey: "nickname")
        try person.checkType(String?.self, forKey: "nickname")
    }

    @Test("a type whose values can never be set, a key without a setter and an unknown one throw") func refused() {
        #expect(
            reason { try person.checkType(String.self, forKey: "age") } == .wrongType(expected: "Int", actual: "String")
        )
        #expect(reason { try person.checkType(String.self, forKey: "fullName") } == .readOnlyKey)
        #expect(reason { try person.checkType(Int.self, forKey: "agee") } == .unknownKey(nearest: "age"))
    }

    @Test("a converted value is of the property's type, and nothing is set") func converted() throws {
        #expect(try person.convertedValue(7.0, forKey: "age") as? Int == 7)
        #expect(try person.convertedValue(nil, forKey: "nickname") as? String? == .some(nil))
        #expect(person.age == 0)
        #expect(
            reason { _ = try person.convertedValue("x", forKey: "age") }
                == .wrongType(expected: "Int", actual: "String"))
        #expect(reason { _ = try person.convertedValue(1, forKey: "agee") } == .unknownKey(nearest: "age"))
    }

    @Test("the type at the end of a path is the declared one") func valueTypes() throws {
        #expect(try Person.valueType(forKeyPath: "age") == Int.self)
        #expect(try Person.valueType(forKeyPath: "friends") == [Person].self)
        #expect(try Person.valueType(forKeyPath: "friends.@count") == Int.self)
        #expect(try Employee.valueType(forKeyPath: "salary") == Int.self)
        #expect("\(try Person.valueType(forKeyPath: "spouse.address.city"))".contains("String"))
        #expect(reason { _ = try Person.valueType(forKeyPath: "salary") } == .unknownKey(nearest: nil))
    }
}
