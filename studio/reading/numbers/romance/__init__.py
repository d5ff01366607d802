"""Numbers of the Romance languages."""
