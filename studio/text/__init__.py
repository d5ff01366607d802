"""Texts: parts of long texts, estimated length, language. Also messages without paths."""
