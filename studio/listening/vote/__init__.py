"""The listener's side of a test: sessions, answers and their checks, votes."""
