"""Samples and files: decoding, formats, encoding, whole and streamed, resampling, stretching, limiting. Knows no engine."""
