"""A Qwen3-TTS checkpoint of toy size in the official layout, of random numbers, written in 0.1 s without the official package."""

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from tests.engines.qwen3_tts.checkpoints.random_checkpoint import LANGUAGES, RandomCheckpoint, codec_config, main_config, write_checkpoint

__all__ = ["DIALECTS", "FEW_CODEBOOKS", "RELEASED_CODEBOOKS", "SPEAKERS", "tiny", "write_tiny_checkpoint"]

FEW_CODEBOOKS = 5  # of a frame, where 16 would show nothing more: its steps are most of what a tiny frame takes
RELEASED_CODEBOOKS = 16
SPEAKERS = {"vivian": 3065, "eric": 2875, "ryan": 3061, "NewVoice": 3000}  # the last as a fine-tune has one
DIALECTS = {"vivian": False, "eric": "sichuan_dialect", "ryan": False, "NewVoice": False}
WORDS = ("the", "and", "then", "sentence", "12")  # the last is never used, since digits are split one by one


def tiny(
    *,
    projection: bool = True,
    seed: int = 0,
    ends_with_text: bool = False,
    n_codebooks: int = RELEASED_CODEBOOKS,
    kind: str = "base",
    speakers: Mapping[str, int] = MappingProxyType({}),
    learns: bool = True,
) -> RandomCheckpoint:
    """Every structure of the released models at the least width. Vocabularies of codes are the released ones, since ids mean something.

    projection: the talker is wider than the code predictor, as in 1.7B (small_to_mtp_projection is there); equally wide otherwise.
    n_codebooks: of a frame, FEW_CODEBOOKS where nothing is compared with what others say.
    ends_with_text: speech ends where the text does, one token of text (mostly a letter) per frame.
    kind: `tts_model_type`; speakers: its `spk_id`, of SPEAKERS; learns: it has a speaker encoder. Base has no speakers, the others have no
    encoder; merges have both.
    """
    attention = {"head_dim": 16, "num_key_value_heads": 2, "num_attention_heads": 4, "rms_norm_eps": 1e-6, "rope_theta": 1_000_000}
    talker = attention | {
        "hidden_size": 48 if projection else 32,
        "intermediate_size": 64,
        "num_hidden_layers": 3,
        "num_code_groups": n_codebooks,
        "text_hidden_size": 40,
        "text_vocab_size": 352,
        "rope_scaling": {"interleaved": True, "mrope_section": [4, 2, 2], "rope_type": "default"},
    }
    predictor = attention | {"hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 2, "num_code_groups": n_codebooks}
    speaker_encoder = {"enc_dim": talker["hidden_size"], "sample_rate": 24000, "enc_channels": [32, 32, 32, 32, 96]}
    speaker_encoder |= {"enc_res2net_scale": 4, "enc_se_channels": 8, "enc_attention_channels": 16}
    # Windows are shorter than in the released files, so that short clips reach them.
    encoder = {"num_filters": 4, "hidden_size": 32, "intermediate_size": 48, "head_dim": 8, "num_hidden_layers": 2}
    encoder |= {"num_attention_heads": 4, "num_key_value_heads": 4, "codebook_dim": 8, "sliding_window": 20}
    decoder = {"latent_dim": 32, "codebook_dim": 16, "decoder_dim": 64, "hidden_size": 24, "intermediate_size": 32}
    decoder |= {"head_dim": 8, "num_attention_heads": 4, "num_key_value_heads": 4, "num_hidden_layers": 2, "sliding_window": 9}
    encoder["num_quantizers"], decoder["num_quantizers"] = n_codebooks + 2, n_codebooks  # two are stored that nobody wants
    if speakers:
        talker |= {"spk_id": dict(speakers), "spk_is_dialect": {name: DIALECTS.get(name, False) for name in speakers}}
        talker["codec_language_id"] = LANGUAGES | {"beijing_dialect": 2074, "sichuan_dialect": 2062}
    main = main_config(talker, predictor, speaker_encoder if learns else {}, first_special_id=310, kind=kind)
    main["tts_model_size"] = "1b7" if projection and kind != "base" else "0b6"
    codec = codec_config(encoder, decoder) | {"encoder_valid_num_quantizers": n_codebooks}
    return RandomCheckpoint(main, codec, WORDS, seed, ends_with_text)


def write_tiny_checkpoint(folder: Path, **given) -> Path:
    """Write it into `folder`; returns the folder. given: of `tiny`."""
    return write_checkpoint(Path(folder), tiny(**given))
