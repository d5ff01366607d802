"""Gates: limits that an evaluation has to keep, for those who build engines: a file of limits, and what became of each."""
