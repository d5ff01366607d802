"""The prior network: what all speakers share, how long they take, and eSpeak's frames in that time."""
