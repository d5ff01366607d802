"""The released configuration as code, for networks of the released size without a checkpoint. No torch here."""

from engines.cosyvoice3.config import CosyVoice3Config, FlowConfig, LanguageConfig, SamplingConfig, VocoderConfig

__all__ = ["SIZES", "released_config"]

SIZES = ("0.5B",)


def released_config(size: str) -> CosyVoice3Config:
    """What the files of FunAudioLLM/Fun-CosyVoice3-0.5B-2512 say ("0.5B", as its name has it); tests/released compares."""
    return {"0.5B": _released_0_5b}[size]()


def _released_0_5b() -> CosyVoice3Config:
    language = LanguageConfig(
        hidden_size=896,
        intermediate_size=4864,
        num_hidden_layers=24,
        num_attention_heads=14,
        num_key_value_heads=2,
        vocab_size=151_936,
        rope_theta=1_000_000.0,
        rms_norm_eps=1e-6,
        speech_token_size=6561,
    )
    flow = FlowConfig(
        vocab_size=6561,
        mel_dim=80,
        spk_embed_dim=192,
        token_mel_ratio=2,
        pre_lookahead_len=3,
        lookahead_channels=1024,
        dim=1024,
        depth=22,
        heads=16,
        dim_head=64,
        ff_mult=2,
        chunk_tokens=25,
        guidance=0.7,
    )
    vocoder = VocoderConfig(
        in_channels=80,
        base_channels=512,
        nb_harmonics=8,
        sampling_rate=24_000,
        nsf_alpha=0.1,
        nsf_sigma=0.003,
        nsf_voiced_threshold=10.0,
        upsample_rates=(8, 5, 3),
        upsample_kernel_sizes=(16, 11, 7),
        n_fft=16,
        hop_len=4,
        resblock_kernel_sizes=(3, 7, 11),
        resblock_dilation_sizes=((1, 3, 5),) * 3,
        source_resblock_kernel_sizes=(7, 7, 11),
        source_resblock_dilation_sizes=((1, 3, 5),) * 3,
        lrelu_slope=0.1,
        audio_limit=0.99,
        conv_pre_look_right=4,
        f0_channels=512,
    )
    return CosyVoice3Config(language, SamplingConfig(top_p=0.8, top_k=25, win_size=10, tau_r=0.1), flow, vocoder)
