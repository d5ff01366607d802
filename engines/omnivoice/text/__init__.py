"""Texts as OmniVoice reads them: pieces, prompts, lengths, descriptions of voices."""
