"""FishConfig: the values of a Fish Audio S2 Pro checkpoint's config.json, checked and frozen. Field names are the file's. No torch here."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from engines.errors import CheckpointInvalid
from engines.fish_speech import config_rules as rules
from engines.kit.weights.config_reading import PositiveFloat, Section, Size, settings_of

if TYPE_CHECKING:
    from engines.kit.nn.transformer import DecoderConfig

__all__ = ["FishAudioConfig", "FishConfig", "FishTextConfig"]

KIND = "fish_qwen3_omni"  # by which the checkpoint is known: the release has no `architectures`
SECTIONS = ("text_config", "audio_decoder_config")
# The published file is longer by 436 bytes than all keys that are known of it: what speaks of experts, by a word of its name, shall not
# stop it, for none of it has an effect where use_moe is false, which config_rules wants.
OF_EXPERTS = frozenset({"expert", "experts", "moe", "route", "routed", "router", "topk"})


@dataclass(frozen=True)
class _Sizes:
    """Of one transformer. dim: width. n_local_heads: of keys and values. rope_base: of the wavelengths. max_seq_len: positions."""

    vocab_size: Size
    dim: Size
    n_layer: Size
    n_head: Size
    n_local_heads: Size
    head_dim: Size
    intermediate_size: Size
    max_seq_len: Size
    norm_eps: PositiveFloat
    rope_base: PositiveFloat
    attention_qk_norm: bool


@dataclass(frozen=True)
class FishTextConfig(_Sizes):
    """The slow transformer: reads text and frames, says the first code of a frame, or that the speech ends.

    vocab_size: rows of its one table, which gives rows to tokens and logits to hidden states.
    """


@dataclass(frozen=True)
class FishAudioConfig(_Sizes):
    """The fast transformer: says the other codes of a frame, book by book.

    vocab_size: rows of its table of codes, and rows per book in the table that the slow transformer reads frames by. text_dim: width of
    the hidden state that it begins with. max_seq_len: of that state and the codes of a frame.
    """

    num_codebooks: Size
    text_dim: Size


@dataclass(frozen=True)
class FishConfig:
    """The whole checkpoint but its codec, whose file says what it is. Ids are of text tokens; semantic ones stand for codes of book 0."""

    semantic_start_token_id: int
    semantic_end_token_id: int
    audio_pad_token_id: int
    eos_token_id: int
    pad_token_id: int
    text_config: FishTextConfig
    audio_decoder_config: FishAudioConfig

    @classmethod
    def read(cls, folder: Path) -> "FishConfig":
        """The configuration of a checkpoint folder. Raises CheckpointInvalid for files, keys or kinds of model that do not fit."""
        main = Section.read(folder, "config.json")
        if main.values.get("model_type") != KIND:
            what = f"model_type {main.values.get('model_type')!r}, and {KIND!r} is implemented"
            raise CheckpointInvalid(f"The checkpoint is no Fish Audio S2 Pro model: {what}.", "Use fishaudio/s2-pro.")
        missing = [key for key in SECTIONS if key not in main.values]
        if missing:
            raise CheckpointInvalid(f"{main.where} of the checkpoint lacks {', '.join(missing)}.", "Fetch the weights again.")
        parts = {
            "text_config": settings_of(FishTextConfig, _without_experts(main.section("text_config")), rules.TEXT),
            "audio_decoder_config": settings_of(FishAudioConfig, _without_experts(main.section("audio_decoder_config")), rules.AUDIO),
        }
        config = settings_of(cls, main, rules.MODEL, parts)
        _check_fit(config)
        return config

    @property
    def n_semantic_codes(self) -> int:
        """Codes of the first book, each of which is a token of the text's vocabulary too."""
        return self.semantic_end_token_id - self.semantic_start_token_id + 1

    def slow_decoder(self) -> "DecoderConfig":
        """The transformer over positions of text and frames.

        Rotation, as the released weights were trained (the reference implementation's arithmetic): neighboring channels are pairs; cos and
        sin are rounded to bfloat16 in every dtype; the products are float32 and cast back. Angles are float32, positions count from 0.
        vllm-omni 0.30.0 (fish_speech_slow_ar.py) agrees on pairs, and on the table, which it rounds after loading, since speech ended
        early without; but it rotates in the heads' own dtype (vLLM's rotary embedding), so that in bfloat16 each product is rounded. In
        float32 both are the same. Queries and keys are normed, head by head, before they are rotated.
        """
        return _decoder(self.text_config)

    def fast_decoder(self) -> "DecoderConfig":
        """The transformer over the codes of one frame: the same layer and the same rotation (see slow_decoder), without norms of heads.

        Position 0 is the hidden state, position i the code of book i - 1. vllm-omni 0.30.0 (fish_speech_fast_ar.py) agrees on pairs and
        positions, rounds this table along with the slow one's, and differs in the same way, by the dtype of the products.
        """
        return _decoder(self.audio_decoder_config)


