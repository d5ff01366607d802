"""The codec of OmniVoice: sound to frames of eight codes, and back."""
