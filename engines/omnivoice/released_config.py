"""The released configuration as code, for networks of the released size without a checkpoint. No torch here."""

from engines.omnivoice.config import OmniVoiceConfig, OmniVoiceLlmConfig

__all__ = ["SIZES", "released_config"]

SIZES = ("0.6B",)


def released_config(size: str) -> OmniVoiceConfig:
    """What config.json of k2-fsa/OmniVoice says ("0.6B", as its card calls the language model); tests/released compares."""
    return {"0.6B": _released_0_6b}[size]()


def _released_0_6b() -> OmniVoiceConfig:
    llm = OmniVoiceLlmConfig(
        vocab_size=151_676,
        hidden_size=1024,
        intermediate_size=3072,
        num_hidden_layers=28,
        num_attention_heads=16,
        num_key_value_heads=8,
        head_dim=128,
        rms_norm_eps=1e-6,
        rope_theta=1_000_000.0,
    )
    return OmniVoiceConfig(llm)
