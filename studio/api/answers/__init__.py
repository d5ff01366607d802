"""Answers to a client: streamed speech, whole files, results, and how a speech ended."""
