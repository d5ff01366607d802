"""OmniVoiceCodecConfig: the values of audio_tokenizer/config.json of an OmniVoice checkpoint, checked and frozen. Field names are the
file's.

The codec is a Higgs Audio v2 tokenizer: sound to codes by two networks, a DAC encoder and HuBERT, codes to sound by a DAC decoder. No torch
here: catalogs read configurations.
"""

from math import ceil, log2, prod
from pathlib import Path

from engines.errors import CheckpointInvalid
from engines.kit.weights.config_reading import Section, settings_of
from engines.kit.weights.schema import TRANSFORMERS, PositiveFloat, Rules, Size, fixed, released, released_of, schema, without_effect

__all__ = ["FOLDER", "RELEASED_CODEC", "OmniVoiceAcousticConfig", "OmniVoiceCodecConfig", "OmniVoiceSemanticConfig"]

FOLDER = "audio_tokenizer"  # of the checkpoint's folder
KIND = "higgs_audio_v2_tokenizer"
SAMPLE_RATE, SEMANTIC_SAMPLE_RATE = 24_000, 16_000  # Hz
PADDING = 160  # zeros at both ends of what the semantic encoder hears; transformers 5.23, _extract_semantic_features


@schema
class OmniVoiceAcousticConfig:
    """DAC's encoder and decoder. *_hidden_size: channels of the first stage of either. hidden_size: channels of a frame."""

    encoder_hidden_size: Size = released(64)
    downsampling_ratios: tuple[Size, ...] = released((8, 5, 4, 2, 3))
    hidden_size: Size = released(256)
    decoder_hidden_size: Size = released(1024)
    upsampling_ratios: tuple[Size, ...] = released((8, 5, 4, 2, 3))

    beside = TRANSFORMERS
    model_type = fixed("dac")
    hop_length = without_effect("compared with the ratios")
    n_codebooks = codebook_size = codebook_dim = without_effect(
        "of DAC's own quantizer, which the codec does not have; the section around has its own"
    )
    # of DAC's own feature extractor; the section around says what is true: 24000, and the release says 16000 here
    sampling_rate = without_effect("of DAC's own feature extractor")
    quantizer_dropout = commitment_loss_weight = codebook_loss_weight = without_effect("of training: losses and dropout")


@schema
class OmniVoiceSemanticConfig:
    """HuBERT: convolutions, a convolution that says where rows stand, transformer layers. conv_*: a number per convolution."""

    hidden_size: Size = released(768)
    intermediate_size: Size = released(3072)
    num_hidden_layers: Size = released(12)
    num_attention_heads: Size = released(12)
    layer_norm_eps: PositiveFloat = released(1e-5)
    conv_dim: tuple[Size, ...] = released((512,) * 7)
    conv_kernel: tuple[Size, ...] = released((10, 3, 3, 3, 3, 2, 2))
    conv_stride: tuple[Size, ...] = released((5, 2, 2, 2, 2, 2, 2))
    num_conv_pos_embeddings: Size = released(128)
    num_conv_pos_embedding_groups: Size = released(16)

    beside = TRANSFORMERS
    model_type = fixed("hubert")
    conv_bias = conv_pos_batch_norm = do_stable_layer_norm = fixed(False)
    feat_extract_activation = hidden_act = fixed("gelu")
    feat_extract_norm = fixed("group")
    feat_proj_layer_norm = fixed(True)
    num_feat_extract_layers = without_effect("compared with conv_dim")
    dropout = without_effect(
        "of training: dropout and masks",
        "activation_dropout feat_proj_dropout final_dropout hidden_dropout layerdrop apply_spec_augment mask_feature_length"
        " mask_feature_min_masks mask_feature_prob mask_time_length mask_time_min_masks mask_time_prob",
    )
    heads = without_effect(
        "of heads that are not there", "classifier_proj_size ctc_loss_reduction ctc_zero_infinity use_weighted_layer_sum vocab_size"
    )


