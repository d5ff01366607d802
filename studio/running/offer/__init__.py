"""What this studio can offer: engines, their weights, licences and memory, and which one is meant by default."""
