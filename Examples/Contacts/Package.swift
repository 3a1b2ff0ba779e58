// swift-tools-version: 6.3

import PackageDescription

// A package of its own, so that the other examples need no GTK.
let package = Package(
    name: "Contacts",
    products: [.library(name: "GLibBridge", targets: ["GLibBridge"])],
    dependencies: [.package(name: "AutoKVO", path: "../..")],
    targets: [
        .systemLibrary(name: "CGtk", pkgConfig: "gtk4", providers: [.apt(["libgtk-4-dev"])]),
        .target(name: "GLibBridge", dependencies: ["CGtk", .product(name: "AutoKVO", package: "AutoKVO")]),
        .executableTarget(
            name: "Contacts",
            dependencies: ["CGtk", "GLibBridge", .product(name: "AutoKVO", package: "AutoKVO")],
            exclude: ["Samples"],
            resources: [.embedInCode("window.ui")]),
        // Tests/XCTMain.swift has GLib's loop on the main thread of the tests.
        .testTarget(name: "ContactsTests", dependencies: ["CGtk", "Contacts", "GLibBridge"]),
    ],
    swiftLanguageModes: [.v6]
)
