"""Qwen3-TTS checkpoints of random numbers in the official layout: `python -m <this module> SIZE FOLDER`.

For tests of parity, and for figures without the real weights. How numbers come about: stand_ins/random_checkpoint.py; here is their scale.
"""

import json
import math
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from tests.engines.qwen3_tts.checkpoints.tensors import codec_tensors, main_tensors
from tests.engines.qwen3_tts.checkpoints.vocabulary import write_tokenizer
from tests.stand_ins.random_checkpoint import SPACED, uniform, write_json, write_tensors

__all__ = ["LANGUAGES", "RECIPE", "RandomCheckpoint", "full_size", "write_checkpoint"]

RELEASED = Path(__file__).parents[3] / "released" / "qwen3_tts"
RECIPE = "qwen3-tts-random/1"  # changes when the same seed gives other bytes

LANGUAGES = {  # codec ids of the released Base models
    "chinese": 2055,
    "english": 2050,
    "german": 2053,
    "italian": 2070,
    "portuguese": 2071,
    "spanish": 2054,
    "japanese": 2058,
    "korean": 2064,
    "french": 2061,
    "russian": 2069,
}
CODEC_IDS = {
    "codec_pad_id": 2148,
    "codec_bos_id": 2149,
    "codec_eos_token_id": 2150,
    "codec_think_id": 2154,
    "codec_nothink_id": 2155,
    "codec_think_bos_id": 2156,
    "codec_think_eos_id": 2157,
}
GENERATION = {
    "do_sample": True,
    "repetition_penalty": 1.05,
    "temperature": 0.9,
    "top_p": 1.0,
    "top_k": 50,
    "subtalker_dosample": True,
    "subtalker_temperature": 0.9,
    "subtalker_top_p": 1.0,
    "subtalker_top_k": 50,
    "max_new_tokens": 8192,
}
ENDING_PULL = 30.0  # logit of the end of speech while the end of the text is being read, far above the others' (about 4)


@dataclass(frozen=True)
class RandomCheckpoint:
    """What to write.

    main, codec: the contents of config.json and speech_tokenizer/config.json.
    words: become tokens of their own, each up to 20 letters; other text is spelled in bytes.
    ends_with_text: speech ends where the text does (in the modes that read text while speaking); else it never ends by itself.
    """

    main: Mapping
    codec: Mapping
    words: Sequence[str] = ()
    seed: int = 0
    ends_with_text: bool = False


def write_checkpoint(folder: Path, checkpoint: RandomCheckpoint) -> Path:
    """All files of the official layout into `folder` (made if need be). Main weights bfloat16, codec weights float32, as released."""
    codec_folder = folder / "speech_tokenizer"
    codec_folder.mkdir(parents=True, exist_ok=True)
    write_json(folder / "config.json", checkpoint.main)
    write_json(folder / "generation_config.json", GENERATION)
    write_json(folder / "preprocessor_config.json", {"padding_side": "left", "padding_value": 0.0, "processor_class": "Qwen3TTSProcessor"})
    write_tokenizer(folder, checkpoint.main, checkpoint.words)
    write_json(codec_folder / "config.json", checkpoint.codec)
    write_json(codec_folder / "configuration.json", {"framework": "pytorch", "task": "audio-codec"})
    write_json(codec_folder / "preprocessor_config.json", _CODEC_PREPROCESSOR)
    for where, shapes, dtype in ((folder, main_tensors(checkpoint.main), "BF16"), (codec_folder, codec_tensors(checkpoint.codec), "F32")):
        table = {name: (shape, dtype) for name, shape in shapes.items()}
        drawn = partial(_values, checkpoint=checkpoint)
        write_tensors(where / "model.safetensors", table, drawn, metadata={"format": "pt"}, separators=SPACED)
    return folder


def full_size(size: str, words: Sequence[str] = (), seed: int = 0) -> RandomCheckpoint:
    """The released configuration. size: "0.6B" or "1.7B" of Base, "1.7B-CustomVoice", ...: a folder of tests/released/qwen3_tts."""
    main, codec = (json.loads((RELEASED / place / "config.json").read_text()) for place in (size, "codec"))
    return RandomCheckpoint(main, codec, words, seed)


