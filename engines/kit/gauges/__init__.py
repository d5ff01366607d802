"""What computing costs, for measurements: operations, launches, what a device could do."""
