"""VoxCPM2 checkpoints of toy size in the official layout, of random numbers, written in 0.1 s without the official package."""

from pathlib import Path

from tests.engines.voxcpm2.random_checkpoint import PTH, RECIPE, RandomCheckpoint, write_checkpoint
from tests.stand_ins.random_checkpoint import uniform

__all__ = ["SHAPES", "tiny", "write_tiny_checkpoint"]

SHAPES = ("usual", "extended", "sparse")


def tiny(
    shape: str = "usual", *, seed: int = 0, ends_after: float | None = None, vae_file: str = PTH, dtype: str = "bfloat16"
) -> RandomCheckpoint:
    """Every structure of the released model at the least width, in one of SHAPES; rope factors of all of them are random.

    usual: the released proportions and rates: a patch is 160 ms, 7680 samples of speech.
    extended: positions beyond the original length (long rope factors, scaled), rope in the residual language model, patches of two latents,
    three key heads, odd strides. sparse: one key head, no width of heads given, patches of three latents, speech of 24 kHz.
    ends_after: see RandomCheckpoint. dtype: what config.json says, which the official package obeys.
    """
    config = {"usual": _usual, "extended": _extended, "sparse": _sparse}[shape]()
    rest = {"max_length": 512, "device": "cuda", "dtype": dtype}
    return RandomCheckpoint({"architecture": "voxcpm2", **config, **rest}, seed, ends_after, vae_file)


def write_tiny_checkpoint(folder: Path, shape: str = "usual", **given) -> Path:
    """Write it into `folder`; returns the folder. given: of `tiny`."""
    return write_checkpoint(Path(folder), tiny(shape, **given))


def _usual() -> dict:
    lm = _lm(hidden_size=64, intermediate_size=96, layers=3, heads=(4, 2), kv_channels=16, lengths=(32768, 32768))
    vae = {"encoder_dim": 8, "encoder_rates": [2, 5, 8, 8], "latent_dim": 16, "decoder_dim": 128, "decoder_rates": [8, 6, 5, 2, 2, 2]}
    vae |= {"sr_bin_boundaries": [20000, 30000, 40000], "sample_rate": 16000, "out_sample_rate": 48000}
    return {
        "lm_config": lm,
        "patch_size": 4,
        "feat_dim": 16,
        "scalar_quantization_latent_dim": 24,
        "scalar_quantization_scale": 9,
        "residual_lm_num_layers": 2,
        "residual_lm_no_rope": True,
        "encoder_config": _local(hidden_dim=48, ffn_dim=64, num_heads=4, num_layers=2, kv_channels=16),
        "dit_config": _dit(hidden_dim=48, ffn_dim=64, num_heads=4, num_layers=2, kv_channels=16),
        "audio_vae_config": vae,
    }


def _extended() -> dict:
    lm = _lm(hidden_size=40, intermediate_size=56, layers=2, heads=(6, 3), kv_channels=8, lengths=(1024, 256))
    vae = {"encoder_dim": 4, "encoder_rates": [3, 5, 7], "latent_dim": 12, "decoder_dim": 32, "decoder_rates": [7, 5, 3, 3]}
    vae |= {"sr_bin_boundaries": [20000, 30000, 40000], "sample_rate": 16000, "out_sample_rate": 48000}
    return {
        "lm_config": lm,
        "patch_size": 2,
        "feat_dim": 12,
        "scalar_quantization_latent_dim": 20,
        "scalar_quantization_scale": 5,
        "residual_lm_num_layers": 3,
        "residual_lm_no_rope": False,
        "encoder_config": _local(hidden_dim=32, ffn_dim=48, num_heads=3, num_layers=1, kv_channels=8),
        "dit_config": _dit(hidden_dim=24, ffn_dim=40, num_heads=6, num_layers=3, kv_channels=8),
        "audio_vae_config": vae,
    }


def _sparse() -> dict:
    """The rate of its speech lies on a boundary of the decoder's bins."""
    lm = _lm(hidden_size=48, intermediate_size=64, layers=2, heads=(3, 1), kv_channels=None, lengths=(512, 512))
    vae = {"encoder_dim": 6, "encoder_rates": [7, 6, 5], "latent_dim": 8, "decoder_dim": 24, "decoder_rates": [7, 9, 5]}
    vae |= {"sr_bin_boundaries": [12000, 24000], "sample_rate": 16000, "out_sample_rate": 24000}
    return {
        "lm_config": lm,
        "patch_size": 3,
        "feat_dim": 8,
        "scalar_quantization_latent_dim": 16,
        "scalar_quantization_scale": 7,
        "residual_lm_num_layers": 1,
        "residual_lm_no_rope": True,
        "encoder_config": _local(hidden_dim=32, ffn_dim=48, num_heads=2, num_layers=2, kv_channels=None),
        "dit_config": _dit(hidden_dim=48, ffn_dim=48, num_heads=3, num_layers=2, kv_channels=None),
        "audio_vae_config": vae,
    }


def _lm(
    *, hidden_size: int, intermediate_size: int, layers: int, heads: tuple[int, int], kv_channels: int | None, lengths: tuple[int, int]
) -> dict:
    """heads: of queries, of keys. lengths: positions that are promised, and that the rotation was made for."""
    n_factors = (kv_channels or hidden_size // heads[0]) // 2
    width = {} if kv_channels is None else {"kv_channels": kv_channels}
    return {
        "bos_token_id": 1,
        "eos_token_id": 2,
        "hidden_size": hidden_size,
        "intermediate_size": intermediate_size,
        "max_position_embeddings": lengths[0],
        "num_attention_heads": heads[0],
        "num_hidden_layers": layers,
        "num_key_value_heads": heads[1],
        "rms_norm_eps": 1e-05,
        "rope_theta": 10000,
        **width,
        "rope_scaling": {
            "type": "longrope",
            "long_factor": _factors("long_factor", n_factors),
            "short_factor": _factors("short_factor", n_factors),
            "original_max_position_embeddings": lengths[1],
        },
        "vocab_size": 512,
        "use_mup": False,
        "scale_emb": 12,
        "dim_model_base": 256,
        "scale_depth": 1.4,
    }


def _factors(name: str, count: int) -> list[float]:
    """Between 0.8 and 2.8, with as many digits as they need."""
    return [float(f"{factor:.7g}") for factor in uniform(RECIPE, 0, f"{name}:{count}", (count,), (1.0, 1.8))]


def _local(**sizes) -> dict:
    return {name: size for name, size in sizes.items() if size is not None}


def _dit(**sizes) -> dict:
    """With the keys of training that the released file has."""
    cfm = {"sigma_min": 1e-06, "solver": "euler", "t_scheduler": "log-norm", "inference_cfg_rate": 2.0}
    return _local(**sizes) | {"mean_mode": False, "cfm_config": cfm}
