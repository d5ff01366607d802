"""Sound on the frame grid: spectra, pitch, loudness, envelopes, and the vocoder back to samples."""
