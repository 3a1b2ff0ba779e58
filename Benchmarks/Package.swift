// swift-tools-version: 6.3

import PackageDescription

// A package of its own, so that a client of AutoKVO never resolves what only the measuring needs.
let package = Package(
    name: "Benchmarks",
    dependencies: [
        .package(name: "AutoKVO", path: ".."),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
        .package(url: "https://github.com/OpenCombine/OpenCombine", exact: "0.14.0"),
    ],
    targets: [
        .target(name: "CBenchSupport"),
        .target(name: "BenchKit", dependencies: ["CBenchSupport"]),
        // One executable per system, so that one that does not build is left out and the rest still run.
        .executableTarget(name: "bench-floor", dependencies: ["BenchKit"]),
        .executableTarget(name: "bench-observation", dependencies: ["BenchKit"]),
        .executableTarget(name: "bench-notificationcenter", dependencies: ["BenchKit"]),
        .executableTarget(
            name: "bench-opencombine",
            dependencies: ["BenchKit", .product(name: "OpenCombine", package: "OpenCombine")]),
        .target(
            name: "FirstUse", dependencies: [.product(name: "AutoKVO", package: "AutoKVO")], exclude: ["generate.py"]),
        .executableTarget(
            name: "bench-autokvo",
            dependencies: ["BenchKit", "FirstUse", .product(name: "AutoKVO", package: "AutoKVO")]),
        // The same operations counted, in blocks of memory and in instructions: figures that do not depend on the machine's mood.
        .target(name: "CCountingMalloc"),
        .executableTarget(
            name: "counts-autokvo",
            dependencies: ["BenchKit", "CCountingMalloc", "FirstUse", .product(name: "AutoKVO", package: "AutoKVO")]),
        .executableTarget(name: "counts"),
        // Programs of a size that no test has: see its first lines.
        .executableTarget(
            name: "simulate",
            dependencies: [
                "BenchKit", .product(name: "AutoKVO", package: "AutoKVO"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]),
        .executableTarget(
            name: "sweep",
            dependencies: [.product(name: "ArgumentParser", package: "swift-argument-parser")]),
    ],
    swiftLanguageModes: [.v6],
    cLanguageStandard: .gnu11
)
