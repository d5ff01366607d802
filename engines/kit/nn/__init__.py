"""Layers of transformers: attention, norms, feed-forward networks, keys and values, products on CPUs."""
