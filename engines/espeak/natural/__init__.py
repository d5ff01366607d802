"""The optional natural source of English speech, and how a speaker is learned relative to it."""
