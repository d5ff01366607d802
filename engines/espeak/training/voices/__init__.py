"""The voices that the prior learns from, each from a package."""