def main_config(talker: Mapping, predictor: Mapping, speaker_encoder: Mapping, *, first_special_id: int, kind: str = "base") -> dict:
    """config.json. first_special_id: of `<|endoftext|>`; the others follow at the released distances (see `special_tokens`).

    kind: `tts_model_type`. speaker_encoder: empty for a model that has none.
    """
    fixed = {"hidden_act": "silu", "attention_bias": False, "attention_dropout": 0, "max_position_embeddings": 32768, "use_cache": True}
    predictor = fixed | {"vocab_size": 2048, "num_code_groups": 16, "rope_scaling": None} | dict(predictor)
    predictor["model_type"] = "qwen3_tts_talker_code_predictor"
    talker = fixed | {"vocab_size": 3072, "num_code_groups": 16, "spk_id": {}, "spk_is_dialect": {}} | CODEC_IDS | dict(talker)
    talker = {"codec_language_id": LANGUAGES} | talker | {"model_type": "qwen3_tts_talker", "code_predictor_config": predictor}
    encoder = {"speaker_encoder_config": dict(speaker_encoder)} if speaker_encoder else {}
    return encoder | {
        "architectures": ["Qwen3TTSForConditionalGeneration"],
        "model_type": "qwen3_tts",
        "tokenizer_type": "qwen3_tts_tokenizer_12hz",
        "tts_model_size": "0b6",
        "tts_model_type": kind,
        "im_start_token_id": first_special_id + 1,
        "im_end_token_id": first_special_id + 2,
        "tts_pad_token_id": first_special_id + 28,
        "tts_bos_token_id": first_special_id + 29,
        "tts_eos_token_id": first_special_id + 30,
        "talker_config": talker,
    }


def codec_config(encoder: Mapping, decoder: Mapping) -> dict:
    """speech_tokenizer/config.json. What `encoder` and `decoder` leave out has the released value."""
    width, deep = encoder["hidden_size"], encoder["codebook_dim"]
    encoder = _MIMI | {"upsample_groups": width, "vector_quantization_hidden_dimension": deep} | dict(encoder)
    return {
        "architectures": ["Qwen3TTSTokenizerV2Model"],
        "model_type": "qwen3_tts_tokenizer_12hz",
        "encoder_valid_num_quantizers": 16,
        "input_sample_rate": 24000,
        "output_sample_rate": 24000,
        "decode_upsample_rate": 1920,
        "encode_downsample_rate": 1920,
        "encoder_config": encoder,
        "decoder_config": _CODEC_DECODER | {"vector_quantization_hidden_dimension": decoder["codebook_dim"]} | dict(decoder),
    }


_CODEC_PREPROCESSOR = {
    "chunk_length_s": None,
    "feature_extractor_type": "EncodecFeatureExtractor",
    "feature_size": 1,
    "overlap": None,
    "padding_side": "right",
    "padding_value": 0.0,
    "return_attention_mask": True,
    "sampling_rate": 24000,
}
_MIMI = {
    "model_type": "mimi",
    "audio_channels": 1,
    "attention_bias": False,
    "attention_dropout": 0.0,
    "codebook_size": 2048,
    "compress": 2,
    "dilation_growth_rate": 2,
    "frame_rate": 12.5,
    "hidden_act": "gelu",
    "kernel_size": 7,
    "last_kernel_size": 3,
    "max_position_embeddings": 8000,
    "norm_eps": 1e-5,
    "num_residual_layers": 1,
    "num_semantic_quantizers": 1,
    "pad_mode": "constant",
    "residual_kernel_size": 3,
    "rope_theta": 10000.0,
    "sampling_rate": 24000,
    "trim_right_ratio": 1.0,
    "upsampling_ratios": [8, 6, 5, 4],
    "use_causal_conv": True,
    "use_conv_shortcut": False,
}
_CODEC_DECODER = {
    "attention_bias": False,
    "attention_dropout": 0.0,
    "codebook_size": 2048,
    "hidden_act": "silu",
    "layer_scale_initial_scale": 0.01,
    "max_position_embeddings": 8000,
    "num_quantizers": 16,
    "num_semantic_quantizers": 1,
    "rms_norm_eps": 1e-5,
    "rope_theta": 10000,
    "semantic_codebook_size": 4096,  # of the released file; nothing reads it, every book has codebook_size entries
    "upsample_rates": [8, 5, 4, 3],
    "upsampling_ratios": [2, 2],
}


