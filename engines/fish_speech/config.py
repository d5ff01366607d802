"""FishConfig: the values of a Fish Audio S2 Pro checkpoint's config.json, checked and frozen. Field names are the file's. No torch here."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from engines.errors import CheckpointInvalid
from engines.kit.weights.config_reading import Section, settings_of
from engines.kit.weights.schema import TRANSFORMERS, PositiveFloat, Rules, Size, fixed, released, released_of, schema, without_effect

if TYPE_CHECKING:
    from engines.kit.nn.transformer import DecoderConfig

__all__ = ["SIZES", "FishAudioConfig", "FishConfig", "FishTextConfig", "released_config"]

SIZES = ("S2-Pro",)

KIND = "fish_qwen3_omni"  # by which the checkpoint is known: the release has no `architectures`
# The published file is longer by 436 bytes than all keys that are known of it: what speaks of experts, by a word of its name, shall not
# stop it, for none of it has an effect where use_moe is false, which the sections below want.
OF_EXPERTS = frozenset({"expert", "experts", "moe", "route", "routed", "router", "topk"})
# Of all sections: what transformers writes into any configuration, the precision among it ("dtype", or "torch_dtype" of older releases), is
# a note: whoever opens the engine says where and in which precision. The row of a frame is divided by the root of the number of its parts;
# the fast transformer begins behind the slow one's last norm. The release says neither: both are true for this model_type in the official
# code, where the class alone says false.
ALWAYS = TRANSFORMERS | Rules(only={"scale_codebook_embeddings": (True,), "norm_fastlayer_input": (True,)})


@schema
class _Sizes:
    """Of one transformer. dim: width. n_local_heads: of keys and values. rope_base: of the wavelengths. max_seq_len: positions."""

    vocab_size: Size
    dim: Size = released(2560)
    n_layer: Size
    n_head: Size = released(32)
    n_local_heads: Size = released(8)
    head_dim: Size = released(128)
    intermediate_size: Size = released(9728)
    max_seq_len: Size
    norm_eps: PositiveFloat = released(1e-6)
    rope_base: PositiveFloat = released(1_000_000.0)
    attention_qk_norm: bool

    beside = ALWAYS
    attention_qkv_bias = attention_o_bias = use_moe = fixed(False)
    dropout = use_gradient_checkpointing = without_effect("how it was trained")
    audio_hidden_dim = without_effect("a width that no tensor of the release has (vllm-omni 0.30.0 keeps it and never reads it)")

    @classmethod
    def as_read(cls, section: Section) -> Section:
        """What is said of experts beside use_moe has no part."""
        kept = {key: value for key, value in section.values.items() if key == "use_moe" or not OF_EXPERTS & set(key.split("_"))}
        return Section(section.where, kept)


@schema
class FishTextConfig(_Sizes):
    """The slow transformer: reads text and frames, says the first code of a frame, or that the speech ends.

    vocab_size: rows of its one table, which gives rows to tokens and logits to hidden states.
    """

    vocab_size: Size = released(155_776)
    n_layer: Size = released(36)
    max_seq_len: Size = released(32_768)
    attention_qk_norm: bool = released(True)

    model_type = fixed("fish_qwen3")
    tie_word_embeddings = fixed(True)


@schema
class FishAudioConfig(_Sizes):
    """The fast transformer: says the other codes of a frame, book by book.

    vocab_size: rows of its table of codes, and rows per book in the table that the slow transformer reads frames by. text_dim: width of
    the hidden state that it begins with. max_seq_len: of that state and the codes of a frame.
    """

    vocab_size: Size = released(4096)
    n_layer: Size = released(4)
    max_seq_len: Size = released(11)
    attention_qk_norm: bool = released(False)
    num_codebooks: Size = released(10)
    text_dim: Size = released(2560)

    model_type = fixed("fish_qwen3_audio_decoder")
    tie_word_embeddings = fixed(False)


@schema
class FishConfig:
    """The whole checkpoint but its codec, whose file says what it is. Ids are of text tokens; semantic ones stand for codes of book 0."""

    semantic_start_token_id: int = released(151_678)
    semantic_end_token_id: int = released(155_773)
    audio_pad_token_id: int = released(151_677)
    eos_token_id: int = released(151_645)
    pad_token_id: int = released(151_669)
    text_config: FishTextConfig
    audio_decoder_config: FishAudioConfig

    beside = ALWAYS
    model_type = without_effect("checked before")

    @classmethod
    def read(cls, folder: Path) -> "FishConfig":
        """The configuration of a checkpoint folder. Raises CheckpointInvalid for files, keys or kinds of model that do not fit."""
        main = Section.read(folder, "config.json")
        main.check_model_type(KIND, "Fish Audio S2 Pro", "Use fishaudio/s2-pro.")
        config = settings_of(cls, main)
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


def released_config(size: str) -> FishConfig:
    """What config.json of fishaudio/s2-pro says, one of SIZES; tests/released compares."""
    return {"S2-Pro": released_of(FishConfig)}[size]


def _decoder(sizes: _Sizes) -> "DecoderConfig":
    from engines.kit.nn.attention import AttentionConfig, RotaryConfig
    from engines.kit.nn.tensor_names import LLAMA_NAMES
    from engines.kit.nn.transformer import DecoderConfig

    rotary = RotaryConfig(kind="interleaved", theta=sizes.rope_base, bfloat16_table=True, in_float32=True)
    heads = (sizes.n_head, sizes.n_local_heads, sizes.head_dim)
    attention = AttentionConfig(sizes.dim, *heads, rotary, qk_norm=sizes.attention_qk_norm, norm_eps=sizes.norm_eps)
    names = replace(LLAMA_NAMES, qkv=("attention.wqkv",))
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
