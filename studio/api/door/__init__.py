"""The parts that all routes share: arrival, limits, errors, meters, threads."""
