"""The released configuration as code, for networks of the released size without a checkpoint. No torch here."""

from types import MappingProxyType

from engines.voxtral.config import AudioModelConfig, FlowHeadConfig, MultimodalConfig, VoxtralCodecConfig, VoxtralConfig

__all__ = ["SIZES", "released_config"]

SIZES = ("4B",)
# In the order of the file, which numbers them.
VOICES = (
    "casual_female", "casual_male", "cheerful_female", "neutral_female", "neutral_male",
    "pt_male", "pt_female", "nl_male", "nl_female", "it_male", "it_female", "fr_male", "fr_female",
    "es_male", "es_female", "de_male", "de_female", "ar_male", "hi_male", "hi_female",
)  # fmt: skip


def released_config(size: str) -> VoxtralConfig:
    """What params.json of mistralai/Voxtral-4B-TTS-2603 says ("4B"); tests/released compares."""
    return {"4B": _released_4b}[size]()


def _released_4b() -> VoxtralConfig:
    block = {"dim": 3072, "head_dim": 128, "hidden_dim": 9216, "n_heads": 32, "n_kv_heads": 8, "norm_eps": 1e-5}
    books = {"semantic_codebook_size": 8192, "acoustic_codebook_size": 21}
    audio = AudioModelConfig(
        n_acoustic_codebook=36,
        audio_token_id=24,
        begin_audio_token_id=25,
        acoustic_transformer_args=FlowHeadConfig(input_dim=3072, n_layers=3, **block),
        **books,
    )
    codec = VoxtralCodecConfig(
        sampling_rate=24_000,
        pretransform_patch_size=240,
        patch_proj_kernel_size=7,
        semantic_dim=256,
        acoustic_dim=36,
        attn_sliding_window_size=16,
        dim=1024,
        hidden_dim=4096,
        head_dim=128,
        n_heads=8,
        n_kv_heads=8,
        decoder_transformer_lengths_str="2,2,2,2",
        decoder_convs_kernels_str="3,4,4,4",
        decoder_convs_strides_str="1,2,2,2",
        voice=MappingProxyType({name: number for number, name in enumerate(VOICES)}),
        **books,
    )
    multimodal = MultimodalConfig(audio, codec)
    return VoxtralConfig(n_layers=26, rope_theta=1_000_000.0, vocab_size=131_072, multimodal=multimodal, **block)
