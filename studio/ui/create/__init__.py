"""Create voice: from a recording to a stored voice."""
