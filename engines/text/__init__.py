"""Texts, for any model: characters, sentences, lengths, normalization by grammars."""
