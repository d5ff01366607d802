"""Texts, whatever model speaks them: characters, sentences, lengths, normalization by grammars."""
