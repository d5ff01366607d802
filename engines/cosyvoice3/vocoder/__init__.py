"""Mel frames to sound: HiFT, piece by piece and exactly."""
