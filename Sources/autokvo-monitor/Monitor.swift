import ArgumentParser

@main
struct Monitor: ParsableCommand {}
