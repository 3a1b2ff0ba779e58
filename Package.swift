// swift-tools-version: 6.3

import PackageDescription

// In release builds, too, tests are compiled file by file: so every processor compiles some, and a second build only what has changed. The
// short form of scripts/check.sh optimizes the library, and not the tests, which takes a third of the time.
let isQuick = Context.environment["AUTOKVO_CHECK"] == "quick"
let fileByFile: [SwiftSetting] = [
    .unsafeFlags(
        ["-no-whole-module-optimization", "-enable-batch-mode"] + (isQuick ? ["-Onone"] : []),
        .when(configuration: .release))
]

// The step `thread` of that form builds only these files of AutoKVOTests, and no doc tests.
let testFiles = Context.environment["AUTOKVO_TEST_FILES"]?.split(separator: " ").map(String.init)

let package = Package(
    name: "AutoKVO",
    products: [
        .library(name: "AutoKVO", targets: ["AutoKVO"]),
        .library(name: "AutoKVOFoundation", targets: ["AutoKVOFoundation"]),
    ],
    targets: [
        .systemLibrary(name: "CLibBSD", pkgConfig: "libbsd", providers: [.apt(["libbsd-dev"])]),
        .target(
            name: "CDeallocHook",
            dependencies: [.target(name: "CLibBSD", condition: .when(platforms: [.linux]))],
            linkerSettings: [.linkedLibrary("bsd", .when(platforms: [.linux]))]),
        .target(name: "CSwiftRuntime", linkerSettings: [.linkedLibrary("dispatch", .when(platforms: [.linux]))]),
        .target(name: "CRecording"),
        .target(name: "AutoKVO", dependencies: ["CDeallocHook", "CSwiftRuntime", "CRecording"]),
        .target(name: "AutoKVOFoundation", dependencies: ["AutoKVO"]),

        .target(
            name: "AutoKVOTestSupport", dependencies: ["AutoKVO", "CDeallocHook"],
            path: "Tests/AutoKVOTestSupport"),
        .testTarget(name: "CDeallocHookTests", dependencies: ["CDeallocHook"]),
        .testTarget(
            name: "AutoKVOTests", dependencies: ["AutoKVO", "AutoKVOTestSupport", "CDeallocHook"],
            sources: testFiles, swiftSettings: fileByFile),
        .testTarget(
            name: "AutoKVOFoundationTests",
            dependencies: ["AutoKVOFoundation", "AutoKVOTestSupport"]),
        .testTarget(
            name: "AutoKVODocTests", dependencies: ["AutoKVO", "AutoKVOFoundation", "AutoKVOTestSupport"],
            swiftSettings: fileByFile),
        .testTarget(
            name: "AutoKVOMainActorTests", dependencies: ["AutoKVO"],
            swiftSettings: [.defaultIsolation(MainActor.self)]),
    ],
    swiftLanguageModes: [.v6],
    cLanguageStandard: .c11
)

if testFiles != nil { package.targets.removeAll { $0.name == "AutoKVODocTests" } }
