"""Alignment of known words to a sound, whoever made it: by phones that are heard in it, in any language that eSpeak NG reads."""
