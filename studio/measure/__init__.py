"""Measuring: benchmark of TTFP, RTF and extraction, and objective scores. The diary of measured decisions is DIARY.md beside this file."""
