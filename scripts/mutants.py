#!/usr/bin/env python3
"""Says which conditions and statements of the library no test depends on.

    scripts/mutants.py                     of all folders of Sources/AutoKVO; that takes hours
    scripts/mutants.py Collections Values  of these
    scripts/mutants.py --list              what survived, of all that has been tried

A mutant is the library with one statement left out, or one condition taken as false (of a `guard`, and of each part of an
`&&`, as true). All of them are in one build, each behind a switch; a process of the tests has one of them on, and ends with the first
test that fails. Tests that take longer than 0.15 s are left out: what survives is to be tried with the others too
(`AUTOKVO_MUTANT=number` before the test program), and then to be judged. It is needed and has no test; or it only makes something faster; or
it can go.

The build is in .build-mutants, of the last commit. What has been tried is kept there, by file and text, and not tried again.
Conditions and statements of several lines, initializers, and what the compiler does not take with a switch around it, are left out.
"""
import argparse, json, os, queue, re, signal, subprocess, threading, time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
HOME = ROOT / ".build-mutants"
PACKAGE, RESULTS, TESTS = HOME / "package", HOME / "results.jsonl", HOME / "tests.json"
SLOW = 0.15  # seconds
LONGEST = 100  # seconds that a process of the quick tests may take
SWITCH = '''#if canImport(Glibc)
    import Glibc
#endif
@usableFromInline let activeMutant = getenv("AUTOKVO_MUTANT").flatMap { Int(String(cString: $0)) } ?? 0
@usableFromInline func mutant(_ number: Int, _ condition: Bool, is value: Bool) -> Bool {
    number == activeMutant ? value : condition
}
@usableFromInline func isKept(_ number: Int) -> Bool { number != activeMutant }
'''
MODIFIERS = r"(?:@\S+\s+|(?:public|package|fileprivate|private|convenience|override|required)\s+)*"
STATEMENT = re.compile(r"^(?:[a-zA-Z_$(][\w.!?$\[\]]*(?:\(|\.|\s[-+|&]?&?=\s)|\([^=]*\) = \()")
NO_STATEMENT = re.compile(
    r"^(?:let|var|return|throw|case|default|func|static|private|public|package|fileprivate|@|else|if|guard|for|while|repeat|switch|try|await"
    r"|defer|nonisolated|in\b|\w+:|#|typealias|import|final|class|struct|assert|precondition|requireUsage|TestPoint|fatal|super|self\.init)")
CONTINUES = (".", "?", ":", "&&", "||", "+", "-", "==", "{")
IS_CONTINUED = ("(", ",", "<", "=", "&&", "||", "??", "?", ":", "->", "return", "+")


def parts(text, separator=None):
    """The text between separators that are in no brackets and no string; without a separator, whether its brackets are balanced."""
    found, depth, start, i, quoted = [], 0, 0, 0, False
    while i < len(text):
        character = text[i]
        if quoted:
            i += character == "\\"
            quoted = character != '"'
        elif character == '"':
            quoted = True
        elif character in "([{":
            depth += 1
        elif character in ")]}":
            depth -= 1
            if depth < 0 and not separator:
                return False
        elif depth == 0 and separator and text.startswith(separator, i):
            found.append(text[start:i])
            i += len(separator)
            start = i
            continue
        i += 1
    return found + [text[start:]] if separator else depth == 0 and not quoted


