"""What this studio can offer: engines, their weights, licenses and memory, and which one is meant by default."""
