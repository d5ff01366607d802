"""dots.tts checkpoints of toy size in the official layout, of random numbers, written in half a second without the official package."""

from pathlib import Path

from tests.engines.dots.random_checkpoint import RandomCheckpoint, write_checkpoint
from tests.engines.dots.vocabulary import N_TOKENS

__all__ = ["KINDS", "SHAPES", "tiny", "write_tiny_checkpoint"]

# What config.json says of the sampler, by repository.
KINDS = {
    "soar": {},
    "edit": {},
    "mf": {"meanflow": {"enabled": True, "use_duration_embedding": True}},
    "mf-1step": {"sampling": {"solver": "flow_matching", "ode_method": "euler", "num_steps": 1, "guidance_scale": 0.0}},
    "mf-2steps": {"sampling": {"solver": "scm", "ode_method": "euler", "num_steps": 2, "guidance_scale": 0.0, "tau_mid": 1.3}},
}
KINDS["stts"] = {
    **KINDS["mf-2steps"],
    "streaming": {"interleave_mode": "buffered_ratio", "initial_lookahead": None, "ta_per_tta": 2, "warmup_ta": 1},
}
KINDS["stts-even"] = {**KINDS["mf-2steps"], "streaming": {"interleave_mode": "one_to_one"}}
SHAPES = ("usual", "small")


def tiny(shape: str = "small", kind: str = "mf", **given) -> RandomCheckpoint:
    """Every structure of the released model at the least width, in one of SHAPES, one of KINDS. CAM++ has one size, the official class's.

    usual: the released rates, kernels and proportions. small: two stages of audio with one kernel, other numbers of heads, a patch of as
    many samples. given: of RandomCheckpoint.
    """
    encoder = {"num_layers": 2, "num_heads": 2, "hidden_size": 32, "ffn_hidden_size": 48, "norm_layer": "RMSNorm", "causal": True}
    dit = {"num_layers": 2, "num_heads": 2, "hidden_size": 32, "ffn_hidden_size": 40, "norm_layer": "RMSNorm", "qk_norm": True}
    if shape == "small":
        dit |= {"num_heads": 4, "num_layers": 3}
    config = {
        "model_type": "dots_tts",
        "architectures": ["DotsTTSForConditionalGeneration"],
        "latent_dim": 8,
        "patch_size": 4,
        "cfg_droprate": 0.2,
        "PatchEncoder": {**encoder, "qk_norm": True, "rotary_bias": True, "rotary_theta": 10000, "qkv_bias": False},
        "DiT": {**dit, "modulation": True, "qkv_bias": False, "rotary_bias": True, "rotary_theta": 10000, "alibi_bias": False},
        "vocoder": _usual_vocoder() if shape == "usual" else _small_vocoder(),
        "fm_sigma": 0.0,
        "xvec_drop_rate": 0.2,
        "campplus_embedding_size": 24,
        "xvec_max_audio_seconds": 10.0,
        **KINDS[kind],
    }
    heads = {"num_attention_heads": 4, "num_key_value_heads": 2 if shape == "usual" else 1}
    llm = {
        "model_type": "qwen2",
        "vocab_size": N_TOKENS,
        "hidden_size": 64,
        "intermediate_size": 96,
        "num_hidden_layers": 2,
        **heads,
        "rms_norm_eps": 1e-6,
        "rope_parameters": {"rope_type": "default", "rope_theta": 1000000.0},
        "tie_word_embeddings": True,
        "hidden_act": "silu",
        "max_position_embeddings": 131072,
        "use_sliding_window": False,
    }
    own = {"is_edit": True, "stats": "tensors", "dtype": "F32"} if kind == "edit" else {}
    return RandomCheckpoint(config, llm, **own | given)


def write_tiny_checkpoint(folder: Path, shape: str = "small", kind: str = "mf", **given) -> Path:
    """Write it into `folder`; returns the folder. given: of `tiny`."""
    return write_checkpoint(Path(folder), tiny(shape, kind, **given))


def _usual_vocoder() -> dict:
    return _vocoder(
        upsample_rates=[10, 6, 4, 2, 2, 2],
        upsample_initial_channel=128,
        resblock_kernel_sizes=[3, 7, 11],
        downsample_rates=[2, 2, 2, 4, 6, 10],
        downsample_channels=[12, 6, 8, 10, 12, 14, 16],
    )


def _small_vocoder() -> dict:
    return _vocoder(
        upsample_rates=[40, 48],
        upsample_initial_channel=12,
        resblock_kernel_sizes=[3],
        downsample_rates=[48, 40],
        downsample_channels=[12, 6, 8],
    )


def _vocoder(**sizes) -> dict:
    return {
        "sample_rate": 48000,
        "latent_dim": 8,
        **sizes,
        "upsample_kernel_sizes": [2 * rate for rate in sizes["upsample_rates"]],
        "resblock": "1",
        "resblock_dilation_sizes": [[1, 3, 5]] * len(sizes["resblock_kernel_sizes"]),
        "activation": "snakebeta",
        "snake_logscale": True,
        "causal": True,
        "causal_encoder": True,
        "mi_num_layers": 4 if len(sizes["upsample_rates"]) > 2 else 2,
        "use_bias_at_final": False,
        "use_tanh_at_final": False,
    }