def _values(name: str, shape: tuple[int, ...], checkpoint: RandomCheckpoint) -> np.ndarray:
    values = uniform(RECIPE, checkpoint.seed, name, shape, _scale_and_offset(name, shape))
    if name == "talker.codec_head.weight":
        values[checkpoint.main["talker_config"]["codec_eos_token_id"]] = 0  # a logit of 0 is never among the 50 best of 2049
    if checkpoint.ends_with_text:
        _make_room_for_the_end(name, values, checkpoint.main)
    return values


# The first pattern that a name ends with or contains decides: (scale of u, offset). None: by fan-in.
_SCALES = (
    (".initialized", (0.0, 1.0)),
    (".cluster_usage", (0.5, 1.0)),  # positive, and not one: a table that forgets to divide by it is wrong
    (".embed_sum", (1.2, 0.0)),
    (".embedding_sum", (0.6, 0.0)),
    ("_layer_scale.scale", (0.2, 0.4)),
    (".gamma", (0.2, 0.5)),
    (".alpha", (0.3, 0.0)),
    (".beta", (0.3, 0.0)),
    ("norm.weight", (0.2, 1.0)),
    ("codec_embedding.weight", (0.8, 0.0)),
    ("text_embedding.weight", (1.7, 0.0)),
    (".bias", (0.1, 0.0)),
)


def _scale_and_offset(name: str, shape: tuple[int, ...]) -> tuple[float, float]:
    if "code_predictor.model.codec_embedding." in name:
        return 0.4, 0.0
    for ending, scale_and_offset in _SCALES:
        if name.endswith(ending):
            return scale_and_offset
    return _gain(name) * math.sqrt(3 / _fan_in(name, shape)), 0.0


# The first pattern that a name contains decides: gain of standard deviation from input to output. Chosen for unit size in the middle of the
# networks, logits as wide as those of a trained model (sampling then has something to choose) and a waveform that seldom clips.
_GAINS = (
    (r"codec_head|lm_head", 3.0),
    (r"encoder\.encoder\.layers", 1.4),
    (r"speaker_encoder\.fc", 0.45),
    (r"speaker_encoder\.blocks\.\d\.(tdnn|res2net)", 0.8),
    (r"decoder\.decoder\.\d\.block\.1\.conv", 0.6),
    (r"decoder\.decoder\.\d\.block\.[234]\.conv2", 0.2),
    (r"decoder\.decoder\.6\.conv", 0.1),
)


def _gain(name: str) -> float:
    return next((gain for pattern, gain in _GAINS if re.search(pattern, name)), 1.0)


def _fan_in(name: str, shape: tuple[int, ...]) -> int:
    """Inputs that one output sees. Transposed convolutions (in, out, k) have strides of k/2, or of k in the decoder's upsamplers."""
    if "decoder.upsample." in name and name.endswith(".0.conv.weight"):
        return shape[0]
    if "decoder.decoder." in name and name.endswith(".block.1.conv.weight"):
        return 2 * shape[0]
    return math.prod(shape[1:])


def _make_room_for_the_end(name: str, values: np.ndarray, config: Mapping) -> None:
    """Reserve channel 0 of the talker for "the text ends here", and let the head of the end-of-speech code read it. Changes `values`.

    The token that ends the text is the only one that writes the channel, no layer writes it, and the projected row is read one frame long.
    """
    talker, eos = config["talker_config"], config["talker_config"]["codec_eos_token_id"]
    if not name.startswith(("talker.", "speaker_encoder.fc.")) or ".code_predictor.model.layers" in name:
        return
    if name == "talker.model.text_embedding.weight":
        values[:, 0] = 0
        values[config["tts_eos_token_id"], 0] = 1
    elif name.startswith("talker.text_projection."):
        values[0] = 0
        if name.endswith("weight"):
            values[0, 0] = 8  # silu(8) = 8: far above the other channels, so that the last norm leaves it about the root of the width
    elif name.endswith("codec_embedding.weight") or ".code_predictor.model.codec_embedding." in name:
        values[:, 0] = 0
    elif name.endswith((".o_proj.weight", ".down_proj.weight")) or name.startswith("speaker_encoder.fc."):
        values[0] = 0
    elif name == "talker.codec_head.weight":
        values[:, 0] = 0
        values[eos, 0] = ENDING_PULL / math.sqrt(talker["hidden_size"])


if __name__ == "__main__":
    write_checkpoint(Path(sys.argv[2]), full_size(sys.argv[1], sys.argv[3:]))
