import Foundation

/// Where the program writes: a block of lines that is redrawn in place on a terminal, or line after line in a pipe.
struct Screen {
    let isTerminal: Bool
    let write: (String) -> Void
    private var drawn = 0

    init(isTerminal: Bool, write: @escaping (String) -> Void) {
        self.isTerminal = isTerminal
        self.write = write
    }

    /// Standard output. What is written reaches a pipe at once, not when a buffer is full.
    static var standardOutput: Screen {
        Screen(isTerminal: isatty(STDOUT_FILENO) == 1) { text in
            FileHandle.standardOutput.write(Data(text.utf8))
        }
    }

    /// Replaces the block of the last call; in a pipe the lines are simply added.
    mutating func draw(_ lines: [String]) {
        guard isTerminal else {
            write(lines.map { $0 + "\n" }.joined())
            return
        }
        // A line that wraps, or a block higher than the terminal, would make the next redrawing start in the wrong row.
        let (rows, columns) = Self.size
        let shown = lines.prefix(max(rows - 1, 1)).map { $0.prefix(columns: columns) + "\n" }
        write(eraseBlock() + shown.joined())
        drawn = shown.count
    }

    /// One line that stays: on a terminal it moves up out of the block.
    mutating func say(_ line: String) {
        write(eraseBlock() + line + "\n")
        drawn = 0
    }

    /// What is drawn now stays; the next line comes below it.
    mutating func keepBlock() {
        drawn = 0
    }

    /// Moves to the first line of the block and clears everything below.
    private func eraseBlock() -> String {
        drawn > 0 ? "\u{1B}[\(drawn)A\u{1B}[0J" : ""
    }

    private static var size: (rows: Int, columns: Int) {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
            return (24, 80)
        }
        return (Int(size.ws_row), Int(size.ws_col))
    }
}
