// swift-tools-version: 6.3

import PackageDescription

// A package of its own, so that a client of AutoKVO never resolves what only the examples need.
let package = Package(
    name: "Examples",
    products: [
        .executable(name: "autokvo-monitor", targets: ["Monitor"]),
        .library(name: "InspectorServer", targets: ["InspectorServer"]),
    ],
    dependencies: [
        .package(name: "AutoKVO", path: ".."),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
        .package(url: "https://github.com/swhitty/FlyingFox", exact: "0.27.1"),
    ],
    targets: [
        .executableTarget(
            name: "Editor",
            dependencies: [
                .product(name: "AutoKVO", package: "AutoKVO"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            exclude: ["README.md", "Samples"]),
        .executableTarget(
            name: "Inspector",
            dependencies: ["InspectorServer", .product(name: "AutoKVO", package: "AutoKVO")],
            exclude: ["README.md", "screenshot.png"]),
        .target(
            name: "InspectorServer",
            dependencies: [
                .product(name: "AutoKVO", package: "AutoKVO"), .product(name: "FlyingFox", package: "FlyingFox"),
            ],
            resources: [.embedInCode("Page/page.css"), .embedInCode("Page/page.html"), .embedInCode("Page/page.js")]),
        .executableTarget(
            name: "Monitor",
            dependencies: [
                .product(name: "AutoKVO", package: "AutoKVO"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            exclude: ["README.md"],
            resources: [.embedInCode("panels.json")]),
        .executableTarget(
            name: "Pipeline",
            dependencies: [.product(name: "AutoKVO", package: "AutoKVO")],
            exclude: ["README.md"]),
        .executableTarget(
            name: "Ported",
            dependencies: [.product(name: "AutoKVO", package: "AutoKVO")],
            exclude: ["README.md"]),
        .executableTarget(
            name: "Replica",
            dependencies: [.product(name: "AutoKVO", package: "AutoKVO")],
            exclude: ["README.md"]),
        .executableTarget(
            name: "Settings",
            dependencies: [
                .product(name: "AutoKVOFoundation", package: "AutoKVO"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            exclude: ["README.md", "Samples"]),

        .testTarget(name: "EditorTests", dependencies: ["Editor"]),
        .testTarget(name: "InspectorTests", dependencies: ["Inspector", "InspectorServer"]),
        .testTarget(name: "MonitorTests", dependencies: ["Monitor"]),
        .testTarget(name: "PipelineTests", dependencies: ["Pipeline"]),
        .testTarget(name: "PortedTests", dependencies: ["Ported"]),
        .testTarget(name: "ReplicaTests", dependencies: ["Replica"]),
        .testTarget(name: "SettingsTests", dependencies: ["Settings"]),
    ],
    swiftLanguageModes: [.v6]
)
