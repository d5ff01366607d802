"""Evaluations: which engine is better, by figures: engines x voices x texts, said, measured, and compared beyond chance."""
