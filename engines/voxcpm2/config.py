"""VoxCpm2Config: the values of a VoxCPM2 checkpoint's config.json, checked and frozen. Field names are the file's own words.
No torch here.
"""

import math
from pathlib import Path
from typing import TYPE_CHECKING

from engines.errors import CheckpointInvalid
from engines.kit.weights.config_reading import Section, settings_of
from engines.kit.weights.schema import PositiveFloat, Size, fixed, released, released_of, schema, without_effect

if TYPE_CHECKING:
    from engines.kit.nn.transformer import DecoderConfig

__all__ = [
    "AUDIO_START_ID",
    "REFERENCE_END_ID",
    "REFERENCE_START_ID",
    "AudioVaeConfig",
    "LmConfig",
    "LocalConfig",
    "LongRopeConfig",
    "VoxCpm2Config",
    "released_config",
]

# Text ids that mark audio; no file says them (voxcpm 2.0.3, VoxCPM2Model.__init__).
AUDIO_START_ID, REFERENCE_START_ID, REFERENCE_END_ID = 101, 103, 104

OTHER = "Use the checkpoint as its makers released it."

LENGTH = 32_768
# The 64 published factors, of which both lists hold the same, lie on this logistic curve to 14 digits: 0.998 to 31.02 (fitted by us).
FACTORS = tuple(0.915773467047734 + 30.19017586514628 / (1 + math.exp((31.5 - index) / 5.334)) for index in range(64))

# Defaults are those of the official configuration classes (voxcpm 2.0.3), which files may rely on.


@schema
class LongRopeConfig:
    """LongRoPE (arXiv 2402.13753): by what the wavelength of each frequency is stretched, within the original length and beyond it."""

    short_factor: tuple[PositiveFloat, ...] = released(FACTORS)
    long_factor: tuple[PositiveFloat, ...] = released(FACTORS)
    original_max_position_embeddings: Size = released(LENGTH)

    type = rope_type = fixed("longrope")


@schema
class LmConfig:
    """MiniCPM4, the base language model; all other transformers of the model have its key heads, norms and rotation.

    kv_channels: of a head; 0: not said. vocab_size: of texts, with the ids that mark audio.
    """

    vocab_size: Size = released(73_448)
    hidden_size: Size = released(2048)
    intermediate_size: Size = released(6144)
    num_hidden_layers: Size = released(28)
    num_attention_heads: Size = released(16)
    num_key_value_heads: Size = released(2)
    max_position_embeddings: Size = released(LENGTH)
    rms_norm_eps: PositiveFloat = released(1e-5)
    rope_theta: PositiveFloat = released(10_000.0)
    rope_scaling: LongRopeConfig
    kv_channels: Size = released(128, default=0)

    use_mup = no_rope = fixed(False)
    bos_token_id = eos_token_id = without_effect("no prompt has them, and a speech ends where the stop head says")
    scale_emb = dim_model_base = scale_depth = without_effect("of use_mup")

    @classmethod
    def as_read(cls, section: Section) -> Section:
        if "use_mup" not in section.values:  # true by default in the official class
            section.refuse("use_mup", "absent is true, and implemented is false", OTHER)
        said = _said(section, "kv_channels")
        return Section(said.where, {"rope_scaling": {}} | said.values)  # so that all that it lacks is named

    @property
    def head_dim(self) -> int:
        return self.kv_channels or self.hidden_size // self.num_attention_heads

    @property
    def rope_factors(self) -> tuple[float, ...]:
        """Which of the two lists holds: chosen once, by what the model promises, not by a text (voxcpm 2.0.3, MiniCPMLongRoPE)."""
        rope = self.rope_scaling
        return rope.long_factor if self.max_position_embeddings > rope.original_max_position_embeddings else rope.short_factor

    @property
    def rope_magnitude(self) -> float:
        """By what cos and sin are multiplied, 1 where nothing is extended: the same class, scaling_factor."""
        original = self.rope_scaling.original_max_position_embeddings
        return math.sqrt(1 + math.log(self.max_position_embeddings / original) / math.log(original))


@schema
class LocalConfig:
    """A transformer over the latents of one patch, all of which see one another. kv_channels: of a head; 0: not said."""

    hidden_dim: Size = 1024
    ffn_dim: Size = 4096
    num_heads: Size = 16
    num_layers: Size = released(12, default=4)
    kv_channels: Size = released(128, default=0)

    @property
    def head_dim(self) -> int:
        return self.kv_channels or self.hidden_dim // self.num_heads

    @classmethod
    def as_read(cls, section: Section) -> Section:
        return _said(section, "kv_channels")


