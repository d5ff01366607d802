"""What is kept of a listening test: its plan, sounds, listeners and votes, on disk."""
