@testable import autokvo_monitor
