// swift-tools-version: 6.3

import PackageDescription

// A package of its own: the other examples need no database.
let package = Package(
    name: "Tasks",
    dependencies: [
        .package(name: "AutoKVO", path: "../.."),
        .package(url: "https://github.com/groue/GRDB.swift", exact: "7.10.0"),
        .package(url: "https://github.com/swhitty/FlyingFox", exact: "0.27.1"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", exact: "2.13.0"),
        .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
        .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
        .package(url: "https://github.com/apple/swift-async-algorithms", exact: "1.1.4"),
    ],
    targets: [
        .executableTarget(
            name: "Tasks",
            dependencies: [
                .product(name: "AutoKVO", package: "AutoKVO"),
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "FlyingFox", package: "FlyingFox"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "AsyncAlgorithms", package: "swift-async-algorithms"),
            ],
            resources: [.embedInCode("Page/page.css"), .embedInCode("Page/page.html"), .embedInCode("Page/page.js")]),
        .testTarget(name: "TasksTests", dependencies: ["Tasks"]),
    ],
    swiftLanguageModes: [.v6]
)
