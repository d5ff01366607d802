"""Random draws: noise that can be replayed, tokens from logits, flow matching."""
