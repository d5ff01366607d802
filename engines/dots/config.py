"""DotsConfig: the values of a dots.tts checkpoint's config.json and llm_config.json, checked and frozen. Field names are the files' own
words. Sampler: how its noise becomes latents, which the file says, too. No torch here.
"""

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeVar

from engines.errors import CheckpointInvalid
from engines.kit.nn.decoder_sizes import DecoderSizes
from engines.kit.weights.config_reading import Section, plain_rope, settings_of
from engines.kit.weights.schema import Every, PositiveFloat, Size, fixed, released, released_of, rules_of, schema, types_of, without_effect

__all__ = [
    "DILATIONS",
    "ENCODER_BASE",
    "LOOKAHEAD",
    "OF_EDITING",
    "PAIR",
    "SIZES",
    "DotsConfig",
    "DotsVaeConfig",
    "LlmConfig",
    "Sampler",
    "TransformerConfig",
    "released_config",
]  # fmt: skip

OTHER = "Use the checkpoint as its makers released it."
T = TypeVar("T")

LOOKAHEAD = 2  # latents; encoder and decoder of dots.tts 0.3.1 take it where no key says another, and no release has such a key
PAIR = 2  # latents that the semantic encoder makes a row of (VAESemanticEncoder, in_ds_rate)
ENCODER_BASE = 12  # channels behind the first convolution (Encoder of dots.tts 0.3.1, base_channels), whatever downsample_channels says

# A tensor that training to change recordings leaves in model.safetensors (_INFERENCE_UNUSED_CORE_KEYS of dots.tts 0.3.1). Nothing else in
# the files says what dots.tts.edit can: as far as they are public, keys of its configuration, tokens and all other tensors are base's.
OF_EDITING = "input_mask_embedding"

DILATIONS = (1, 3, 5)  # of every residual block of the decoder, whatever its kernel

# Defaults are those of the official configuration classes (dots.tts 0.3.1), which files may rely on.


