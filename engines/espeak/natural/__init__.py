"""The optional natural source of English, and how a speaker is learned against it."""
