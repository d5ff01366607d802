"""Pronunciation dictionaries of workspaces, kept on disk."""
