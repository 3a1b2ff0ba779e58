import AutoKVO
import AutoKVOTestSupport
import Observation
import Testing

@globalActor private actor AudioActor { static let shared = AudioActor() }

/// A class on a global actor of its own. It declares nothing: its observed properties are its keys.
@AudioActor private final class Mixer: TrackedObject {
    @Observed var volume = 1
    @Observed var channels: [String] = []
    @Observed var next: Mixer?
    @Derived({ (mixer: Mixer) in mixer.volume * mixer.channels.count }) var power: Int
}

/// Classes of another global actor.
struct GlobalActorTests {
    @Test("have derived values") @AudioActor func derived() throws {
        let (mixer, recorder) = (Mixer(), Recorder<Any>())
        try mixer.observe("power", options: .new, recorder.handler())
        mixer.channels = ["left", "right"]
        mixer.volume = 3
        expectEqual(recorder.news(Int.self), [2, 6])
    }

    @Test("are complete with their observed properties") @AudioActor func complete() throws {
        let mixer = Mixer()
        let recorder = Recorder<Any>()
        var log: [String] = []
        try mixer.observe("volume", options: [.old, .new], recorder.handler())
        mixer.observe(\.$volume, options: .new) { mixer, change in log.append("\(mixer.volume) \(change.newValue!)") }
        try mixer.observe("channels", options: .new) { log.append("\($0.kind)") }
        try mixer.observe("next.volume", as: Int.self, options: .new) { log.append("next \($0.newValue!)") }
        mixer.volume = 2
        mixer.$channels.append("left")
        mixer.next = Mixer()
        mixer.next!.volume = 3
        expectEqual(recorder.news(Int.self), [2])
        expectEqual(recorder.olds(Int.self), [1])
        expectEqual(log, ["2 2", "insertion", "next 1", "next 3"])
        try expectEqual(mixer.value(forKey: "volume") as? Int, 2)
        try expectEqual(mixer.value(forKeyPath: "next.volume") as? Int, 3)
        expectCall(mixer.observable.volume) { mixer.volume = 4 }
    }

    @Test("are observed by their own actor's tasks, and end with the object") func death() async {
        let isValid = await Task { @AudioActor in
            var mixer: Mixer? = Mixer()
            let observation = mixer!.$volume.observe { _ in }
            mixer = nil
            return observation.isValid
        }.value
        #expect(!isValid)
    }
}
