"""Voxtral TTS checkpoints of toy size in the official layout, of random numbers, written in a blink without the official package."""

from pathlib import Path

from tests.engines.voxtral.random_checkpoint import RandomCheckpoint, write_checkpoint

__all__ = ["PRESET_FRAMES", "SHAPES", "VOCABULARY", "tiny", "write_tiny_checkpoint"]

SHAPES = ("usual", "sparse")
WORDS = ("the", "voice")
VOCABULARY = 40 + 256 + 8  # control tokens, bytes, and what leads to the words
# In the order of the released file.
VOICES = (
    "casual_female", "casual_male", "cheerful_female", "neutral_female", "neutral_male",
    *(f"{language}_{kind}" for language in ("pt", "nl", "it") for kind in ("male", "female")),
    *(f"{language}_{kind}" for language in ("fr", "es", "de") for kind in ("male", "female")),
    "ar_male", "hi_male", "hi_female",
)  # fmt: skip
PRESET_FRAMES = {name: 4 + i % 5 for i, name in enumerate(VOICES)}


def tiny(shape: str = "usual", *, max_seq_len: int = 2048, **given) -> RandomCheckpoint:
    """Every structure of the released model at the least width, in one of SHAPES; frames are 37 codes and 80 ms, as released.

    usual: the released proportions: heads together wider than the model, four queries to a key, strides, kernels and windows of the codec.
    sparse: what a checkpoint may have otherwise: all that the released file leaves unsaid is said and is another number, heads in other
    numbers (three in the codec, so that slopes are no powers of one number), fewer layers, half as many steps.
    given: of RandomCheckpoint. max_seq_len: positions that prompt and speech may have together.
    """
    config = {"usual": _usual, "sparse": _sparse}[shape]()
    return RandomCheckpoint(config | {"max_seq_len": max_seq_len}, **({"presets": PRESET_FRAMES, "words": WORDS} | given))


def write_tiny_checkpoint(folder: Path, shape: str = "usual", **given) -> Path:
    """Write it into `folder`; returns the folder. given: of `tiny`."""
    return write_checkpoint(Path(folder), tiny(shape, **given))


def _usual() -> dict:
    heads = {"head_dim": 24, "n_heads": 4, "n_kv_heads": 1}
    flow = {"input_dim": 64, "dim": 64, "n_layers": 2, "hidden_dim": 80, **heads}
    codec = {"semantic_dim": 12, "dim": 32, "hidden_dim": 48, "head_dim": 16, "n_heads": 2, "n_kv_heads": 2}
    return _params({"dim": 64, "n_layers": 2, "hidden_dim": 96, **heads, "rope_theta": 1000000.0}, flow, codec)


def _sparse() -> dict:
    backbone = {"dim": 48, "n_layers": 1, "head_dim": 16, "hidden_dim": 72, "n_heads": 3, "n_kv_heads": 3, "rope_theta": 10000.0}
    flow = {"input_dim": 48, "dim": 48, "n_layers": 1, "head_dim": 16, "hidden_dim": 64, "n_heads": 4, "n_kv_heads": 2}
    flow |= {"norm_eps": 0.01, "n_decoding_steps": 4}
    codec = {"semantic_dim": 8, "dim": 24, "hidden_dim": 40, "head_dim": 8, "n_heads": 3, "n_kv_heads": 1, "norm_eps": 0.1}
    codec |= {"qk_norm_eps": 0.05, "decoder_transformer_lengths_str": "1,2,1,1"}
    codec |= {"encoder_transformer_lengths_str": "1,1,2,1", "encoder_convs_kernels_str": "4,2,4,5", "encoder_convs_strides_str": "2,2,2,1"}
    return _params(backbone, flow, codec)


def _params(backbone: dict, flow: dict, codec: dict) -> dict:
    """The content of params.json: keys of the released file, in its order, with these sizes."""
    books = {"semantic_codebook_size": 64, "acoustic_codebook_size": 21}
    return {
        **backbone,
        "use_biases": False,
        "causal": True,
        "norm_eps": 1e-05,
        "vocab_size": VOCABULARY,
        "model_parallel": 1,
        "tied_embeddings": True,
        "multimodal": {
            "bos_token_id": 1,
            "audio_model_args": {
                **books,
                "n_acoustic_codebook": 36,
                "audio_encoding_args": {
                    "codebook_pattern": "parallel",
                    "num_codebooks": 37,
                    "sampling_rate": 24000,
                    "frame_rate": 12.5,
                },
                "audio_token_id": 24,
                "begin_audio_token_id": 25,
                "input_embedding_concat_type": "sum",
                "acoustic_transformer_args": {"use_biases": False, "rope_theta": 10000.0, "sigma": 1e-05, "sigma_max": 1.0} | flow,
                "p_uncond": 0.0,
                "text_feature_bugged": False,
                "condition_dropped_token_id": 42,
            },
            "audio_tokenizer_args": {**_CODEC, **books, **codec, "voice": {name: i for i, name in enumerate(VOICES)}},
        },
        "model_type": "voxtral_tts",
        "max_position_embeddings": 128000,
    }


# What the released file says of its codec, whatever its size.
_CODEC = {
    "channels": 1,
    "sampling_rate": 24000,
    "pretransform_patch_size": 240,
    "patch_proj_kernel_size": 7,
    "acoustic_dim": 36,
    "conv_weight_norm": True,
    "causal": True,
    "attn_sliding_window_size": 16,
    "half_attn_window_upon_downsampling": True,
    "qk_norm_eps": 1e-06,
    "qk_norm": True,
    "use_biases": False,
    "norm_eps": 0.01,
    "layer_scale": True,
    "layer_scale_init": 0.01,
    "decoder_transformer_lengths_str": "2,2,2,2",
    "decoder_convs_kernels_str": "3,4,4,4",
    "decoder_convs_strides_str": "1,2,2,2",
}
