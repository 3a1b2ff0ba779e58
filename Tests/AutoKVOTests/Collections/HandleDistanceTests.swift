import AutoKVO
import AutoKVOTestSupport
import Testing

/// A handle of a list, read at random.
struct HandleDistanceTests {
    private final class List: Model { @Observed var songs = Array(0..<100_000) }

    @Test("goes to an element in one step") func random() {
        let list = List()
        let time = processorTime {
            for _ in 0..<2_000 {
                let song = list.$songs.randomElement()!
                #expect(list.$songs.dropFirst(song).first == song)
            }
        }
        // Else 200 million reads.
        #expect(time < 5)
        #expect(list.$songs.index(0, offsetBy: 5, limitedBy: 4) == nil && list.$songs.distance(from: 2, to: 9) == 7)
    }
}
