import Foundation
import Testing

@testable import Tasks

extension ServerTests {
    /// What a browser shows: for each list its title, its counts, and its tasks.
    private static let shown = """
        [...document.querySelectorAll("section")].map(section => section.querySelector(".title").value + ": " +
            section.querySelector(".counts").textContent + ": " + [...section.querySelectorAll("li")].map(item =>
            (item.querySelector("[type=checkbox]").checked ? "x " : "") + item.querySelector(".title").value).join(", ")).join("; ")
        """

    @Test(
        "two browsers: what one edits the other shows, with the caret where it was, and both come back after a kill",
        .enabled(if: Browser.program != nil, "Chromium is not installed."))
    func browsers() throws {
        let folder = try Folder()
        var server = try ServerProcess(folder.database)
        let address = "http://127.0.0.1:\(server.port)/"
        let (ann, bob) = (try Browser(address), try Browser(address))
        func both(_ expected: String) throws {
            for browser in [ann, bob] { #expect(try browser.text(Self.shown, becomes: expected) == expected) }
        }
        for browser in [ann, bob] {
            #expect(try browser.text("document.getElementById('state').textContent", becomes: "live") == "live")
        }

        try ann.fill("#new-list-title", "Home")
        try both("Home: 0 left: ")
        for title in ["Bread", "<b>Milk</b>", "Tea"] {
            try ann.fill("section .new-task", title)
            #expect(try ann.text("document.querySelector('.new-task').value", becomes: "") == "")
        }
        try both("Home: 3 left: Bread, <b>Milk</b>, Tea")

        // Ann is writing while Bob edits.
        try ann.click(".new-task")
        try ann.type("Half a")
        try bob.click("li:nth-child(1) [type=checkbox]")
        try both("Home: 2 left: x Bread, <b>Milk</b>, Tea")
        try bob.fill("li:nth-child(2) .title", "Milk")
        try both("Home: 2 left: x Bread, Milk, Tea")
        try ann.type(" word")
        #expect(
            try ann.text("document.activeElement.className + document.activeElement.value") == "new-taskHalf a word")

        // Moved up by the one, late by the other.
        try ann.click("li:nth-child(3) button")
        try both("Home: 2 left: x Bread, Tea, Milk")
        try bob.fill("li:nth-child(2) .due", "2026-01-05")
        try both("Home: 2 left, 1 late: x Bread, Tea, Milk")

        // What the server refuses is said, and not shown.
        try bob.fill("li:nth-child(2) .due", "tomorrow")
        let problem = "invalid value for \"due\": a day is written as 2026-12-31"
        #expect(try bob.text("document.getElementById('problem').textContent", becomes: problem) == problem)
        #expect(
            try bob.text("document.querySelector('li:nth-child(2) .due').value", becomes: "2026-01-05") == "2026-01-05")
        #expect(try ann.text("document.querySelector('li:nth-child(2) .due').value") == "2026-01-05")

        // Killed, and started again: both find it by themselves.
        let port = server.port
        server.end(SIGKILL)
        for browser in [ann, bob] {
            let text = "the server does not answer"
            #expect(try browser.text("document.getElementById('state').textContent", becomes: text) == text)
        }
        server = try ServerProcess(folder.database, port: port)
        try server.edit("POST", "/lists", #"{"title":"Work"}"#)
        try both("Home: 2 left, 1 late: x Bread, Tea, Milk; Work: 0 left: ")
        try ann.click("li:nth-child(2) [type=checkbox]")
        try both("Home: 1 left: x Bread, x Tea, Milk; Work: 0 left: ")

        // Hundreds of turns, with edits of every kind: both show what the server has.
        var numbers = SeededNumbers(state: 3)
        for number in 0..<300 {
            let lists = try server.board().board.lists
            let (list, task) = (
                lists.randomElement(using: &numbers)!, lists.flatMap(\.tasks).randomElement(using: &numbers)!
            )
            switch Int.random(in: 0..<6, using: &numbers) {
            case 0, 1: try server.edit("POST", "/lists/\(list.id)/tasks", #"{"title":"\#(number)"}"#)
            case 2: try server.edit("PATCH", "/tasks/\(task.id)", #"{"order":\#(numbers.next() % 50),"isDone":true}"#)
            case 3: try server.edit("PATCH", "/tasks/\(task.id)", #"{"title":"\#(number)","isDone":false}"#)
            case 4 where lists.flatMap(\.tasks).count > 3: try server.edit("DELETE", "/tasks/\(task.id)")
            default:
                try server.edit(
                    "POST", "/edits",
                    #"""
                    {"edits":[{"add":"lists/\#(list.id)","values":{"title":"\#(number)a","due":"2026-01-01"}},
                    {"add":"lists/\#(list.id)","values":{"title":"\#(number)b","order":2}},{"set":"lists/\#(list.id)","values":{"title":"L\#(number)"}}]}
                    """#)
            }
        }
        try both(
            try server.board().board.lists.map { list in
                let tasks = list.tasks.sorted { ($0.order, $0.id) < ($1.order, $1.id) }
                let late = list.late > 0 ? ", \(list.late) late" : ""
                return "\(list.title): \(list.left) left\(late): "
                    + tasks.map { ($0.isDone ? "x " : "") + $0.title }.joined(separator: ", ")
            }.joined(separator: "; "))
        try both(try ann.text(Self.shown))
    }

    @Test("the page, light and dark", .enabled(if: Browser.program != nil, "Chromium is not installed."))
    func pictures() throws {
        let folder = try Folder()
        let server = try ServerProcess(folder.database)
        for (title, tasks) in [
            (
                "Home",
                [#""Bread","isDone":true"#, #""Water the plants""#, #""Pay the electricity bill","due":"2026-01-31""#]
            ),
            (
                "Release 1.1",
                [#""Write the changelog""#, #""Measure again","due":"2099-12-01""#, #""Tag","due":"2099-12-04""#]
            ),
        ] {
            let list = try server.edit("POST", "/lists", #"{"title":"\#(title)"}"#).ids[0]
            for task in tasks { try server.edit("POST", "/lists/\(list)/tasks", "{\"title\":\(task)}") }
        }
        let browser = try Browser("http://127.0.0.1:\(server.port)/")
        #expect(try browser.text("document.querySelectorAll('li').length", becomes: "6") == "6")
        var pictures: [Data] = []
        for scheme in ["light", "dark"] {
            let picture = try browser.picture(scheme)
            #expect(picture.starts(with: [0x89, 0x50, 0x4E, 0x47]) && picture.count > 8000)
            pictures.append(picture)
            // To see what the test has seen.
            if let path = ProcessInfo.processInfo.environment["TASKS_SCREENSHOTS"] {
                try picture.write(to: URL(filePath: path).appending(path: "\(scheme).png"))
            }
        }
        #expect(pictures[0] != pictures[1])
    }
}
