// swift-tools-version: 6.3

import PackageDescription

// A package of its own, so that a client of AutoKVO never resolves what only the examples need.
let package = Package(
    name: "Examples",
    products: [
        .executable(name: "autokvo-monitor", targets: ["Monitor"]),
    ],
    dependencies: [
        .package(name: "AutoKVO", path: ".."),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
    ],
    targets: [
        .executableTarget(
            name: "Monitor",
            dependencies: [
                .product(name: "AutoKVO", package: "AutoKVO"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            exclude: ["README.md"],
            resources: [.embedInCode("panels.json")]),

        .testTarget(name: "MonitorTests", dependencies: ["Monitor"]),
    ],
    swiftLanguageModes: [.v6]
)
