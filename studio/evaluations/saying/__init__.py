"""Running an evaluation: what its systems say is kept, then measured; cell by cell, one at a time."""
