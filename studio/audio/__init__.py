"""Samples and files: decoding, encoding (whole and streamed), formats, resampling, stretching, limiting. It knows no engine."""
