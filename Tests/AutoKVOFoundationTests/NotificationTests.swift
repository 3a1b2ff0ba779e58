import AutoKVO
import AutoKVOFoundation
import AutoKVOTestSupport
import Foundation
import Testing

extension Notification.Name {
    fileprivate static let didReload = Notification.Name("didReload")
    fileprivate static let didClose = Notification.Name("didClose")
}

/// Notifications.
struct NotificationTests {
    let center = NotificationCenter()
    let panel = PlainObserver()

    @Test("a handler gets the observer and the notifications of its name") func named() {
        let observation = panel.observeNotification(named: .didReload, center: center) { panel, note in
            panel.log.append("\(note.name.rawValue) \(note.userInfo?["n"] ?? "-")")
        }
        center.post(name: .didReload, object: nil, userInfo: ["n": 1])
        center.post(name: .didClose, object: nil)
        #expect(panel.log == ["didReload 1"])
        #expect(observation.isValid)
        observation.remove()
        observation.remove()
        #expect(!observation.isValid)
        center.post(name: .didReload, object: nil)
        #expect(panel.log.count == 1)
    }

    @Test("a sender that is posted in layers of Optional is the sender") func optionalSender() {
        let (person, other) = (Person(), Person("Other"))
        let heard = Guarded(0)
        let observation = center.onNotification(.didReload, object: person) { _ in heard.withLock { $0 += 1 } }
        for sender in [
            person as Any, Optional(person) as Any, Optional(Optional(person)) as Any, other, Optional(other) as Any, 1,
        ] {
            center.post(name: .didReload, object: sender)
        }
        #expect(heard.withLock { $0 } == 3)
        observation.remove()
    }

    @Test("a registration with a center that has died is not valid") func deadCenter() {
        var center: NotificationCenter? = NotificationCenter()
        let person = Person()
        let ofPerson = center!.addObserver(person, named: .didReload) { _, _ in }
        let scoped = center!.onNotification(.didReload) { _ in }
        #expect(ofPerson.isValid && scoped.isValid)
        center = nil
        #expect(!ofPerson.isValid && !scoped.isValid)
    }

    @Test("what its handler keeps dies with a center, also where nobody asks whether it is valid")
    func deadCenterKeepsNothing() {
        final class Plain {}
        let (tracker, plain, person) = (LifetimeTracker(), Plain(), Person())
        var center: NotificationCenter? = NotificationCenter()
        do {
            let kept = tracker.track(Person())
            center!.addObserver(plain, named: .didReload) { _, _ in _ = kept }
            center!.addObserver(person, named: .didReload) { _, _ in _ = kept }
            center!.post(name: .didReload, object: nil)
        }
        #expect(tracker.liveCount == 1)
        center = nil
        #expect(tracker.liveCount == 0)
        withExtendedLifetime((plain, person)) {}
    }

    @Test("only those of a sender, which is not kept alive") func sender() {
        let tracker = LifetimeTracker()
        let other = Person("Other")
        do {
            let person = tracker.track(Person())
            panel.observeNotification(named: .didReload, object: person, center: center) { panel, _ in
                panel.log.append("heard")
            }
            center.post(name: .didReload, object: other)
            center.post(name: .didReload, object: "text")
            center.post(name: .didReload, object: nil)
            #expect(panel.log.isEmpty)
            center.post(name: .didReload, object: person)
            #expect(panel.log == ["heard"])
        }
        tracker.expectNoLeaks()
        center.post(name: .didReload, object: Person())
        #expect(panel.log.count == 1)
    }

    @Test("it ends with a tracked observer, exactly at its death") func tracked() {
        let tracker = LifetimeTracker()
        var observer: Person? = tracker.track(Person())
        let observation: NotificationObservation
        do {
            let token = tracker.token()
            observation = observer!.observeNotification(named: .didReload, center: center) { _, _ in token.touch() }
        }
        center.post(name: .didReload, object: nil)
        observer = nil
        tracker.expectNoLeaks()
        #expect(!observation.isValid)
        center.post(name: .didReload, object: nil)
    }

    @Test("the death of any other observer is noticed at the next notification") func untracked() {
        final class Anything {
            let token: LifetimeToken
            init(_ tracker: LifetimeTracker) { token = tracker.token() }
        }
        let tracker = LifetimeTracker()
        var anything: Anything? = Anything(tracker)
        do {
            let token = tracker.token()
            center.addObserver(anything!, named: .didReload) { _, _ in token.touch() }
        }
        center.post(name: .didReload, object: nil)
        #expect(tracker.liveCount == 2)
        anything = nil
        #expect(tracker.liveCount == 1)
        center.post(name: .didReload, object: nil)
        tracker.expectNoLeaks()
        let observation = center.addObserver(Anything(tracker), named: .didReload) { _, _ in }
        #expect(!observation.isValid)
    }

    @Test("also where the notification is another sender's") func untrackedOfOneSender() {
        final class Anything {}
        let (tracker, sender) = (LifetimeTracker(), NSObject())
        var anything: Anything? = Anything()
        do {
            let token = tracker.token()
            center.addObserver(anything!, named: .didReload, object: sender) { _, _ in token.touch() }
        }
        center.post(name: .didReload, object: NSObject())
        center.post(name: .didReload, object: nil)
        #expect(tracker.liveCount == 1)
        anything = nil
        center.post(name: .didReload, object: nil)
        tracker.expectNoLeaks()
    }

    @Test("a removed registration does not wait for a tracked observer's death any more") func removedBeforeDeath() {
        let tracker = LifetimeTracker()
        let observer = Person()
        weak var registration: NotificationObservation?
        do {
            let token = tracker.token()
            let made = observer.observeNotification(named: .didReload, center: center) { _, _ in token.touch() }
            made.remove()
            registration = made
        }
        tracker.expectNoLeaks()
        #expect(registration == nil)
        withExtendedLifetime(observer) {}
    }

    @Test("a scoped one ends when its token is released") func scoped() {
        let recorder = MessageLog()
        var token: ScopedNotificationObservation? = center.onNotification(.didReload) { recorder.add($0.name.rawValue) }
        center.post(name: .didReload, object: nil)
        #expect(token?.isValid == true)
        token = nil
        center.post(name: .didReload, object: nil)
        #expect(recorder.messages == ["didReload"])
        let all = center.onNotification(nil) { recorder.add("all \($0.name.rawValue)") }
        center.post(name: .didClose, object: nil)
        all.remove()
        center.post(name: .didClose, object: nil)
        #expect(recorder.messages == ["didReload", "all didClose"])
    }

    @Test("a handler may end its own registration") func inside() {
        let calls = MessageLog()
        var token: ScopedNotificationObservation?
        token = center.onNotification(.didReload) { _ in
            calls.add("call")
            token?.remove()
            token = nil
        }
        center.post(name: .didReload, object: nil)
        center.post(name: .didReload, object: nil)
        #expect(calls.messages.count == 1)
    }
}