class Mutants:
    def __init__(self, refused):
        self.all, self.refused = [], refused

    def add(self, file, line, kind, text):
        if (file, kind, text) in self.refused:
            return None
        self.all.append(dict(number=len(self.all) + 1, file=file, line=line, kind=kind, text=text))
        return len(self.all)

    def condition(self, file, line, clause, is_guard):
        text = clause.strip()
        if re.match(r"(?:let|var|case|#|try|await)\b|#", text) or " try " in text or "await" in text:
            return clause
        whole = text
        for separator, value in [(" || ", "false"), (" && ", "true")]:
            pieces = parts(text, separator) if " ? " not in text else [text]
            if len(pieces) > 1:
                numbers = [self.add(file, line, f"part is {value}", piece) for piece in pieces]
                pieces = [f"mutant({n}, {piece}, is: {value})" if n else piece for n, piece in zip(numbers, pieces)]
                whole = separator.join(pieces)
                break
        value = "true" if is_guard else "false"
        number = self.add(file, line, f"is {value}", text)
        changed = f"mutant({number}, {whole}, is: {value})" if number else whole
        return clause.replace(text, changed, 1)

    def line(self, file, number, line, before, behind):
        if found := re.match(r"^(\s*(?:\} else )?)(if|guard) (.+)$", line):
            head, keyword, rest = found.groups()
            for end in re.finditer(r"( else)? \{", rest):
                conditions, tail = rest[:end.start()], rest[end.start():]
                if parts(conditions) and (keyword == "if" or end.group(1)):
                    clauses = [self.condition(file, number, c, keyword == "guard") for c in parts(conditions, ", ")]
                    return f"{head}{keyword} {', '.join(clauses)}{tail}"
            return line
        if found := re.match(r"^(\s*for .+ where )(.+)( \{.*)$", line):
            head, condition, tail = found.groups()
            return head + self.condition(file, number, condition, True) + tail if parts(condition) else line
        text = line.strip()
        is_whole = parts(text) and not behind.startswith(CONTINUES) and not before.endswith(IS_CONTINUED)
        if is_whole and STATEMENT.match(text) and not NO_STATEMENT.match(text) and not text.endswith((" in", "{", ",")):
            if switch := self.add(file, number, "left out", text):
                return line.replace(text, f"if isKept({switch}) {{ {text} }}", 1)
        return line

    def file(self, path):
        """Puts a switch around what may be a mutant, outside of initializers and of what only debug builds have."""
        file, lines = str(path.relative_to(PACKAGE)), path.read_text().split("\n")
        depth, skipped, header, debug, changed = 0, None, False, False, []
        for i, line in enumerate(lines):
            text = line.strip()
            outer, code = depth, re.sub(r'"(\\.|[^"\\])*"', "", line.split("//")[0])
            depth += code.count("{") - code.count("}")
            debug = debug and not text.startswith("#endif") or text.startswith("#if DEBUG")
            if re.match(MODIFIERS + r"(?:init[(<?]|deinit\b)", text):
                skipped, header = outer, "{" not in code
            if skipped is None and not debug and outer > 0 and not text.startswith("//"):
                before, behind = [lines[j].strip() if 0 <= j < len(lines) else "" for j in (i - 1, i + 1)]
                line = self.line(file, i + 1, line, before, behind)
            changed.append(line)
            header = header and "{" not in code
            if skipped is not None and depth <= skipped and not header:
                skipped = None
        path.write_text("\n".join(changed))


def run(*command, **options):
    return subprocess.run(command, cwd=PACKAGE, text=True, errors="replace", capture_output=True, **options)


def build(folders):
    """Builds the package with all switches that the compiler takes. Returns the mutants."""
    HOME.mkdir(exist_ok=True)
    if not PACKAGE.exists():
        subprocess.run(["git", "clone", "-q", ROOT, PACKAGE], check=True)
    run("git", "fetch", "-q", ROOT, "HEAD", check=True)
    run("git", "reset", "-q", "--hard", "FETCH_HEAD", check=True)
    run("git", "clean", "-fdxq", "-e", ".build", check=True)
    refused = set()
    while True:
        run("git", "checkout", "-q", "Sources", check=True)
        mutants = Mutants(refused)
        for folder in folders:
            for path in sorted((PACKAGE / "Sources/AutoKVO" / folder).rglob("*.swift")):
                mutants.file(path)
        (PACKAGE / "Sources/AutoKVO/Model/Mutants.swift").write_text(SWITCH)
        built = run("swift", "build", "--target", "AutoKVO")
        if built.returncode == 0:
            break
        before = len(refused)
        for file, line in re.findall(r"/package/(Sources/\S+\.swift):(\d+):\d+: error:", built.stdout + built.stderr):
            own = [m for m in mutants.all if m["file"] == file and m["line"] <= int(line)]
            refused |= {(m["file"], m["kind"], m["text"]) for m in own if m["line"] == max(m["line"] for m in own)}
        if len(refused) == before:
            raise SystemExit(built.stdout[-3000:] + built.stderr[-3000:])
    print(f"{len(mutants.all)} mutants; the compiler refuses {len(refused)}", flush=True)
    tests = run("swift", "build", "--build-tests")
    if tests.returncode:
        raise SystemExit(tests.stdout[-3000:] + tests.stderr[-3000:])
    return mutants.all