@schema
class DitConfig(LocalConfig):
    """The transformer that turns noise into latents."""

    dit_mean_mode = mean_mode = fixed(False)  # the first is what voxcpm 2.0.3 reads, the second what the released file calls it
    cfm_config = without_effect("of training: steps, guidance and noise of speech are those of the call (voxcpm 2.0.3, UnifiedCFM)")


@schema
class AudioVaeConfig:
    """AudioVAE v2, between audio and latents. Dims are the widths next to the audio (encoder) and to the latents (decoder).

    sr_bin_boundaries: rising, in Hz: the decoder is told between which of them out_sample_rate lies.
    """

    encoder_dim: Size = 128
    encoder_rates: tuple[Size, ...] = (2, 5, 8, 8)
    latent_dim: Size = 64
    decoder_dim: Size = 2048
    decoder_rates: tuple[Size, ...] = (8, 6, 5, 2, 2, 2)
    sample_rate: Size = 16_000
    out_sample_rate: Size = 48_000
    sr_bin_boundaries: tuple[Size, ...] = (20_000, 30_000, 40_000)

    depthwise = fixed(True)
    use_noise_block = cond_out_layer = fixed(False)
    cond_type = fixed("scale_bias", "scale_bias_init")  # one computation, from other first values in training
    cond_dim = without_effect('of cond_type "concat"')

    @property
    def encoder_hop(self) -> int:
        """Samples at sample_rate per latent."""
        return math.prod(self.encoder_rates)

    @property
    def decoder_hop(self) -> int:
        """Samples at out_sample_rate per latent."""
        return math.prod(self.decoder_rates)


@schema
class VoxCpm2Config:
    """The whole checkpoint. patch_size: latents per step of the language models; feat_dim: values per latent.

    max_length: positions that prompt and speech may have together.
    """

    lm_config: LmConfig
    encoder_config: LocalConfig
    dit_config: DitConfig
    audio_vae_config: AudioVaeConfig = AudioVaeConfig()
    patch_size: Size = 4
    feat_dim: Size = 64
    residual_lm_num_layers: Size = 8
    residual_lm_no_rope: bool = released(True, default=False)
    scalar_quantization_latent_dim: Size = 512
    scalar_quantization_scale: Size = 9
    max_length: Size = 8192

    architecture = without_effect("checked before")
    device = dtype = without_effect("notes: whoever opens the engine says where and in which precision")

    @classmethod
    def as_read(cls, section: Section) -> Section:
        return _said(section, "audio_vae_config")

    @classmethod
    def read(cls, folder: Path) -> "VoxCpm2Config":
        """The configuration of a checkpoint folder. Raises CheckpointInvalid for files, keys or kinds of model that do not fit."""
        main = Section.read(folder, "config.json")
        _check_kind(main)
        config = settings_of(cls, main)
        _check_fit(config)
        return config

    @property
    def encoder_patch_samples(self) -> int:
        """Samples of a recording per patch, at audio_vae_config.sample_rate."""
        return self.patch_size * self.audio_vae_config.encoder_hop

    @property
    def decoder_patch_samples(self) -> int:
        """Samples of speech per patch, at audio_vae_config.out_sample_rate."""
        return self.patch_size * self.audio_vae_config.decoder_hop

    def base_decoder(self) -> "DecoderConfig":
        """The language model over texts and patches."""
        return self._decoder(self._lm_sizes(self.lm_config.num_hidden_layers))

    def residual_decoder(self) -> "DecoderConfig":
        """The language model over what the first one's quantized states leave out; it knows no positions where residual_lm_no_rope."""
        return self._decoder(self._lm_sizes(self.residual_lm_num_layers), rotated=not self.residual_lm_no_rope)

    def local_encoder(self) -> "DecoderConfig":
        """Latents of a patch to one row for the language models."""
        return self._decoder(self.encoder_config, causal=False)

    def local_dit(self) -> "DecoderConfig":
        """Noisy latents of a patch, and what they follow from, to a velocity."""
        return self._decoder(self.dit_config, causal=False)

    def _lm_sizes(self, n_layers: int) -> LocalConfig:
        lm = self.lm_config
        heads, channels = lm.num_attention_heads, lm.kv_channels
        return LocalConfig(lm.hidden_size, lm.intermediate_size, heads, num_layers=n_layers, kv_channels=channels)

    def _decoder(self, sizes: LocalConfig, *, causal: bool = True, rotated: bool = True) -> "DecoderConfig":
        """All transformers here are one block of other sizes: key heads, norms and rotation are the language model's."""
        from engines.kit.nn.attention import AttentionConfig, RotaryConfig
        from engines.kit.nn.transformer import DecoderConfig

        lm, rotary = self.lm_config, RotaryConfig(kind="none")
        if rotated:
            factors, scaling = lm.rope_factors, lm.rope_magnitude
            # The official loader casts cos and sin with the weights, and rotates in float32.
            rotary = RotaryConfig(theta=lm.rope_theta, factors=factors, scaling=scaling, in_float32=True, rounded_table=True)
        heads = (sizes.num_heads, lm.num_key_value_heads, sizes.head_dim)
        attention = AttentionConfig(sizes.hidden_dim, *heads, rotary, norm_eps=lm.rms_norm_eps)
        return DecoderConfig(attention, sizes.ffn_dim, sizes.num_layers, causal=causal)


