/// How the program tells what happens, for a person or for another program.
protocol Reporter {
    /// A panel could not be opened; the others go on.
    mutating func failed(_ slot: PanelSlot)
    /// A sample was taken and every change has been delivered.
    mutating func sampled(_ sample: Int, _ slots: [PanelSlot])
    /// A panel was released.
    mutating func closed(_ slot: PanelSlot, afterSample sample: Int, live: Int)
    /// All panels were released.
    mutating func finished(samples: Int, live: Int)
}
