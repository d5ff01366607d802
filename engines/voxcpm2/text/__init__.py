"""Texts as VoxCPM2 reads them: normalization, instructions on how to speak, token ids."""
