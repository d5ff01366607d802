"""Rebuilds engines/espeak/prior/prior.safetensors: `python -m engines.espeak.training.train`. Needs Debian's `flite` and PyTorch."""
