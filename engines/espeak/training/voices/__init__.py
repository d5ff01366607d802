"""Voices that the prior learns from, each out of a package."""
