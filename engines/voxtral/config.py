"""VoxtralConfig: the values of a Voxtral TTS checkpoint's params.json, checked and frozen. Field names are the file's. No torch here."""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import MISSING, Field, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from engines.errors import CheckpointInvalid
from engines.kit.weights.config_reading import Section, settings_of
from engines.kit.weights.schema import PositiveFloat, Size, as_released, fixed, released, released_of, rules_of, schema, without_effect
from engines.voxtral.options import RELEASED_VOICES

if TYPE_CHECKING:
    from engines.kit.nn.attention import AttentionConfig
    from engines.kit.nn.transformer import DecoderConfig

__all__ = [
    "SIZES", "AudioModelConfig", "FlowHeadConfig", "MultimodalConfig", "VoxtralCodecConfig", "VoxtralConfig", "released_config",
]  # fmt: skip

SIZES = ("4B",)
KIND = "voxtral_tts"
N_SPECIAL = 2  # codes that come before those of every codebook: 0 says that there is no audio, 1 that it has ended
NO_AUDIO, END_AUDIO = 0, 1
ROW_MULTIPLE = 128  # to which the tables of codes, and the head that names the semantic ones, are padded
FILE_NAME = re.compile(r"\w[\w.-]*")  # of a built-in voice, whose file is called so
SAMPLE_RATE = 24_000  # that the engine says of itself before any checkpoint is read
AGAIN, OTHER = "Fetch the weights again.", "Use mistralai/Voxtral-4B-TTS-2603."


class _Nested:
    """A section as from_nested_dict of vllm-omni 0.30.0 reads it: keys of other names have no part in what is computed, null is absent."""

    __dataclass_fields__: ClassVar[dict[str, Field[object]]]  # of each schema below

    @classmethod
    def as_read(cls, section: Section) -> Section:
        read = {f.name: (f.default, f.default_factory) != (MISSING, MISSING) for f in fields(cls)}
        rules = rules_of(cls)
        known = {key: value for key, value in section.values.items() if key in read.keys() | rules.only.keys() | rules.inert_keys}
        return Section(section.where, {key: value for key, value in known.items() if value is not None or not read.get(key)})


@schema
class FlowHeadConfig(_Nested):
    """`acoustic_transformer_args`: the transformer that turns noise into the acoustic codes of a frame.

    input_dim: width of the hidden state that it is told. The release says nothing of norm_eps and n_decoding_steps: the defaults are those
    of vllm-omni 0.30.0 (AcousticTransformerArgs, VoxtralTTSConfigParser).
    """

    input_dim: Size = released(3072)
    dim: Size = released(3072)
    n_layers: Size = released(3)
    head_dim: Size = released(128)
    hidden_dim: Size = released(9216)
    n_heads: Size = released(32)
    n_kv_heads: Size = released(8)
    norm_eps: PositiveFloat = 1e-5
    n_decoding_steps: Size = 7

    use_biases = fixed(False)
    rope_theta = without_effect("nothing is rotated (vllm-omni 0.30.0, BidirectionalAttention)")
    sigma = sigma_max = without_effect("of the path that it was trained on, and no epsilon")


@schema
class AudioModelConfig(_Nested):
    """`audio_model_args`: what a frame is made of, and the text tokens that stand for audio."""

    semantic_codebook_size: Size = released(8192)
    acoustic_codebook_size: Size = released(21)
    n_acoustic_codebook: Size = released(36)
    audio_token_id: Size = released(24)
    begin_audio_token_id: Size = released(25)
    acoustic_transformer_args: FlowHeadConfig

    input_embedding_concat_type = fixed("sum")
    p_uncond = condition_dropped_token_id = without_effect("of training: how often conditions were left out, and what stood there")
    text_feature_bugged = without_effect("of a text channel that the release does not have")
    audio_encoding_args = without_effect("the codec's section says it again, and how recordings lay in training")

    @classmethod
    def as_read(cls, section: Section) -> Section:
        said = "implemented are semantic_codebook_size, acoustic_codebook_size and n_acoustic_codebook"
        if "codebook_sizes" in section.values:
            section.refuse("codebook_sizes", said, OTHER)
        return super().as_read(section)

    @property
    def n_codebooks(self) -> int:
        """Q: the semantic one and all acoustic ones."""
        return 1 + self.n_acoustic_codebook

    @property
    def codebook_sizes(self) -> tuple[int, ...]:
        """Codes of each book, without the special ones."""
        return (self.semantic_codebook_size,) + (self.acoustic_codebook_size,) * self.n_acoustic_codebook

    @property
    def first_rows(self) -> tuple[int, ...]:
        """Where each book begins in the table of codes, its special ones first."""
        sizes = [size + N_SPECIAL for size in self.codebook_sizes]
        return tuple(sum(sizes[:book]) for book in range(len(sizes)))

    @property
    def n_rows(self) -> int:
        """Of the table of codes."""
        return _padded(sum(size + N_SPECIAL for size in self.codebook_sizes))

    @property
    def n_logits(self) -> int:
        """Of the head that names the semantic code."""
        return _padded(self.semantic_codebook_size + N_SPECIAL)


