import AutoKVO

/// One network interface; its rates are in bytes a second since the last sample.
final class NetworkInterface: TrackedObject {
    let name: String
    @Observed var receivedPerSecond = 0.0
    @Observed var sentPerSecond = 0.0

    var totalPerSecond: Double { receivedPerSecond + sentPerSecond }

    init(name: String) {
        self.name = name
        super.init()
    }

    override class var schema: Schema {
        Schema(NetworkInterface.self, extending: super.schema) {
            Key("name", \.name, notifiesAutomatically: false)
            Key("totalPerSecond", \.totalPerSecond, affectedBy: "receivedPerSecond", "sentPerSecond")
        }
    }
}
