"""Voxtral 4B TTS."""
