"""ZeroGPU: a GPU that the host of a Space lends for one call."""
