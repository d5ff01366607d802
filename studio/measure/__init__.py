"""Measurements: benchmark of TTFP, RTF and extraction, and objective scores. DIARY.md beside this file has the measured decisions."""
