"""The released configuration as code, for networks of the released size without a checkpoint. No torch here."""

from engines.fish_speech.config import FishAudioConfig, FishConfig, FishTextConfig

__all__ = ["SIZES", "released_config"]

SIZES = ("S2-Pro",)


def released_config(size: str) -> FishConfig:
    """What config.json of fishaudio/s2-pro says ("S2-Pro"); tests/released compares."""
    return {"S2-Pro": _released_s2_pro}[size]()


def _released_s2_pro() -> FishConfig:
    block = {"dim": 2560, "n_head": 32, "n_local_heads": 8, "head_dim": 128, "intermediate_size": 9728}
    block |= {"norm_eps": 1e-6, "rope_base": 1_000_000.0}
    return FishConfig(
        semantic_start_token_id=151_678,
        semantic_end_token_id=155_773,
        audio_pad_token_id=151_677,
        eos_token_id=151_645,
        pad_token_id=151_669,
        text_config=FishTextConfig(vocab_size=155_776, n_layer=36, max_seq_len=32_768, attention_qk_norm=True, **block),
        audio_decoder_config=FishAudioConfig(
            vocab_size=4096, n_layer=4, max_seq_len=11, attention_qk_norm=False, num_codebooks=10, text_dim=2560, **block
        ),
    )
