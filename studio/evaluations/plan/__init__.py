"""What an evaluation is about: its plan, what was said, what was measured of it."""
