// swift-tools-version: 6.3

import PackageDescription

let package = Package(
    name: "AutoKVO",
    products: [
        .library(name: "AutoKVO", targets: ["AutoKVO"]),
        .library(name: "AutoKVOFoundation", targets: ["AutoKVOFoundation"]),
        .executable(name: "autokvo-monitor", targets: ["autokvo-monitor"]),
    ],
    dependencies: [
        // For autokvo-monitor's command line alone: the libraries depend on no Swift package.
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0")
    ],
    targets: [
        .systemLibrary(name: "CLibBSD", pkgConfig: "libbsd", providers: [.apt(["libbsd-dev"])]),
        .target(
            name: "CDeallocHook",
            dependencies: [.target(name: "CLibBSD", condition: .when(platforms: [.linux]))],
            linkerSettings: [.linkedLibrary("bsd", .when(platforms: [.linux]))]),
        .target(name: "CSwiftRuntime"),
        .target(name: "AutoKVO", dependencies: ["CDeallocHook", "CSwiftRuntime"]),
        .target(name: "AutoKVOFoundation", dependencies: ["AutoKVO"]),
        .executableTarget(
            name: "autokvo-monitor",
            dependencies: ["AutoKVO", .product(name: "ArgumentParser", package: "swift-argument-parser")],
            resources: [.embedInCode("panels.json")]),

        .target(
            name: "AutoKVOTestSupport", dependencies: ["AutoKVO", "CDeallocHook"],
            path: "Tests/AutoKVOTestSupport"),
        .testTarget(name: "CDeallocHookTests", dependencies: ["CDeallocHook"]),
        .testTarget(name: "AutoKVOTests", dependencies: ["AutoKVO", "AutoKVOTestSupport", "CDeallocHook"]),
        .testTarget(
            name: "AutoKVOFoundationTests",
            dependencies: ["AutoKVOFoundation", "AutoKVOTestSupport"]),
        .testTarget(name: "AutoKVOMonitorTests", dependencies: ["autokvo-monitor"]),
        .testTarget(name: "AutoKVODocTests", dependencies: ["AutoKVO", "AutoKVOFoundation"]),
        .testTarget(
            name: "AutoKVOMainActorTests", dependencies: ["AutoKVO"],
            swiftSettings: [.defaultIsolation(MainActor.self)]),
    ],
    swiftLanguageModes: [.v6],
    cLanguageStandard: .c11
)
