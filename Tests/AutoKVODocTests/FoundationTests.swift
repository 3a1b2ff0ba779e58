// snippet: foundation.import
import AutoKVO
// end
import Testing

/// The code of `Coming-from-Foundation.md`.
struct ComingFromFoundationTests {
    // snippet: foundation.model
    class Account: TrackedObject {
        @Observed var owner = "Ann"
        @Observed var balance = 0
        var summary: String { "\(owner): \(balance)" }

        override class var schema: Schema {
            Schema(Account.self, extending: super.schema) {
                Key("summary", \.summary, affectedBy: "owner", "balance")
            }
        }
    }
    // end

    // snippet: foundation.classic
    final class Auditor: TrackedObject {
        var lines: [String] = []

        override func observeValue(
            forKeyPath keyPath: String?, of object: Any?, change: [KeyValueChangeKey: Any]?,
            context: UnsafeMutableRawPointer?
        ) {
            lines.append("\(keyPath ?? ""): \(change?[.oldKey] ?? "-") to \(change?[.newKey] ?? "-")")
        }
    }
    // end

    @Test("code that can stay as it is") func register() throws {
        let output = Output()
        func print(_ items: Any...) { output.add(items) }
        // snippet: foundation.register
        let account = Account()
        let auditor = Auditor()
        try account.addObserver(auditor, forKeyPath: "balance", options: [.old, .new], context: nil)
        account.balance = 20
        print(auditor.lines)  // prints: ["balance: 0 to 20"]
        // end
        try output.expect("foundation.register")
    }

    // snippet: foundation.named
    final class Teller: TrackedObject {
        var lines: [String] = []

        func balanceDidChange(_ change: Change<Any>) { lines.append("\(change.keyPath) \(change.newValue ?? "-")") }

        override class var schema: Schema {
            Schema(Teller.self, extending: super.schema) {
                Handler("balanceDidChange", Teller.balanceDidChange)
            }
        }
    }
    // end

    @Test("the same in fewer words") func short() throws {
        let output = Output()
        func print(_ items: Any...) { output.add(items) }
        // snippet: foundation.short
        let account = Account()
        let teller = Teller()
        try teller.observe("balance", of: account, options: .new, handler: "balanceDidChange")
        try teller.observe("summary", of: account, options: .new) { teller, change in
            teller.lines.append("\(change.newValue ?? "-")")
        }
        account.balance = 30
        print(teller.lines)  // prints: ["balance 30", "Ann: 30"]
        // end
        try output.expect("foundation.short")
    }
}