def _without_experts(section: Section) -> Section:
    """What is said of experts beside use_moe has no part."""
    kept = {key: value for key, value in section.values.items() if key == "use_moe" or not OF_EXPERTS & set(key.split("_"))}
    return Section(section.where, kept)


def _decoder(sizes: _Sizes) -> "DecoderConfig":
    from engines.kit.nn.attention import AttentionConfig, RotaryConfig
    from engines.kit.nn.tensor_names import TensorNames
    from engines.kit.nn.transformer import DecoderConfig

    rotary = RotaryConfig(kind="interleaved", theta=sizes.rope_base, bfloat16_table=True, in_float32=True)
    heads = (sizes.n_head, sizes.n_local_heads, sizes.head_dim)
    attention = AttentionConfig(sizes.dim, *heads, rotary, qk_norm=sizes.attention_qk_norm, norm_eps=sizes.norm_eps)
    names = TensorNames(
        qkv=("attention.wqkv",),
        out="attention.wo",
        q_norm="attention.q_norm",
        k_norm="attention.k_norm",
        up=("feed_forward.w1", "feed_forward.w3"),
        down="feed_forward.w2",
        attention_norm="attention_norm",
        mlp_norm="ffn_norm",
    )
    return DecoderConfig(attention, sizes.intermediate_size, sizes.n_layer, names=names)


def _check_fit(config: FishConfig) -> None:
    """What the networks here take for granted of the parts together."""
    text, audio, faults = config.text_config, config.audio_decoder_config, []
    for name, sizes in {"slow": text, "fast": audio}.items():
        if sizes.n_head % sizes.n_local_heads:
            faults.append(f"the {name} transformer has {sizes.n_head} heads over {sizes.n_local_heads} key heads")
        if sizes.head_dim % 2:
            faults.append(f"heads of the {name} transformer are {sizes.head_dim} wide, and channels are rotated in pairs")
    if {audio.text_dim, audio.dim} != {text.dim}:
        widths = f"{text.dim}, the fast one takes {audio.text_dim} and is {audio.dim} wide"
        faults.append(f"the slow transformer gives hidden states of {widths}; a projection between them is not implemented")
    if audio.num_codebooks < 2 or audio.max_seq_len < audio.num_codebooks:
        faults.append(f"a frame of {audio.num_codebooks} codes with {audio.max_seq_len} positions for them")
    if config.n_semantic_codes != audio.vocab_size:
        span = f"{config.semantic_start_token_id} to {config.semantic_end_token_id}"
        faults.append(f"tokens {span} stand for the first book's codes, of which the fast transformer has {audio.vocab_size}")
    ids = {
        "semantic_end_token_id": config.semantic_end_token_id,
        "audio_pad_token_id": config.audio_pad_token_id,
        "eos_token_id": config.eos_token_id,
        "pad_token_id": config.pad_token_id,
    }
    faults += [f"{name} is {token}, in a vocabulary of {text.vocab_size}" for name, token in ids.items() if token >= text.vocab_size]
    if config.semantic_start_token_id <= config.eos_token_id <= config.semantic_end_token_id:
        faults.append(f"eos_token_id is {config.eos_token_id}, which stands for a code")
    if faults:
        raise CheckpointInvalid(f"The checkpoint does not fit together: {'; '.join(faults)}.", "Fetch the weights again.")
