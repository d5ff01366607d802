"""Reads cosyvoice3.yaml as plain values and runs none of its tags. Each tag becomes a name beside the values that it stands with. No torch
here.

The official package reads the file with HyperPyYAML, whose tags `!new:`, `!name:` and `!apply:` import and call whatever they name: who
opens such a file runs it. Here a tagged mapping is the mapping with its tag under TAG, and `!ref <a>` and `!ref <a> * <b>` are what they
refer to. Any other reference stays the text that it is, which no rule takes for a value.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import yaml

from engines.errors import CheckpointInvalid
from engines.kit.weights.config_reading import Section
from engines.kit.weights.plain_yaml import PlainLoader, read_mapping
from engines.kit.weights.schema import PositiveFloat, Size, fixed, schema, without_effect

__all__ = [
    "FILE", "HOP_SAMPLES", "N_MELS", "SAMPLE_RATE", "TAG", "TOKENS_PER_SECOND", "DecoderKeys", "EstimatorKeys",
    "FlowKeys", "GuidanceKeys", "LanguageKeys", "LookaheadKeys", "MelKeys", "PitchKeys", "SpectrumKeys", "TokenizerKeys", "made_by",
    "read_file",
]  # fmt: skip

FILE = "cosyvoice3.yaml"
TAG, ITEMS = "!", "items"  # keys of what stands for a tagged value: its tag without "!", and what it holds where that is no mapping
NAME = re.compile(r"\s*<(\w+)>\s*")
TOKENS_PER_SECOND = 25
N_MELS, SAMPLE_RATE, HOP_SAMPLES = 80, 24_000, 480  # of the mel frames that the flow was trained on; recording.py computes these
AGAIN, OTHER = "Fetch the weights again.", "Use the checkpoint as its makers released it."


@dataclass(frozen=True)
class _Reference:
    text: str


class _TagLoader(PlainLoader):
    """Plain values, tags as names."""


def _tagged(loader: _TagLoader, tag: str, node: yaml.Node) -> object:
    if isinstance(node, yaml.MappingNode):
        return {TAG: tag} | loader.construct_mapping(node, deep=True)
    if isinstance(node, yaml.SequenceNode):
        return {TAG: tag, ITEMS: loader.construct_sequence(node, deep=True)}
    text = loader.construct_scalar(node)
    return _Reference(text) if tag == "ref" else {TAG: tag, ITEMS: text}


_TagLoader.add_multi_constructor("!", _tagged)


def read_file(folder: Path) -> Section:
    """The folder's cosyvoice3.yaml, references resolved. Raises CheckpointInvalid where it cannot be read as a mapping."""
    return Section(FILE, _References(read_mapping(folder / FILE, _TagLoader).values).all())


def made_by(section: Section, key: str, tag: str) -> Section:
    """The mapping at the key, without its tag. Raises CheckpointInvalid where it is absent, no mapping, or has another tag."""
    inner = section.section(key)
    if inner.values.get(TAG) != tag:
        said = f"is !{inner.values[TAG]}" if TAG in inner.values else "has no tag" if inner.values else "is not there"
        raise CheckpointInvalid(f"{section.where} of the checkpoint: {key} {said}; implemented is !{tag}.", OTHER)
    return Section(inner.where, {name: value for name, value in inner.values.items() if name != TAG})


class _References:
    """Names of a file -> their values, each resolved once, so that what refers to itself ends, and what is referred to is not copied."""

    def __init__(self, content: Mapping[str, object]):
        self._content = content
        self._resolved: dict[str, object] = {}
        self._open: set[str] = set()

    def all(self) -> dict[str, object]:
        return {name: self._value(name) for name in self._content}

    def _value(self, name: str) -> object:
        if name not in self._resolved:
            self._open.add(name)
            self._resolved[name] = self._replaced(self._content[name])
            self._open.remove(name)
        return self._resolved[name]

    def _replaced(self, value: object) -> object:
        if isinstance(value, dict):
            return {key: self._replaced(inner) for key, inner in value.items()}
        if isinstance(value, list):
            return [self._replaced(inner) for inner in value]
        return self._looked_up(value.text) if isinstance(value, _Reference) else value

    def _looked_up(self, text: str) -> object:
        names = [found[1] if (found := NAME.fullmatch(part)) else None for part in text.split("*")]
        if any(name not in self._content or name in self._open for name in names):
            return f"!ref {text}"
        values = [self._value(name) for name in names]
        if len(values) == 1:
            return values[0]
        return values[0] * values[1] if len(values) == 2 and all(type(value) is int for value in values) else f"!ref {text}"


# --- what its sections hold, beside what config.py has


@schema
class LanguageKeys:
    """Of the language model, as cosyvoice3.yaml says them again."""

    llm_input_size: Size
    llm_output_size: Size
    speech_token_size: Size

    length_normalized_loss = lsm_weight = without_effect("of training")
    mix_ratio = without_effect("of training, and of text that comes while speech goes on, which is not implemented")
    llm = sampling = without_effect("read as sections of their own")


@schema
class FlowKeys:
    """The flow around its decoder. input_size: channels of a frame."""

    input_size: Size
    output_size: Size
    spk_embed_dim: Size
    vocab_size: Size
    token_mel_ratio: Size
    pre_lookahead_len: Size

    output_type, input_frame_rate = fixed("mel"), fixed(TOKENS_PER_SECOND)
    only_mask_loss = without_effect("of training")
    decoder_conf = without_effect("kept, never read")
    pre_lookahead_layer = decoder = without_effect("read as sections of their own")


@schema
class LookaheadKeys:
    """The convolution that sees what follows a token."""

    in_channels: Size
    channels: Size
    pre_lookahead_len: Size


@schema
class DecoderKeys:
    """The decoder around its estimator."""

    spk_emb_dim: Size

    in_channels = n_spks = without_effect("of another estimator, a U-Net")
    cfm_params = estimator = without_effect("read as sections of their own")


@schema
class GuidanceKeys:
    """How steps of flow matching are taken and guided."""

    inference_cfg_rate: PositiveFloat

    solver, t_scheduler = fixed("euler"), fixed("cosine")
    sigma_min = training_cfg_rate = reg_loss_type = without_effect("of training")


@schema
class EstimatorKeys:
    """The diffusion transformer."""

    dim: Size
    depth: Size
    heads: Size
    dim_head: Size
    ff_mult: Size
    mel_dim: Size
    mu_dim: Size
    spk_dim: Size
    out_channels: Size
    static_chunk_size: Size

    long_skip_connection, num_decoding_left_chunks = fixed(False), fixed(-1)
    dropout = without_effect("of training")


@schema
class SpectrumKeys:
    """The inverse STFT of the vocoder."""

    n_fft: Size
    hop_len: Size


@schema
class PitchKeys:
    """What predicts the fundamental frequency."""

    in_channels: Size
    cond_channels: Size

    num_class = fixed(1)


@schema
class MelKeys:
    """Of the mel frames, all of whose values must be the ones implemented."""

    n_fft, num_mels = fixed(1920), fixed(N_MELS)
    sampling_rate, hop_size, win_size = fixed(SAMPLE_RATE), fixed(HOP_SAMPLES), fixed(1920)
    fmin, fmax, center = fixed(0), fixed(None), fixed(False)


@schema
class TokenizerKeys:
    """The tokenizer of texts, by its function."""

    version = fixed("cosyvoice3")
    skip_special_tokens = without_effect("of ids made text again, which nobody asks for")
    token_path = without_effect("it is in CosyVoice-BlankEN")
