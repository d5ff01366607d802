"""Sentences for people, one file per language. They stand below all doors."""
