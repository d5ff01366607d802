"""Listening tests: what is planned, what is heard, what was answered, and what it says."""
