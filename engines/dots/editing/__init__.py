"""Editing of recordings, which dots.tts.edit learned: a recording with its words, and what is to be changed, to the changed recording."""
