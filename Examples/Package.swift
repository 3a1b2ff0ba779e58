// swift-tools-version: 6.3

import PackageDescription

// A package of its own, so that a client of AutoKVO never resolves what only the examples need.
let package = Package(
    name: "Examples",
    dependencies: [
        .package(name: "AutoKVO", path: ".."),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
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
            name: "Ported",
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
        .testTarget(name: "PortedTests", dependencies: ["Ported"]),
        .testTarget(name: "SettingsTests", dependencies: ["Settings"]),
    ],
    swiftLanguageModes: [.v6]
)
