"""The prior network: what all speakers have in common, the time that they take, and eSpeak's frames in that time."""