@schema
class VoxtralCodecConfig(_Nested):
    """`audio_tokenizer_args`. Lengths, kernels and strides are texts in the file, and tuples here. voice: built-in voices, by name.

    qk_norm_eps: of the norms of queries and keys; norm_eps: of all others. What the release says nothing of has the defaults of
    vllm-omni 0.30.0 (AudioTokenizerArgs); the encoder mirrors the decoder.
    """

    sampling_rate: Size = released(24_000)
    pretransform_patch_size: Size = released(240)
    patch_proj_kernel_size: Size = released(7)
    semantic_codebook_size: Size = released(8192)
    semantic_dim: Size = released(256)
    acoustic_codebook_size: Size = released(21)
    acoustic_dim: Size = released(36)
    attn_sliding_window_size: Size = released(16)
    dim: Size = released(1024)
    hidden_dim: Size = released(4096)
    head_dim: Size = released(128)
    n_heads: Size = released(8)
    n_kv_heads: Size = released(8)
    decoder_transformer_lengths_str: str = released("2,2,2,2")
    decoder_convs_kernels_str: str = released("3,4,4,4")
    decoder_convs_strides_str: str = released("1,2,2,2")
    voice: Mapping[str, int] = field(default_factory=dict, metadata=as_released({name: n for n, name in enumerate(RELEASED_VOICES)}))
    qk_norm_eps: PositiveFloat = 1e-6
    norm_eps: PositiveFloat = 1e-2
    encoder_transformer_lengths_str: str = "2,2,2,2"
    encoder_convs_kernels_str: str = "4,4,4,3"
    encoder_convs_strides_str: str = "2,2,2,1"

    channels = fixed(1)
    causal = conv_weight_norm = half_attn_window_upon_downsampling = qk_norm = layer_scale = fixed(True)
    use_biases = fixed(False)
    layer_scale_init = without_effect("of training")

    @property
    def decoder_lengths(self) -> tuple[int, ...]:
        """Layers of each stage."""
        return _numbers(self.decoder_transformer_lengths_str)

    @property
    def decoder_kernels(self) -> tuple[int, ...]:
        """Of the convolution before each stage."""
        return _numbers(self.decoder_convs_kernels_str)

    @property
    def decoder_strides(self) -> tuple[int, ...]:
        return _numbers(self.decoder_convs_strides_str)

    @property
    def encoder_lengths(self) -> tuple[int, ...]:
        return _numbers(self.encoder_transformer_lengths_str)

    @property
    def encoder_kernels(self) -> tuple[int, ...]:
        """Of the convolution behind each stage."""
        return _numbers(self.encoder_convs_kernels_str)

    @property
    def encoder_strides(self) -> tuple[int, ...]:
        return _numbers(self.encoder_convs_strides_str)

    def attention(self) -> "AttentionConfig":
        """Of every layer. Nothing is rotated; norms of queries and keys are over their whole width, with an epsilon of their own."""
        from engines.kit.nn.attention import AttentionConfig, RotaryConfig

        heads = (self.n_heads, self.n_kv_heads, self.head_dim)
        return AttentionConfig(self.dim, *heads, RotaryConfig(kind="none"), norm_eps=self.norm_eps)

    @property
    def latent_dim(self) -> int:
        """Of a frame between encoder and decoder."""
        return self.semantic_dim + self.acoustic_dim

    @property
    def frame_samples(self) -> int:
        """Of a frame of codes: 1920, 80 ms."""
        return self.pretransform_patch_size * math.prod(self.decoder_strides)

    @property
    def decoder_windows(self) -> tuple[int, ...]:
        """How many rows before its own a row of each stage attends to: doubled with the rate, attn_sliding_window_size at the last."""
        halvings = [math.prod(self.decoder_strides[stage + 1 :]) for stage in range(len(self.decoder_strides))]
        return tuple(self.attn_sliding_window_size // halving for halving in halvings)

    @property
    def encoder_windows(self) -> tuple[int, ...]:
        """The same of the encoder: attn_sliding_window_size at the first, halved with the rate."""
        return tuple(self.attn_sliding_window_size // math.prod(self.encoder_strides[:stage]) for stage in range(len(self.encoder_strides)))


@schema
class MultimodalConfig:
    """`multimodal`: all that is of speech."""

    audio_model_args: AudioModelConfig
    audio_tokenizer_args: VoxtralCodecConfig
    bos_token_id: Size = 1

    eos_token_id = pad_token_id = without_effect("of texts, which are not continued")


@schema
class VoxtralConfig:
    """The whole checkpoint. The backbone's sizes stand at the top of the file; max_seq_len: positions of prompt and speech together."""

    dim: Size = released(3072)
    n_layers: Size = released(26)
    head_dim: Size = released(128)
    hidden_dim: Size = released(9216)
    n_heads: Size = released(32)
    n_kv_heads: Size = released(8)
    rope_theta: PositiveFloat = released(1_000_000.0)
    norm_eps: PositiveFloat = released(1e-5)
    vocab_size: Size = released(131_072)
    multimodal: MultimodalConfig
    max_seq_len: Size = 65536

    use_biases = fixed(False)
    causal = tied_embeddings = fixed(True)
    model_parallel = fixed(1)
    # Of other models by these makers, who say it here (vllm @ 01da88c, transformers_utils/configs/mistral.py).
    activation = fixed("silu")
    quantization = moe = yarn = rope_scaling = llama_4_scaling = sliding_window = fixed(None)
    ada_rms_norm_t_cond = fixed(False, None)
    model_type = without_effect("checked before")
    max_position_embeddings = without_effect("how far positions were thought to go; max_seq_len says how far they do")
    bos_token_id = eos_token_id = pad_token_id = without_effect("the tokenizer's file says which these are")
    dtype = torch_dtype = architectures = without_effect("notes")

    @property
    def audio_model(self) -> AudioModelConfig:
        """What a frame is made of."""
        return self.multimodal.audio_model_args

    @property
    def codec(self) -> VoxtralCodecConfig:
        """What makes samples of it."""
        return self.multimodal.audio_tokenizer_args

    @classmethod
    def read(cls, folder: Path) -> "VoxtralConfig":
        """The configuration of a checkpoint folder. Raises CheckpointInvalid for files, keys or kinds of model that do not fit."""
        return cls.of(Section.read(folder, "params.json"))

    @classmethod
    def of(cls, main: Section) -> "VoxtralConfig":
        """The same of what a params.json holds."""
        main.check_model_type(KIND, "Voxtral TTS", OTHER)
        config = settings_of(cls, main)
        _check_fit(config)
        return config

    def backbone(self) -> "DecoderConfig":
        """The transformer over positions of text and frames: Ministral's, whose consolidated weights rotate neighboring channels."""
        from engines.kit.nn.attention import AttentionConfig, RotaryConfig
        from engines.kit.nn.tensor_names import LLAMA_NAMES
        from engines.kit.nn.transformer import DecoderConfig

        rotary = RotaryConfig(kind="interleaved", theta=self.rope_theta)
        heads = (self.n_heads, self.n_kv_heads, self.head_dim)
        attention = AttentionConfig(self.dim, *heads, rotary, norm_eps=self.norm_eps)
        return DecoderConfig(attention, self.hidden_dim, self.n_layers, names=LLAMA_NAMES)

    def flow_transformer(self) -> "DecoderConfig":
        """The transformer over the three rows that the velocity of a frame is read from; they see one another, and nothing is rotated."""
        from engines.kit.nn.attention import AttentionConfig, RotaryConfig
        from engines.kit.nn.tensor_names import LLAMA_NAMES
        from engines.kit.nn.transformer import DecoderConfig

        sizes = self.audio_model.acoustic_transformer_args
        heads = (sizes.n_heads, sizes.n_kv_heads, sizes.head_dim)
        attention = AttentionConfig(sizes.dim, *heads, RotaryConfig(kind="none"), norm_eps=sizes.norm_eps)
        return DecoderConfig(attention, sizes.hidden_dim, sizes.n_layers, causal=False, names=LLAMA_NAMES)


def released_config(size: str) -> VoxtralConfig:
    """What params.json of mistralai/Voxtral-4B-TTS-2603 says, one of SIZES; tests/released compares."""
    return {"4B": released_of(VoxtralConfig)}[size]


def _padded(n_rows: int) -> int:
    return -(-n_rows // ROW_MULTIPLE) * ROW_MULTIPLE


def _numbers(text: str) -> tuple[int, ...]:
    """Raises ValueError for what is no list of whole numbers above zero; `_check_fit` has looked before anybody asks."""
    numbers = tuple(int(part) for part in text.split(","))
    if min(numbers) < 1:
        raise ValueError(text)
    return numbers


def _check_fit(config: VoxtralConfig) -> None:
    """What the networks here take for granted of the parts together."""
    audio, codec, faults = config.audio_model, config.codec, [*_faults_of_lists(config.codec)]
    flow = audio.acoustic_transformer_args
    for name, sizes in {"the backbone": config, "the flow head": flow, "the codec": codec}.items():
        if sizes.n_heads % sizes.n_kv_heads:
            faults.append(f"{name} has {sizes.n_heads} heads over {sizes.n_kv_heads} key heads")
        if sizes.head_dim % 2:
            faults.append(f"heads of {name} are {sizes.head_dim} wide, and channels are rotated in pairs")
    if codec.sampling_rate != SAMPLE_RATE:
        faults.append(f"the codec makes {codec.sampling_rate} samples a second; implemented are {SAMPLE_RATE}")
    if flow.input_dim != config.dim or flow.dim != config.dim:
        faults.append(f"the flow head is told rows of {flow.input_dim} and is {flow.dim} wide, the backbone's are {config.dim}")
    ours = (audio.semantic_codebook_size, audio.acoustic_codebook_size, audio.n_acoustic_codebook)
    its = (codec.semantic_codebook_size, codec.acoustic_codebook_size, codec.acoustic_dim)
    if audio.acoustic_codebook_size < 2:
        faults.append("an acoustic codebook has one code, which says nothing")
    if ours != its:
        faults.append(f"frames are of {ours} codes (semantic, acoustic, acoustic books), the codec's of {its}")
    ids = {"audio_token_id": audio.audio_token_id, "begin_audio_token_id": audio.begin_audio_token_id}
    faults += [f"{name} is {token}, in a vocabulary of {config.vocab_size}" for name, token in ids.items() if token >= config.vocab_size]
    faults += [f"a voice is called {name!r}, which is no name of a file" for name in codec.voice if not FILE_NAME.fullmatch(name)]
    if faults:
        raise CheckpointInvalid(f"The checkpoint does not fit together: {'; '.join(faults)}.", AGAIN)


def _faults_of_lists(codec: VoxtralCodecConfig) -> list[str]:
    """Of the texts that stand for lists: what is no list, and lists that do not belong together."""
    lists = {}
    for half in ("encoder", "decoder"):
        for what in ("transformer_lengths", "convs_kernels", "convs_strides"):
            text = getattr(codec, name := f"{half}_{what}_str")
            try:
                lists[name] = _numbers(text)
            except ValueError:
                return [f"{name} is {text!r}, no list of whole numbers"]
    faults = []
    for half in ("encoder", "decoder"):
        lengths, kernels, strides = (lists[f"{half}_{what}_str"] for what in ("transformer_lengths", "convs_kernels", "convs_strides"))
        if len(lengths) == len(kernels) == len(strides):
            faults += _faults_of_convolutions(half, kernels, strides)
        else:
            faults.append(f"the {half} has {len(lengths)} stages, {len(kernels)} kernels and {len(strides)} strides")
    rows_per_frame, encoded = (math.prod(lists[f"{half}_convs_strides_str"]) for half in ("decoder", "encoder"))
    if rows_per_frame != encoded:
        faults.append("encoder and decoder differ in how many samples a frame is")
    elif codec.attn_sliding_window_size % rows_per_frame:
        faults.append(f"a window of {codec.attn_sliding_window_size} rows cannot be halved with the rate")
    if codec.patch_proj_kernel_size > rows_per_frame:
        faults.append(f"the first of {rows_per_frame} rows, a frame, cannot be mirrored for a kernel of {codec.patch_proj_kernel_size}")
    return faults


def _faults_of_convolutions(half: str, kernels: Sequence[int], strides: Sequence[int]) -> Iterator[str]:
    """Between the stages of one half. Of a kernel of 1 that goes on row by row vllm-omni 0.30.0 leaves the convolution out, but for the
    encoder's last and the decoder's first, which change the width.
    """
    convolutions = tuple(zip(kernels, strides, strict=True))
    if any(kernel < stride for kernel, stride in convolutions):
        yield f"a kernel of the {half} is shorter than its stride"
    if any(stride > 2 for stride in strides):
        yield f"strides of the {half} are {tuple(strides)}; implemented are 1 and 2"
    if (1, 1) in (convolutions[:-1] if half == "encoder" else convolutions[1:]):
        yield f"the {half} has a convolution of kernel 1 and stride 1, which is implemented at its narrow end alone"
    if half == "decoder" and strides[0] != 1:
        yield f"the decoder's first stride is {strides[0]}; implemented is 1"
    if half == "decoder" and any(kernel > stride and kernel != 2 * stride for kernel, stride in convolutions[1:]):
        yield f"kernels of the decoder are {tuple(kernels)}; behind the first, implemented are the stride and twice the stride"
