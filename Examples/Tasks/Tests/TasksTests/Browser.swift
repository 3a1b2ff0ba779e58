import Foundation

/// Chromium without a window, driven by the DevTools protocol over a pair of pipes.
final class Browser {
    /// The program, if it is installed.
    static let program = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].first {
        FileManager.default.isExecutableFile(atPath: $0)
    }

    struct Failure: Error, CustomStringConvertible { let description: String }

    private let process = Process()
    private let (input, output) = (Pipe(), Pipe())
    private let folder: Folder
    private var read = Data()
    private var count = 0
    private var session: String?

    init(_ address: String) throws {
        folder = try Folder()
        process.executableURL = URL(filePath: "/bin/sh")
        // Chromium reads commands from file 3, and writes answers to file 4.
        process.arguments =
            [
                "-c", #"exec timeout 100 "$@" 3<&0 4>&1 </dev/null >/dev/null 2>&1"#, "sh", Self.program!,
                "--headless=new",
                "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars", "--no-first-run",
                "--disable-extensions", "--user-data-dir=\(folder.url.path)", "--window-size=1000,640",
                "--remote-debugging-pipe", "about:blank",
            ]
        (process.standardInput, process.standardOutput) = (input, output)
        try process.run()
        let target = try call("Target.createTarget", ["url": address])["targetId"] as? String ?? ""
        session = try call("Target.attachToTarget", ["targetId": target, "flatten": true])["sessionId"] as? String
    }

    deinit {
        try? input.fileHandleForWriting.close()
        if process.isRunning { process.terminate() }
        process.waitUntilExit()
    }

    /// A command, and its answer.
    @discardableResult func call(_ method: String, _ parameters: [String: Any] = [:]) throws -> [String: Any] {
        count += 1
        var message: [String: Any] = ["id": count, "method": method, "params": parameters]
        if let session { message["sessionId"] = session }
        try input.fileHandleForWriting.write(contentsOf: JSONSerialization.data(withJSONObject: message) + [0])
        while true {
            let answer = try nextMessage()
            // Everything else are events.
            if answer["id"] as? Int != count { continue }
            if let error = answer["error"] { throw Failure(description: "\(method): \(error)") }
            return answer["result"] as? [String: Any] ?? [:]
        }
    }

    private func nextMessage() throws -> [String: Any] {
        while true {
            if let end = read.firstIndex(of: 0) {
                let message = read[read.startIndex..<end]
                read = Data(read[(end + 1)...])
                return try JSONSerialization.jsonObject(with: Data(message)) as? [String: Any] ?? [:]
            }
            let data = output.fileHandleForReading.availableData
            if data.isEmpty { throw Failure(description: "the browser has ended") }
            read += data
        }
    }

    /// What a script gives, as text.
    func text(_ script: String) throws -> String {
        let answer = try call("Runtime.evaluate", ["expression": "String(\(script))", "returnByValue": true])
        let result = answer["result"] as? [String: Any] ?? [:]
        if let details = answer["exceptionDetails"] { throw Failure(description: "\(script): \(details)") }
        return result["value"] as? String ?? ""
    }

    /// Waits until a script gives a text, and returns what it gave at last.
    func text(_ script: String, becomes expected: String, seconds: Double = 15) throws -> String {
        let end = ContinuousClock.now + .seconds(seconds)
        while true {
            let found = (try? text(script)) ?? ""
            if found == expected || ContinuousClock.now > end { return found }
            usleep(30_000)
        }
    }

    /// A click of the mouse in the middle of an element.
    func click(_ selector: String, times: Int = 1) throws {
        let place = try text(
            """
            (() => { const box = document.querySelector('\(selector)').getBoundingClientRect();
            return [box.x + box.width / 2, box.y + box.height / 2].join(" "); })()
            """
        ).split(separator: " ").compactMap { Double($0) }
        guard place.count == 2 else { throw Failure(description: "no place for \(selector)") }
        for type in ["mousePressed", "mouseReleased"] {
            try call(
                "Input.dispatchMouseEvent",
                ["type": type, "x": place[0], "y": place[1], "button": "left", "clickCount": times])
        }
    }

    /// Text as from the keyboard.
    func type(_ text: String) throws { try call("Input.insertText", ["text": text]) }

    func press(_ key: String, code: Int) throws {
        for type in ["keyDown", "keyUp"] {
            try call(
                "Input.dispatchKeyEvent",
                [
                    "type": type, "key": key, "code": key, "windowsVirtualKeyCode": code,
                    "text": key == "Enter" && type == "keyDown" ? "\r" : "",
                ])
        }
    }

    /// Clicks a field, writes something else into it, and ends with the Enter key.
    func fill(_ selector: String, _ text: String) throws {
        try click(selector, times: 3)
        try call("Runtime.evaluate", ["expression": "document.activeElement.select()"])
        try type(text)
        try press("Enter", code: 13)
    }

    /// A picture of the page as it is now.
    func picture(_ scheme: String) throws -> Data {
        try call(
            "Emulation.setEmulatedMedia", ["features": [["name": "prefers-color-scheme", "value": scheme]]])
        usleep(100_000)
        let answer = try call(
            "Page.captureScreenshot",
            ["format": "png", "clip": ["x": 0, "y": 0, "width": 1000, "height": 370, "scale": 1]])
        guard let text = answer["data"] as? String, let data = Data(base64Encoded: text) else {
            throw Failure(description: "no picture")
        }
        return data
    }
}
