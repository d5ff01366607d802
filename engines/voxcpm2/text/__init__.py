"""Texts as VoxCPM2 reads them: normalization, what is asked of the delivery, token ids."""