@schema
class OmniVoiceCodecConfig:
    """downsample_factor: samples at 16 kHz that a row of the semantic encoder is taken to stand for.

    target_bandwidths: kbit/s; the last says how many codebooks there are. codebook_size: entries of each; codebook_dim: their channels.
    """

    codebook_size: Size = released(1024)
    codebook_dim: Size = released(64)
    downsample_factor: Size = released(320)
    target_bandwidths: tuple[PositiveFloat, ...] = released((0.5, 1.0, 1.5, 2.0))
    acoustic_model_config: OmniVoiceAcousticConfig
    semantic_model_config: OmniVoiceSemanticConfig

    beside = TRANSFORMERS | Rules(only={"sample_rate": (SAMPLE_RATE,)})
    semantic_sample_rate = fixed(SEMANTIC_SAMPLE_RATE)
    kernel_size = unit_kernel_size = fixed(3)
    strides = channel_ratios = block_dilations = fixed([1, 1])
    model_type = without_effect("checked before")

    sample_rate = SAMPLE_RATE

    @classmethod
    def read(cls, folder: Path) -> "OmniVoiceCodecConfig":
        """Of a checkpoint folder. Raises CheckpointInvalid for files, keys or kinds of codec that do not fit."""
        main = Section.read(folder, f"{FOLDER}/config.json")
        if main.values.get("model_type") != KIND:
            main.refuse("model_type", f"implemented is {KIND}", "Use the audio_tokenizer of k2-fsa/OmniVoice.")
        config = settings_of(cls, main)
        _check_fit(config, main.where)
        _check_said(main.section("acoustic_model_config"), "hop_length", config.frame_samples)
        _check_said(main.section("semantic_model_config"), "num_feat_extract_layers", len(config.semantic_model_config.conv_dim))
        return config

    @property
    def frame_samples(self) -> int:
        """Samples per frame, 40 ms of them in the release."""
        return prod(self.acoustic_model_config.downsampling_ratios)

    @property
    def frame_width(self) -> int:
        """Channels of a frame of both encoders together."""
        return self.acoustic_model_config.hidden_size + self.semantic_model_config.hidden_size

    @property
    def n_codebooks(self) -> int:
        """As many as the bandwidth has room for, at whole frames per second and whole bits per code."""
        frame_rate, bits = ceil(self.sample_rate / self.frame_samples), ceil(log2(self.codebook_size))
        return int(1000 * self.target_bandwidths[-1] // (frame_rate * bits)) if self.target_bandwidths and bits else 0

    @property
    def codebook_sizes(self) -> tuple[int, ...]:
        """Entries of each of the books of a frame."""
        return (self.codebook_size,) * self.n_codebooks

    @property
    def semantic_stride(self) -> int:
        """Of so many rows of the semantic encoder one is of a frame."""
        return int(self.frame_samples / (SAMPLE_RATE / SEMANTIC_SAMPLE_RATE) / self.downsample_factor)

    def n_semantic_frames(self, n_frames: int) -> int:
        """How many frames the semantic encoder makes of the samples of so many; where it fits its neighbor, as many."""
        n_rows = ceil(n_frames * self.frame_samples * SEMANTIC_SAMPLE_RATE / SAMPLE_RATE) + 2 * PADDING
        for kernel, stride in zip(self.semantic_model_config.conv_kernel, self.semantic_model_config.conv_stride, strict=True):
            n_rows = max(0, (n_rows - kernel) // stride + 1)
        return ceil(n_rows / self.semantic_stride) if self.semantic_stride else 0


# What k2-fsa/OmniVoice says in the file; tests/released compares.
RELEASED_CODEC = released_of(OmniVoiceCodecConfig)


def _check_fit(config: OmniVoiceCodecConfig, where: str) -> None:
    """What the networks take for granted of the parts together."""
    acoustic, semantic, faults = config.acoustic_model_config, config.semantic_model_config, []
    n_decoded = prod(acoustic.upsampling_ratios)
    if n_decoded != config.frame_samples:
        faults.append(f"it encodes frames of {config.frame_samples} samples and decodes {n_decoded}")
    if acoustic.decoder_hidden_size % 2 ** len(acoustic.upsampling_ratios):
        faults.append(f"{len(acoustic.upsampling_ratios)} stages cannot halve {acoustic.decoder_hidden_size} channels")
    if not config.n_codebooks:
        faults.append(f"target_bandwidths {list(config.target_bandwidths)} have no room for a codebook of {config.codebook_size}")
    for name, n_parts in (("attention heads", semantic.num_attention_heads), ("groups", semantic.num_conv_pos_embedding_groups)):
        if semantic.hidden_size % n_parts:
            faults.append(f"{n_parts} {name} do not share {semantic.hidden_size} channels")
    if not semantic.conv_dim or not len(semantic.conv_dim) == len(semantic.conv_kernel) == len(semantic.conv_stride):
        faults.append("conv_dim, conv_kernel and conv_stride are not of one length")
    elif any(config.n_semantic_frames(n) != n for n in (1, 2, 3, 1000)):
        faults.append(f"1000 frames of the one encoder are {config.n_semantic_frames(1000)} of the other")
    if faults:
        raise CheckpointInvalid(f"{where} of the checkpoint does not fit together: {'; '.join(faults)}.", "Fetch the weights again.")


def _check_said(section: Section, key: str, true: int) -> None:
    if section.values.get(key, true) != true:
        section.refuse(key, f"{true} is what follows from its neighbours")
