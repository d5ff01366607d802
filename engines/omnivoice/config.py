"""OmniVoiceConfig: the values of an OmniVoice checkpoint's config.json, checked and frozen. Field names are the file's. No torch here."""

from pathlib import Path
from typing import TYPE_CHECKING

from engines.errors import CheckpointInvalid
from engines.kit.nn.decoder_sizes import DecoderSizes
from engines.kit.weights.config_reading import Section, settings_of
from engines.kit.weights.schema import TRANSFORMERS, PositiveFloat, Size, fixed, released, released_of, schema, without_effect

if TYPE_CHECKING:
    from engines.kit.nn.transformer import DecoderConfig

__all__ = ["SIZES", "OmniVoiceConfig", "OmniVoiceLlmConfig", "released_config"]

SIZES = ("0.6B",)

KIND = "omnivoice"


@schema
class OmniVoiceLlmConfig(DecoderSizes):
    """The transformer over positions of text and of frames. vocab_size: rows of its table of text.

    rope_theta: base of the wavelengths; the file has it in `rope_parameters`.
    """

    hidden_size: Size = released(1024)
    intermediate_size: Size = released(3072)
    num_hidden_layers: Size = released(28)
    num_attention_heads: Size = released(16)
    num_key_value_heads: Size = released(8)
    vocab_size: Size = released(151_676)
    rope_theta: PositiveFloat = released(1_000_000.0)

    model_type = fixed("qwen3")
    # Whether the table of text gives logits too changes nothing: nobody asks for logits of text, and the file has no matrix for them.
    tie_word_embeddings = fixed(True, False)


@schema
class OmniVoiceConfig:
    """The whole checkpoint but its codec. Defaults are those of the official class (omnivoice 0.2.1), which files may rely on.

    audio_vocab_size: entries of a codebook here: its codes, and audio_mask_id, which stands for a code that is still open.
    num_audio_codebook: codes of a frame.
    """

    llm_config: OmniVoiceLlmConfig
    audio_vocab_size: Size = 1025
    audio_mask_id: int = 1024
    num_audio_codebook: Size = 8

    beside = TRANSFORMERS
    model_type = without_effect("checked before")
    audio_codebook_weights = without_effect("of training")

    @classmethod
    def read(cls, folder: Path) -> "OmniVoiceConfig":
        """The configuration of a checkpoint folder. Raises CheckpointInvalid for files, keys or kinds of model that do not fit."""
        main = Section.read(folder, "config.json")
        main.check_model_type(KIND, "OmniVoice", "Use k2-fsa/OmniVoice, or a fine-tuned OmniVoice.")
        config = settings_of(cls, main)
        _check_fit(config)
        return config

    @property
    def n_codes(self) -> int:
        """Of a codebook: what the codec has."""
        return self.audio_vocab_size - 1

    def decoder(self) -> "DecoderConfig":
        """The transformer, in which all positions see one another (omnivoice 0.2.1 gives Qwen3's a mask that hides nothing).

        Queries and keys are normed, head by head, and rotated by halves in the heads' own dtype (transformers 5.23.0, modeling_qwen3.py).
        """
        from engines.kit.nn.attention import AttentionConfig, RotaryConfig
        from engines.kit.nn.transformer import DecoderConfig

        llm = self.llm_config
        heads = (llm.num_attention_heads, llm.num_key_value_heads, llm.head_dim)
        rotary = RotaryConfig(theta=llm.rope_theta)
        attention = AttentionConfig(llm.hidden_size, *heads, rotary, qk_norm=True, norm_eps=llm.rms_norm_eps)
        return DecoderConfig(attention, llm.intermediate_size, llm.num_hidden_layers, causal=False)


def released_config(size: str) -> OmniVoiceConfig:
    """What config.json of k2-fsa/OmniVoice says, one of SIZES, as its card calls the language model; tests/released compares."""
    return {"0.6B": released_of(OmniVoiceConfig)}[size]


def _check_fit(config: OmniVoiceConfig) -> None:
    """What the networks here take for granted of the parts together."""
    llm, faults = config.llm_config, []
    if llm.num_attention_heads % llm.num_key_value_heads:
        faults.append(f"{llm.num_attention_heads} heads over {llm.num_key_value_heads} key heads")
    if llm.head_dim % 2:
        faults.append(f"heads are {llm.head_dim} wide, and channels are rotated in pairs")
    if config.audio_vocab_size < 2 or config.audio_mask_id != config.n_codes:
        entries = f"the last of {config.audio_vocab_size} entries of a codebook"
        faults.append(f"audio_mask_id is {config.audio_mask_id}, and what stands for an open code is {entries}")
    if faults:
        raise CheckpointInvalid(f"The checkpoint does not fit together: {'; '.join(faults)}.", "Fetch the weights again.")
