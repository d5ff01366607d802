"""What is measured of one sound, beside its text and the recording of whom it should be."""
