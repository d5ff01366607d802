"""Adapters of a network: what fine-tuning adds to a checkpoint, folded into its matrices as they are read."""
