"""What this studio offers: engines with their weights, licenses and memory, and the default engine."""