def released_config(size: str) -> VoxCpm2Config:
    """What config.json of openbmb/VoxCPM2 says ("2B"), its factors to the last digit of float32; tests/released compares."""
    return {"2B": released_of(VoxCpm2Config)}[size]


def _said(section: Section, key: str) -> Section:
    """The section without the key where it is null, which is what the official classes write for "not said"."""
    return Section(section.where, {k: v for k, v in section.values.items() if k != key or v is not None})


def _check_kind(main: Section) -> None:
    """Refuses other models by the name that their makers gave them."""
    architecture = main.values.get("architecture", "voxcpm" if "lm_config" in main.values else None)  # as voxcpm 2.0.3, core.py
    if str(architecture).lower() == "voxcpm":
        # The first has patches of two latents, the second of four (class defaults of voxcpm 2.0.3, table of models in its README).
        name = "VoxCPM-0.5B" if main.values.get("patch_size", 2) == 2 else "VoxCPM1.5"
        raise CheckpointInvalid(f"The checkpoint is {name}, an older model than VoxCPM2.", "Use openbmb/VoxCPM2, or a fine-tuned VoxCPM2.")
    if str(architecture).lower() != "voxcpm2":
        what = f"architecture {architecture!r}, model_type {main.values.get('model_type')!r}"
        raise CheckpointInvalid(f"The checkpoint is no VoxCPM2 model: {what}.", "Use openbmb/VoxCPM2, or a fine-tuned VoxCPM2.")


def _check_fit(config: VoxCpm2Config) -> None:
    """What the networks here take for granted of the parts together."""
    lm, vae, faults = config.lm_config, config.audio_vae_config, []
    for name, sizes in {
        "language models": config._lm_sizes(1), "local encoder": config.encoder_config, "local DiT": config.dit_config
    }.items():  # fmt: skip
        if sizes.num_heads % lm.num_key_value_heads:
            faults.append(f"{name}: {sizes.num_heads} heads over {lm.num_key_value_heads} key heads")
        if 2 * len(lm.rope_factors) != sizes.head_dim:
            faults.append(
                f"{name}: {len(lm.rope_factors)} rope factors for heads of {sizes.head_dim} channels, which have a frequency per pair"
            )
    if config.dit_config.hidden_dim % 2 or config.dit_config.hidden_dim < 4:
        faults.append(f"the local DiT is {config.dit_config.hidden_dim} wide, and its times are pairs of sine and cosine, at least two")
    if min(lm.max_position_embeddings, lm.rope_scaling.original_max_position_embeddings) < 2:
        faults.append("LongRoPE takes the logarithm of its lengths, one of which is 1")
    if config.max_length > lm.max_position_embeddings:
        faults.append(f"max_length is {config.max_length} of {lm.max_position_embeddings} positions (max_position_embeddings)")
    if lm.vocab_size <= REFERENCE_END_ID:
        faults.append(f"its vocabulary of {lm.vocab_size} has no id {REFERENCE_END_ID}, which marks where a recording ends")
    faults += _faults_of_audio(vae, config.feat_dim)
    if faults:
        raise CheckpointInvalid(f"The checkpoint does not fit together: {'; '.join(faults)}.", "Fetch the weights again.")


def _faults_of_audio(vae: AudioVaeConfig, feat_dim: int) -> list[str]:
    faults = []
    if vae.latent_dim != feat_dim:
        faults.append(f"latents have {vae.latent_dim} values in the VAE, {feat_dim} elsewhere (feat_dim)")
    if not vae.encoder_rates or not vae.decoder_rates or vae.decoder_dim % 2 ** len(vae.decoder_rates):
        faults.append(f"a decoder {vae.decoder_dim} wide is not halved by each of its {len(vae.decoder_rates)} rates")
    if vae.encoder_hop * vae.out_sample_rate != vae.decoder_hop * vae.sample_rate:
        into, out = f"{vae.encoder_hop} samples at {vae.sample_rate} Hz", f"{vae.decoder_hop} at {vae.out_sample_rate} Hz"
        faults.append(f"a latent lasts {into} of a recording and {out} of speech, which is not the same time")
    if list(vae.sr_bin_boundaries) != sorted(set(vae.sr_bin_boundaries)):
        faults.append(f"sr_bin_boundaries do not rise: {list(vae.sr_bin_boundaries)}")
    return faults
