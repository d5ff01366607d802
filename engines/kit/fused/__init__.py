"""Fused kernels for GPUs: several operations in one kernel. There a step of a small model costs what its launches cost."""
