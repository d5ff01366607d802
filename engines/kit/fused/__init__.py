"""Several operations in one kernel, for GPUs, where a step of a small model costs what its launches cost."""
