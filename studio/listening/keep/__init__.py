"""Storage of listening tests: plan, sounds, listeners and votes, on disk."""