def test(number, *options, until_failure=True):
    """Runs tests with a mutant. Returns what failed, None if nothing did."""
    program = next((PACKAGE / ".build/debug").glob("*PackageTests.xctest"))
    environment = dict(
        os.environ, AUTOKVO_MUTANT=str(number), SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH="1", SWIFT_BACKTRACE="enable=no")
    process = subprocess.Popen(
        [program, "--testing-library", "swift-testing", *options], cwd=PACKAGE, env=environment, text=True, errors="replace",
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
    timer = threading.Timer(LONGEST if until_failure else 3600, os.killpg, (process.pid, signal.SIGKILL))
    timer.start()
    failure = next((line.strip()[:200] for line in process.stdout if "✘" in line), None)
    if failure:
        os.killpg(process.pid, signal.SIGKILL)
    code = process.wait()
    timer.cancel()
    return failure or (f"ended with {code}" if code else None)


def slow_tests():
    """The options that leave out the tests which take long without a mutant."""
    if failure := test(0, "--event-stream-output-path", TESTS, "--event-stream-version", "0", until_failure=False):
        raise SystemExit(f"Without a mutant: {failure}")
    begun, slow = {}, set()
    for line in TESTS.read_text().splitlines():
        event = json.loads(line)["payload"]
        if event.get("kind") == "testStarted":
            begun[event["testID"]] = event["instant"]["absolute"]
        elif event.get("kind") == "testEnded" and "(" in event["testID"]:
            if event["instant"]["absolute"] - begun[event["testID"]] > SLOW:
                # Module.Suite/function(arguments:)/File.swift:line:column
                slow.add(re.match(r"[^.]*\.(.*?)\(", event["testID"])[1])
    print(f"{len(slow)} tests are left out", flush=True)
    return [option for name in sorted(slow) for option in ("--skip", re.escape(name) + r"\(")]


def tried():
    lines = RESULTS.read_text().splitlines() if RESULTS.exists() else []
    return [json.loads(line) for line in lines]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folders", nargs="*")
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    parser.add_argument("--list", action="store_true")
    arguments = parser.parse_args()
    if not arguments.list:
        folders = arguments.folders or sorted(p.name for p in (ROOT / "Sources/AutoKVO").iterdir() if p.is_dir())
        known = {(m["file"], m["kind"], m["text"]) for m in tried()}
        mutants, waiting = build(folders), queue.Queue()
        skipped = slow_tests()
        for each in mutants:
            if (each["file"], each["kind"], each["text"]) not in known:
                waiting.put(each)
        print(f"{waiting.qsize()} to be tried", flush=True)
        lock = threading.Lock()

        def work():
            while not waiting.empty():
                each = waiting.get()
                begun = time.time()
                result = dict(each, failed=test(each["number"], *skipped), seconds=round(time.time() - begun, 1))
                with lock, RESULTS.open("a") as results:
                    results.write(json.dumps(result) + "\n")

        workers = [threading.Thread(target=work) for _ in range(arguments.workers)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
    survivors = [m for m in tried() if not m["failed"]]
    for each in sorted(survivors, key=lambda m: (m["file"], m["line"])):
        print(f"{each['file']}:{each['line']}: {each['kind']}: {each['text']}")
    print(f"{len(survivors)} of {len(tried())} mutants survived")


main()
