import Foundation

/// One JSON object a line: `{"event":"sample", …}`, and `failed`, `closed` and `finished`.
struct JSONReporter: Reporter {
    let write: (String) -> Void

    func failed(_ slot: PanelSlot) {
        emit(Failed(name: slot.declaration.name, keyPath: slot.declaration.keyPath, error: slot.failure ?? ""))
    }

    func sampled(_ sample: Int, _ slots: [PanelSlot]) {
        emit(Sampled(sample: sample, panels: slots.compactMap(Figure.init)))
    }

    func closed(_ slot: PanelSlot, afterSample sample: Int, live: Int) {
        emit(
            Closed(
                name: slot.declaration.name, keyPath: slot.declaration.keyPath, sample: sample,
                observation: slot.observationState, liveObservations: live))
    }

    func finished(samples: Int, live: Int) {
        emit(Finished(samples: samples, liveObservations: live))
    }

    private func emit(_ event: some Encodable) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Nothing in these types can fail to encode: figures that are no numbers in JSON become null below.
        guard let data = try? encoder.encode(event) else { return }
        write(String(decoding: data, as: UTF8.self) + "\n")
    }

    private struct Failed: Encodable {
        var event = "failed"
        let name, keyPath, error: String
    }

    private struct Sampled: Encodable {
        var event = "sample"
        let sample: Int
        let panels: [Figure]
    }

    private struct Closed: Encodable {
        var event = "closed"
        let name, keyPath: String
        let sample: Int
        let observation: String
        let liveObservations: Int
    }

    private struct Finished: Encodable {
        var event = "finished"
        let samples, liveObservations: Int
    }

    private struct Figure: Encodable {
        let name, keyPath, text: String
        let value: Value
        let changes: Int

        init?(_ slot: PanelSlot) {
            guard let panel = slot.panel else { return nil }
            name = slot.declaration.name
            keyPath = slot.declaration.keyPath
            text = panel.reading.text(slot.declaration.unit)
            value = Value(reading: panel.reading)
            changes = panel.changes
        }
    }

    private struct Value: Encodable {
        let reading: Reading

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            switch reading {
            case .number(let number) where number.isFinite: try container.encode(number)
            case .text(let text): try container.encode(text)
            case .number, .nothing: try container.encodeNil()
            }
        }
    }
}