@schema
class LlmConfig:
    """llm_config.json: Qwen2. vocab_size: of texts, with the marks of audio behind them."""

    hidden_size: Size = released(1536)
    intermediate_size: Size = released(8960)
    num_hidden_layers: Size = released(28)
    num_attention_heads: Size = released(12)
    num_key_value_heads: Size = released(2)
    head_dim: Size = released(128)
    vocab_size: Size = released(151_672)
    rope_theta: PositiveFloat = released(1_000_000.0)
    rms_norm_eps: PositiveFloat = released(1e-6)

    beside = rules_of(DecoderSizes)
    model_type = fixed("qwen2")
    tie_word_embeddings = fixed(True, False)  # nobody asks for logits

    @classmethod
    def as_read(cls, section: Section) -> Section:
        if "rope_parameters" in section.values:
            section.section("rope_parameters")  # raises for null
        section = plain_rope(section)
        width, heads = section.values.get("hidden_size"), section.values.get("num_attention_heads")
        if section.values.get("head_dim") is None:  # Qwen2's way of saying it
            width, heads = (one if isinstance(one, int) and one > 0 else 1 for one in (width, heads))
            return Section(section.where, {**section.values, "head_dim": max(1, width // heads)})
        return section


@schema
class TransformerConfig:
    """Of PatchEncoder, the semantic encoder, and of DiT, which draws: layers of attention over heads of hidden_size / num_heads."""

    num_layers: Size
    num_heads: Size = released(16)
    hidden_size: Size = released(1024)
    ffn_hidden_size: Size = released(4096)

    norm_layer = fixed("RMSNorm")
    attn_dropout = dropout = without_effect("of training")

    @property
    def head_dim(self) -> int:
        return self.hidden_size // self.num_heads

    @classmethod
    def as_read(cls, section: Section) -> Section:
        return _saying(section, "norm_layer")  # absent is LayerNorm


@schema
class SemanticEncoderConfig(TransformerConfig):
    """Latents to rows of the language model."""

    num_layers: Size = released(24, default=6)

    causal = fixed(True)
    unread = without_effect(
        "the official encoder hands none of them on: it has no positions, and no norms of queries and keys",
        "qk_norm rotary_bias rotary_theta qkv_bias modulation alibi_bias input_dim",
    )


@schema
class VelocityConfig(TransformerConfig):
    """Noise to latents."""

    num_layers: Size = 18
    rotary_theta: PositiveFloat = 10_000.0

    modulation = qk_norm = rotary_bias = fixed(True)
    qkv_bias = fixed(False)
    alibi_bias = without_effect("nobody reads it")

    @classmethod
    def as_read(cls, section: Section) -> Section:
        return _saying(section, "norm_layer", "qk_norm")  # absent is False


@schema
class DotsVaeConfig:
    """AudioVAE: samples to latents by downsample_rates, latents to samples by upsample_rates."""

    sample_rate: Size = released(48_000)
    latent_dim: Size = 128
    upsample_rates: tuple[Size, ...] = released((10, 6, 4, 2, 2, 2))
    upsample_kernel_sizes: tuple[Size, ...] = released((20, 12, 8, 4, 4, 4))
    upsample_initial_channel: Size = 1536
    resblock_kernel_sizes: tuple[Size, ...] = released((3, 7, 11))
    downsample_rates: tuple[Size, ...] = released((2, 2, 2, 4, 6, 10))
    downsample_channels: tuple[Size, ...] = released((ENCODER_BASE, 24, 48, 96, 192, 384, 768))
    mi_num_layers: Size = 4

    resblock, activation = fixed("1"), fixed("snakebeta")
    resblock_dilation_sizes = fixed(Every(list(DILATIONS)))
    snake_logscale = causal = causal_encoder = fixed(True)
    use_bias_at_final = use_tanh_at_final = fixed(False)
    num_decoder_lookahead = num_encoder_lookahead = fixed(LOOKAHEAD)

    @classmethod
    def as_read(cls, section: Section) -> Section:
        return _saying(section, "causal", "causal_encoder", "use_bias_at_final", "use_tanh_at_final", "resblock_dilation_sizes")

    @property
    def hop_samples(self) -> int:
        """Samples per latent."""
        return math.prod(self.downsample_rates)


@schema
class MeanFlowConfig:
    """The makers' mark of weights that jump: the velocity is told how far, where use_duration_embedding."""

    enabled: bool = False
    use_duration_embedding: bool = True


@schema
class FixedSampling:
    """Of weights whose sampler is fixed. tau_mid: the angle between the two steps of scm."""

    solver: str
    num_steps: Size = 2
    tau_mid: PositiveFloat = 1.3

    ode_method, guidance_scale = fixed("euler"), fixed(0.0)


@schema
class StreamingConfig:
    """Of weights that read a text token by token. initial_lookahead: tokens before the first patch; then warmup_ta patches of one, then
    cycles of ta_per_tta patches of one and a patch of two. interleave_mode "one_to_one": one before each.
    """

    interleave_mode: str = "one_to_one"
    initial_lookahead: Size = 3
    ta_per_tta: Size = 2
    warmup_ta: int = 1

    def quota(self, patch: int) -> int:
        """Tokens that are read before that patch."""
        if self.interleave_mode == "one_to_one":
            return 1
        if patch == 0:
            return self.initial_lookahead
        steady = patch - 1 - self.warmup_ta
        return 2 if steady >= 0 and steady % (self.ta_per_tta + 1) == self.ta_per_tta else 1


@dataclass(frozen=True)
class Sampler:
    """How noise becomes a patch. kind: "flow": along the velocity in equal steps; "mean_flow": in jumps whose length the velocity is told;
    "consistency": two jumps, with new noise between them.

    n_steps: the makers'. is_locked: whether no other number goes. guidance: the makers' weight w of c + w (c - u), None where the velocity
    without text and voice is never asked for. tells_length: whether the velocity is told the length of a jump. tau_mid: see FixedSampling.
    """

    kind: Literal["flow", "mean_flow", "consistency"]
    n_steps: int
    is_locked: bool = False
    guidance: float | None = None
    tells_length: bool = False
    tau_mid: float = 0.0

    @property
    def n_branches(self) -> int:
        """Evaluations per step: with text and voice, and where there is guidance without."""
        return 1 if self.guidance is None else 2


@schema
class DotsConfig:
    """The whole checkpoint. patch_size: latents per step of the language model. xvec_max_audio_seconds: of a recording that a voice is
    learned from. meanflow, sampling, streaming: None where the file says nothing.
    """

    PatchEncoder: SemanticEncoderConfig
    DiT: VelocityConfig
    vocoder: DotsVaeConfig
    llm: LlmConfig
    meanflow: MeanFlowConfig | None = None
    sampling: FixedSampling | None = None
    streaming: StreamingConfig | None = None
    latent_dim: Size = released(128)
    patch_size: Size = released(4)
    campplus_embedding_size: Size = 512
    xvec_max_audio_seconds: PositiveFloat = 10.0

    model_type = fixed("dots_tts")
    fm_sigma = fixed(0.0)
    cfg_droprate = xvec_drop_rate = without_effect("of training")
    architectures = transformers_version = dtype = torch_dtype = without_effect("notes")

    @classmethod
    def read(cls, folder: Path) -> "DotsConfig":
        """The configuration of a checkpoint folder. Raises CheckpointInvalid for files, keys or kinds of model that do not fit."""
        main = Section.read(folder, "config.json")
        if main.values.get("model_type", "dots_tts") != "dots_tts" or "PatchEncoder" not in main.values:
            what = f"model_type {main.values.get('model_type')!r}"
            raise CheckpointInvalid(f"config.json of the checkpoint is of no dots.tts model: {what}.", "Use a checkpoint of dots.tts.")
        said = Section(main.where, {key: value for key, value in main.values.items() if value is not None or key == "fm_sigma"})
        sections = {"llm": settings_of(LlmConfig, Section.read(folder, "llm_config.json"))}
        kinds = {"meanflow": MeanFlowConfig, "sampling": FixedSampling, "streaming": StreamingConfig}
        sections |= {name: _strict(kind, said, name) for name, kind in kinds.items()}
        config = settings_of(cls, said, sections)
        _check_fit(config)
        return config

    @property
    def sampler(self) -> Sampler:
        """`sampling` first, then `meanflow`, as the official package chooses (_decode_next_audio). Raises CheckpointInvalid."""
        if self.sampling is not None:
            kind = {("scm", 2): "consistency", ("flow_matching", 1): "flow"}.get((self.sampling.solver, self.sampling.num_steps))
            if kind == "consistency":
                return Sampler("consistency", 2, is_locked=True, tau_mid=self.sampling.tau_mid)
            if kind == "flow":
                return Sampler("flow", 1, is_locked=True)
            what = f"solver {self.sampling.solver!r} in {self.sampling.num_steps} steps"
            raise CheckpointInvalid(f"config.json of the checkpoint: sampling: {what} is not implemented.", OTHER)
        if self.meanflow is not None and self.meanflow.enabled:
            return Sampler("mean_flow", 4, tells_length=self.has_lengths)
        return Sampler("flow", 10, guidance=1.2)

    @property
    def has_lengths(self) -> bool:
        """Whether the file has what embeds the length of a jump, used or not."""
        return self.meanflow is not None and self.meanflow.enabled and self.meanflow.use_duration_embedding

    @property
    def patch_samples(self) -> int:
        return self.patch_size * self.vocoder.hop_samples

    @property
    def rows_per_patch(self) -> int:
        """That the DiT remembers of a patch: the state of the language model that it was made of, and its latents."""
        return 1 + self.patch_size


SIZES = ("2B", "2B-mf", "2B-mf-2steps", "2B-mf-1step")  # of one size; by what they sample with


def released_config(size: str) -> DotsConfig:
    """What the files of a release say, as far as it is public, one of SIZES. "2B": base and soar."""
    own = {
        "2B": {},
        "2B-mf": {"meanflow": MeanFlowConfig(enabled=True)},
        "2B-mf-2steps": {"sampling": FixedSampling("scm")},
        "2B-mf-1step": {"sampling": FixedSampling("flow_matching", 1)},
    }[size]
    return released_of(DotsConfig, **{"meanflow": None, "sampling": None, "streaming": None, **own})


def _saying(section: Section, *keys: str) -> Section:
    """The section, which must have these keys: what their absence means is not implemented."""
    for key in keys:
        if key not in section.values:
            section.refuse(key, "absent is what is not implemented", OTHER)
    return section


def _strict(kind: type[T], main: Section, name: str) -> T | None:
    """The section of that name, in which every key counts; None where it is not there."""
    if name not in main.values:
        return None
    section = main.section(name)
    section = Section(section.where, {key: value for key, value in section.values.items() if value is not None})
    for key in section.values.keys() - types_of(kind).keys() - rules_of(kind).only.keys():
        section.refuse(key, "nothing of the kind is implemented", OTHER)
    return settings_of(kind, section)


def _check_fit(config: DotsConfig) -> None:
    """What the networks here take for granted of the parts together. Raises CheckpointInvalid."""
    vae, faults = config.vocoder, []
    for name, sizes in (("PatchEncoder", config.PatchEncoder), ("DiT", config.DiT)):
        if sizes.hidden_size % sizes.num_heads or sizes.head_dim % 2:
            faults.append(f"{name}: {sizes.hidden_size} channels over {sizes.num_heads} heads")
    if config.llm.num_attention_heads % config.llm.num_key_value_heads:
        faults.append(f"{config.llm.num_attention_heads} heads over {config.llm.num_key_value_heads} key heads")
    if vae.latent_dim != config.latent_dim:
        faults.append(f"latents have {vae.latent_dim} values in the vocoder, {config.latent_dim} elsewhere")
    if config.patch_size % PAIR or config.patch_size <= LOOKAHEAD:
        faults.append(f"patches of {config.patch_size} latents, which are no pairs, or no more than the decoder looks ahead")
    if math.prod(vae.upsample_rates) != vae.hop_samples:
        faults.append(f"a latent is {vae.hop_samples} samples of a recording, and {math.prod(vae.upsample_rates)} of speech")
    if vae.upsample_kernel_sizes != tuple(2 * rate for rate in vae.upsample_rates):
        faults.append(f"kernels {list(vae.upsample_kernel_sizes)}, which are not twice the rates {list(vae.upsample_rates)}")
    if not vae.upsample_rates or vae.upsample_initial_channel % 2 ** len(vae.upsample_rates):
        faults.append(f"a decoder {vae.upsample_initial_channel} wide is not halved by each of {len(vae.upsample_rates)} rates")
    if not vae.resblock_kernel_sizes:
        faults.append("its decoder has no residual blocks")
    if len(vae.downsample_channels) != len(vae.downsample_rates) + 1 or vae.downsample_channels[0] != ENCODER_BASE:
        faults.append(f"downsample_channels do not begin with {ENCODER_BASE} and have one more for each rate")
    if faults:
        raise CheckpointInvalid(f"The checkpoint does not fit together: {'; '.join(faults)}.", "Fetch the weights again.")
    if config.streaming is not None and config.streaming.interleave_mode not in ("one_to_one", "buffered_ratio"):
        raise CheckpointInvalid(
            f"config.json of the checkpoint: streaming: {config.streaming.interleave_mode!r} is not implemented.", OTHER
        )
    _ = config.sampler  # raises
