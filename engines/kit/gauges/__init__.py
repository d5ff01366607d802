"""The cost of computing, for measurements: operations, launches, what a device could do."""
