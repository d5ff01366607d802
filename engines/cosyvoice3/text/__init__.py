"""Texts as the language model reads them: marks, normalization, pieces, token ids."""
