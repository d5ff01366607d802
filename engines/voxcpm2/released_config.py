"""The released configuration as code, for networks of the released size without a checkpoint. No torch here."""

import math

from engines.voxcpm2.config import AudioVaeConfig, LmConfig, LocalConfig, LongRopeConfig, VoxCpm2Config

__all__ = ["released_config"]

LENGTH = 32_768
# The 64 published factors, of which both lists hold the same, lie on this logistic curve to 14 digits: 0.998 to 31.02 (fitted by us).
FACTORS = tuple(0.915773467047734 + 30.19017586514628 / (1 + math.exp((31.5 - index) / 5.334)) for index in range(64))


def released_config(size: str) -> VoxCpm2Config:
    """What config.json of openbmb/VoxCPM2 says ("2B"), its factors to the last digit of float32; tests/released compares."""
    return {"2B": _released_2b}[size]()


def _released_2b() -> VoxCpm2Config:
    local = LocalConfig(hidden_dim=1024, ffn_dim=4096, num_heads=16, num_layers=12, kv_channels=128)
    lm = LmConfig(
        vocab_size=73_448,
        hidden_size=2048,
        intermediate_size=6144,
        num_hidden_layers=28,
        num_attention_heads=16,
        num_key_value_heads=2,
        max_position_embeddings=LENGTH,
        rms_norm_eps=1e-5,
        rope_theta=10_000.0,
        rope_scaling=LongRopeConfig(FACTORS, FACTORS, LENGTH),
        kv_channels=128,
    )
    return VoxCpm2Config(lm, local, local, AudioVaeConfig(), residual_lm_no_rope=True)
