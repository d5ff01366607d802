"""Speakers: named recordings with consent. What they are, how they are made, where they are stored."""
