"""OmniVoice codecs of toy size in the official layout: the folder audio_tokenizer with a Higgs Audio v2 tokenizer of random numbers."""

import math
import re
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from tests.stand_ins.random_checkpoint import uniform, write_json, write_tensors

__all__ = ["FOLDER", "codec_config", "codec_tensors", "write_codec"]

FOLDER = "audio_tokenizer"  # of the checkpoint's folder
RECIPE = "omnivoice codec"
N_BOOKS = 8

Shapes = dict[str, tuple[int, ...]]


def codec_config(**changed: object) -> dict:
    """What config.json of the toy codec says: every key of the released file, at the least sizes.

    changed: other values, other keys, or, for a section, the keys of it that change.
    """
    sections = {key: {**_TINY[key], **changed.pop(key, {})} for key in ("acoustic_model_config", "semantic_model_config")}
    return _TINY | sections | changed


def write_codec(folder: Path, config: Mapping | None = None, seed: int = 0) -> Path:
    """Write audio_tokenizer into the checkpoint's folder; returns its path."""
    config, into = config or codec_config(), folder / FOLDER
    into.mkdir(parents=True, exist_ok=True)
    write_json(into / "config.json", config)
    write_json(into / "preprocessor_config.json", _PREPROCESSOR)
    table = {name: (shape, "F32") for name, shape in codec_tensors(config).items()}
    write_tensors(into / "model.safetensors", table, lambda name, shape: _values(name, shape, seed), metadata={"format": "pt"})
    return into


def codec_tensors(config: Mapping) -> Shapes:
    """Name -> shape of everything in model.safetensors."""
    acoustic, semantic = config["acoustic_model_config"], config["semantic_model_config"]
    width = acoustic["hidden_size"] + semantic["hidden_size"]
    shapes = _acoustic_encoder(acoustic) | _acoustic_decoder(acoustic) | _semantic_model(semantic)
    shapes |= _semantic_convolutions(semantic["hidden_size"])
    for name, n_out in (("fc", width), ("fc1", semantic["hidden_size"]), ("fc2", acoustic["hidden_size"])):
        shapes |= _affine(name, (n_out, width))
    for index in range(N_BOOKS):
        at, book = f"quantizer.quantizers.{index}", (config["codebook_size"], config["codebook_dim"])
        shapes |= {f"{at}.codebook.embed": book, f"{at}.codebook.embed_avg": book}
        shapes |= {f"{at}.codebook.cluster_size": book[:1], f"{at}.codebook.inited": (1,)}
        shapes |= _affine(f"{at}.project_in", (book[1], width)) | _affine(f"{at}.project_out", (width, book[1]))
    return shapes


def _acoustic_encoder(config: Mapping) -> Shapes:
    at, width = "acoustic_encoder", config["encoder_hidden_size"]
    shapes = _affine(f"{at}.conv1", (width, 1, 7))
    for index, stride in enumerate(config["downsampling_ratios"]):
        block = f"{at}.block.{index}"
        shapes |= _residual_units(block, width) | _snake(f"{block}.snake1", width)
        shapes |= _affine(f"{block}.conv1", (2 * width, width, 2 * stride))
        width *= 2
    return shapes | _snake(f"{at}.snake1", width) | _affine(f"{at}.conv2", (config["hidden_size"], width, 3))


