"""The prior network: what all speakers have in common, and the time that they take."""
