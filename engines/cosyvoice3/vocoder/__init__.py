"""Turns mel frames into sound: HiFT, piece by piece and exactly."""
