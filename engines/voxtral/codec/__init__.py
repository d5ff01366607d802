"""The codec of Voxtral: sound to frames of 37 codes, and back."""
