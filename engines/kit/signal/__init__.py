"""Sound on a frame grid: spectra, pitch, loudness, envelopes; what of a clip can be learned from."""
