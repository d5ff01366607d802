"""Dialogues, plays and screenplays: who says what."""
