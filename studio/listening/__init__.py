"""Listening tests: plans, sounds, listeners, votes and findings."""