def _acoustic_decoder(config: Mapping) -> Shapes:
    at, width = "acoustic_decoder", config["decoder_hidden_size"]
    shapes = _affine(f"{at}.conv1", (width, config["hidden_size"], 7))
    for index, stride in enumerate(config["upsampling_ratios"]):
        block = f"{at}.block.{index}"
        shapes |= _snake(f"{block}.snake1", width) | _affine(f"{block}.conv_t1", (width, width // 2, 2 * stride), width // 2)
        width //= 2
        shapes |= _residual_units(block, width)
    return shapes | _snake(f"{at}.snake1", width) | _affine(f"{at}.conv2", (1, width, 7))


def _residual_units(at: str, width: int) -> Shapes:
    shapes: Shapes = {}
    for unit in ("res_unit1", "res_unit2", "res_unit3"):
        shapes |= _snake(f"{at}.{unit}.snake1", width) | _affine(f"{at}.{unit}.conv1", (width, width, 7))
        shapes |= _snake(f"{at}.{unit}.snake2", width) | _affine(f"{at}.{unit}.conv2", (width, width, 1))
    return shapes


def _semantic_model(config: Mapping) -> Shapes:
    at, width, inner = "semantic_model", config["hidden_size"], config["intermediate_size"]
    n_in, shapes = 1, _norm(f"{at}.feature_extractor.conv_layers.0.layer_norm", config["conv_dim"][0])
    for index, (n_out, kernel) in enumerate(zip(config["conv_dim"], config["conv_kernel"], strict=True)):
        shapes[f"{at}.feature_extractor.conv_layers.{index}.conv.weight"] = (n_out, n_in, kernel)
        n_in = n_out
    shapes |= _norm(f"{at}.feature_projection.layer_norm", n_in) | _affine(f"{at}.feature_projection.projection", (width, n_in))
    kernel, position = config["num_conv_pos_embeddings"], f"{at}.encoder.pos_conv_embed.conv"
    shapes[f"{position}.bias"] = (width,)
    shapes[f"{position}.parametrizations.weight.original0"] = (1, 1, kernel)
    shapes[f"{position}.parametrizations.weight.original1"] = (width, width // config["num_conv_pos_embedding_groups"], kernel)
    shapes |= _norm(f"{at}.encoder.layer_norm", width)
    for index in range(config["num_hidden_layers"]):
        layer = f"{at}.encoder.layers.{index}"
        for name in ("q_proj", "k_proj", "v_proj", "out_proj"):
            shapes |= _affine(f"{layer}.attention.{name}", (width, width))
        shapes |= _affine(f"{layer}.feed_forward.intermediate_dense", (inner, width))
        shapes |= _affine(f"{layer}.feed_forward.output_dense", (width, inner))
        shapes |= _norm(f"{layer}.layer_norm", width) | _norm(f"{layer}.final_layer_norm", width)
    return shapes


def _semantic_convolutions(width: int) -> Shapes:
    """Of encoder_semantic, and of decoder_semantic, which nothing reads."""
    shapes = {f"{name}.weight": (width, width, 3) for name in ("encoder_semantic.conv", "decoder_semantic.conv1", "decoder_semantic.conv2")}
    for block in (f"{part}.conv_blocks.{index}" for part in ("encoder_semantic", "decoder_semantic") for index in range(2)):
        shapes |= _affine(f"{block}.conv", (width, width, 3))
        for unit in (f"{block}.res_units.{index}" for index in range(2)):
            shapes |= {f"{unit}.conv1.weight": (width, width, 3), f"{unit}.conv2.weight": (width, width, 1)}
    return shapes


def _affine(at: str, shape: tuple[int, ...], bias: int | None = None) -> Shapes:
    return {f"{at}.weight": shape, f"{at}.bias": (bias or shape[0],)}


def _norm(at: str, width: int) -> Shapes:
    return {f"{at}.weight": (width,), f"{at}.bias": (width,)}


def _snake(at: str, width: int) -> Shapes:
    return {f"{at}.alpha": (1, width, 1)}


def _values(name: str, shape: tuple[int, ...], seed: int) -> np.ndarray:
    return uniform(RECIPE, seed, name, shape, _scale_and_offset(name, shape))


def _scale_and_offset(name: str, shape: tuple[int, ...]) -> tuple[float, float]:
    """So that what goes in comes out about as loud, and every book has many codes that are heard."""
    for ending, scale_and_offset in _SCALES.items():
        if name.endswith(ending):
            return scale_and_offset
    gain = next((gain for pattern, gain in _GAINS.items() if re.search(pattern, name)), 1.0)
    if "conv_t1" in name:  # of the 2s samples of each kernel two meet in one sample of the output
        return gain * math.sqrt(3 / (2 * shape[0])), 0.0
    return gain * math.sqrt(3 / math.prod(shape[1:])), 0.0


_SCALES = {
    ".alpha": (0.3, 1.0),
    "norm.weight": (0.2, 1.0),
    "original0": (0.2, 1.0),
    "cluster_size": (0.5, 1.0),
    "inited": (0.0, 1.0),
    ".embed": (1.0, 0.0),
    ".embed_avg": (1.0, 0.0),
    ".bias": (0.1, 0.0),
}

# The first pattern that a name contains decides: gain of standard deviation from input to output, where it is not 1.
_GAINS = {
    r"acoustic_decoder.*res_unit\d\.conv2": 0.25,
    r"res_unit\d\.conv2": 0.5,
    r"conv_layers": 1.7,
    r"acoustic_encoder\.(conv1|conv2)": 0.3,
    r"encoder_semantic\.conv_blocks\.1\.conv\.": 0.5,
    r"project_in": 0.3,
    r"fc2": 0.15,
    r"acoustic_decoder\.conv2": 0.08,
}

# Key by key as in the released file, but for sizes.
_TINY = {
    "architectures": ["HiggsAudioV2TokenizerModel"],
    "model_type": "higgs_audio_v2_tokenizer",
    "dtype": "float32",
    "transformers_version": "5.3.0.dev0",
    "initializer_range": 0.02,
    "sample_rate": 24000,
    "semantic_sample_rate": 16000,
    "downsample_factor": 320,
    "target_bandwidths": [0.5, 1, 1.5, 2],
    "codebook_size": 1024,
    "codebook_dim": 4,
    "kernel_size": 3,
    "unit_kernel_size": 3,
    "strides": [1, 1],
    "channel_ratios": [1, 1],
    "block_dilations": [1, 1],
    "acoustic_model_config": {
        "model_type": "dac",
        "encoder_hidden_size": 4,
        "downsampling_ratios": [8, 5, 4, 2, 3],
        "hidden_size": 16,
        "decoder_hidden_size": 64,
        "upsampling_ratios": [8, 5, 4, 2, 3],
        "hop_length": 960,
        "sampling_rate": 16000,
        "n_codebooks": 9,
        "codebook_size": 1024,
        "codebook_dim": 8,
        "quantizer_dropout": 0,
        "codebook_loss_weight": 1.0,
        "commitment_loss_weight": 0.25,
    },
    "semantic_model_config": {
        "model_type": "hubert",
        "hidden_size": 32,
        "intermediate_size": 48,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "hidden_act": "gelu",
        "layer_norm_eps": 1e-05,
        "do_stable_layer_norm": False,
        "num_feat_extract_layers": 7,
        "conv_dim": [16, 16, 16, 16, 16, 16, 16],
        "conv_kernel": [10, 3, 3, 3, 3, 2, 2],
        "conv_stride": [5, 2, 2, 2, 2, 2, 2],
        "conv_bias": False,
        "feat_extract_norm": "group",
        "feat_extract_activation": "gelu",
        "feat_proj_layer_norm": True,
        "num_conv_pos_embeddings": 16,
        "num_conv_pos_embedding_groups": 4,
        "conv_pos_batch_norm": False,
        "activation_dropout": 0.1,
        "apply_spec_augment": True,
        "attention_dropout": 0.1,
        "bos_token_id": 1,
        "classifier_proj_size": 256,
        "ctc_loss_reduction": "sum",
        "ctc_zero_infinity": False,
        "eos_token_id": 2,
        "feat_proj_dropout": 0.0,
        "final_dropout": 0.1,
        "hidden_dropout": 0.1,
        "initializer_range": 0.02,
        "layerdrop": 0.1,
        "mask_feature_length": 10,
        "mask_feature_min_masks": 0,
        "mask_feature_prob": 0.0,
        "mask_time_length": 10,
        "mask_time_min_masks": 2,
        "mask_time_prob": 0.0,
        "pad_token_id": 0,
        "use_weighted_layer_sum": False,
        "vocab_size": 32,
    },
}

_PREPROCESSOR = {
    "feature_extractor_type": "DacFeatureExtractor",
    "feature_size": 1,
    "hop_length": 960,
    "padding_side": "right",
    "padding_value": 0.0,
    "return_attention_mask": True,
    "sampling_rate": 24000,
}
