"""params.json: what it must say, what follows from it, and what is refused before any weight is read."""

import copy
import json
import math
from collections.abc import Callable
from dataclasses import fields
from itertools import pairwise

import pytest

from engines.errors import CheckpointInvalid
from engines.kit.weights.config_reading import Section
from engines.kit.weights.schema import rules_of
from engines.voxtral.config import (
    SIZES,
    AudioModelConfig,
    FlowHeadConfig,
    MultimodalConfig,
    VoxtralCodecConfig,
    VoxtralConfig,
    released_config,
)
from tests.released.release import FACTS

FOLDER = FACTS / "voxtral_4b_tts"
RELEASED = json.loads((FOLDER / "params.json").read_text())
PLACES = {  # section of the file -> where it stands, what reads it
    "main": ((), VoxtralConfig),
    "multimodal": (("multimodal",), MultimodalConfig),
    "audio": (("multimodal", "audio_model_args"), AudioModelConfig),
    "flow": (("multimodal", "audio_model_args", "acoustic_transformer_args"), FlowHeadConfig),
    "codec": (("multimodal", "audio_tokenizer_args"), VoxtralCodecConfig),
}
Edit = Callable[[dict], object]


def section(content: dict, name: str) -> dict:
    for key in PLACES[name][0]:
        content = content[key]
    return content


def read(*edits: Edit) -> VoxtralConfig:
    content = copy.deepcopy(RELEASED)
    for edit in edits:
        edit(content)
    return VoxtralConfig.of(Section("params.json", content))


def said(name: str, **values: object) -> Edit:
    return lambda content: section(content, name).update(values)


def unsaid(name: str, *keys: str) -> Edit:
    return lambda content: [section(content, name).pop(key) for key in keys]


def test_the_configuration_as_code_is_that_of_the_released_file():
    assert [released_config(size) for size in SIZES] == [VoxtralConfig.read(FOLDER)]


def test_every_key_of_the_released_file_is_read_or_has_its_rule_and_nothing_else_has_one_twice():
    for name, (_, kind) in PLACES.items():
        own, rule = {f.name for f in fields(kind)}, rules_of(kind)
        assert section(RELEASED, name).keys() <= own | rule.only.keys() | rule.inert_keys, name
        assert not own & (rule.only.keys() | rule.inert_keys) and not rule.only.keys() & rule.inert_keys, name


def test_a_field_with_a_default_has_the_value_that_the_file_gives_it():
    extra = {"n_decoding_steps": 8, "norm_eps": 1e-3, "qk_norm_eps": 1e-3, "voice": {"anna": 1}}
    extra |= {"encoder_transformer_lengths_str": "1,1,1,1", "encoder_convs_kernels_str": "4,4,4,5", "encoder_convs_strides_str": "1,2,2,2"}
    for name, of in (("flow", lambda c: c.audio_model.acoustic_transformer_args), ("codec", lambda c: c.codec)):
        for key, value in extra.items():
            if key in {f.name for f in fields(PLACES[name][1])}:
                config = read(said(name, **{key: value}))
                assert getattr(of(config), key) == value != getattr(of(read()), key), key
    assert read(said("main", max_seq_len=2048)).max_seq_len == 2048
    assert read(said("multimodal", bos_token_id=2)).multimodal.bos_token_id == 2


def test_what_the_release_leaves_unsaid_has_the_defaults_of_official_code():
    flow = read().audio_model.acoustic_transformer_args
    assert (flow.n_decoding_steps, flow.norm_eps) == (7, 1e-5)  # vllm-omni 0.30.0
    config = read(said("flow", sigma=0.5, sigma_max=2.0, rope_theta=7.0), unsaid("codec", "qk_norm_eps", "norm_eps"))
    assert config == read(), "sigma is no epsilon, and the flow head rotates nothing"
    assert (config.codec.qk_norm_eps, config.codec.norm_eps) == (1e-6, 1e-2)
    assert (config.codec.encoder_lengths, config.codec.encoder_kernels, config.codec.encoder_strides) == (
        (2, 2, 2, 2), (4, 4, 4, 3), (2, 2, 2, 1),
    )  # fmt: skip
    nothing = read(said("flow", n_decoding_steps=None, norm_eps=None), said("codec", encoder_convs_kernels_str=None, qk_norm_eps=None))
    assert nothing == read() == read(unsaid("main", "max_seq_len"), unsaid("multimodal", "bos_token_id"))
    assert read(unsaid("codec", "voice")).codec.voice == read(said("codec", voice=None)).codec.voice == {}


def test_frames_are_37_codes_and_80_milliseconds_and_their_tables_have_rows_for_the_special_ones():
    audio, codec = read().audio_model, read().codec
    assert (audio.n_codebooks, audio.codebook_sizes) == (37, (8192,) + (21,) * 36)
    assert {following - first for first, following in pairwise(audio.first_rows)} == {8194, 23}
    assert (audio.first_rows[1], audio.first_rows[-1] + 23) == (8194, 9022) and (audio.n_rows, audio.n_logits) == (9088, 8320)
    assert (codec.frame_samples, codec.latent_dim) == (1920, 292) and codec.frame_samples / codec.sampling_rate == 0.08
    assert (codec.decoder_lengths, codec.decoder_kernels, codec.decoder_strides) == ((2, 2, 2, 2), (3, 4, 4, 4), (1, 2, 2, 2))
    assert (codec.decoder_windows, codec.encoder_windows) == ((2, 4, 8, 16), (16, 8, 4, 2))


def test_lists_may_have_other_lengths_and_blanks():
    codec = read(
        said(
            "codec",
            decoder_transformer_lengths_str="1, 2",
            decoder_convs_kernels_str="1,4",
            decoder_convs_strides_str=" 1,2 ",
            patch_proj_kernel_size=2,
        ),
        said("codec", encoder_transformer_lengths_str="1,1,1", encoder_convs_kernels_str="4,3,1", encoder_convs_strides_str="2,1,1"),
    ).codec
    assert (codec.decoder_lengths, codec.decoder_windows, codec.encoder_windows) == ((1, 2), (8, 16), (16, 8, 8))
    assert codec.frame_samples == 240 * math.prod(codec.decoder_strides) == 480


def test_both_transformers_are_ministrals_but_for_what_the_flow_head_does_not_do():
    backbone, flow = read().backbone(), read().flow_transformer()
    assert (backbone.n_layers, flow.n_layers) == (26, 3) and (backbone.causal, flow.causal) == (True, False)
    assert (backbone.attention.rotary.kind, backbone.attention.rotary.theta, flow.attention.rotary.kind) == ("interleaved", 1e6, "none")
    for decoder in (backbone, flow):
        attention = decoder.attention
        assert (attention.hidden_size, attention.n_heads, attention.n_kv_heads, attention.head_dim) == (3072, 32, 8, 128)
        assert (decoder.intermediate_size, attention.norm_eps, attention.qk_norm) == (9216, 1e-5, False)


def test_keys_that_no_copy_of_the_file_shows_are_accepted_where_they_change_nothing():
    """114 bytes of the released file were seen by nobody who told."""
    notes = {"dtype": "bfloat16", "torch_dtype": "bfloat16", "architectures": ["VoxtralTTSForConditionalGeneration"], "max_batch_size": 1}
    absent = dict.fromkeys(
        ("quantization", "quantization_config", "moe", "yarn", "rope_scaling", "llama_4_scaling", "sliding_window", "lora")
    )
    ids = {"eos_token_id": 2, "pad_token_id": 11}
    plain = read(
        said("main", **notes, **absent, **ids, bos_token_id=1, ada_rms_norm_t_cond=False, activation="silu", attn_logit_softcapping=None),
        said("multimodal", **ids, notes="of training"),
        said("audio", frame_rate=12.5, n_codebooks=37, layer_dropout=0.1, codebook_pattern="parallel"),
        said("flow", activation="silu", position_embedding=None, attention_dropout=0.1, causal=False),
        said("codec", frame_rate=12.5, use_alibi=True, quantizer_dropout=0.25, conv_pad_mode="replicate", norm_type="rmsnorm"),
    )
    assert plain == read()


@pytest.mark.parametrize(
    ("edit", "named"),
    [
        (said("main", model_type="voxtral"), "no Voxtral TTS model: model_type 'voxtral', and 'voxtral_tts' is implemented"),
        (unsaid("main", "model_type"), "model_type None"),
        (unsaid("main", "multimodal"), r"params\.json of the checkpoint lacks multimodal"),
        (said("main", multimodal=None), "multimodal is null; an object"),
        (unsaid("multimodal", "audio_tokenizer_args"), "params.json: multimodal of the checkpoint lacks audio_tokenizer_args"),
        (said("multimodal", audio_model_args=None), "audio_model_args is null; an object"),
        (unsaid("audio", "acoustic_transformer_args"), "audio_model_args of the checkpoint lacks acoustic_transformer_args"),
        (said("audio", acoustic_transformer_args=[]), r"acoustic_transformer_args is \[\]; an object"),
        (unsaid("main", "rope_theta"), "params.json of the checkpoint lacks rope_theta"),
        (unsaid("audio", "audio_token_id"), "lacks audio_token_id"),
        (unsaid("flow", "input_dim"), "acoustic_transformer_args of the checkpoint lacks input_dim"),
        (said("main", use_biases=True), "use_biases is true; implemented is false"),
        (said("main", causal=False), "causal is false; implemented is true"),
        (said("main", tied_embeddings=False), "tied_embeddings is false; implemented is true"),
        (said("main", model_parallel=2), "model_parallel is 2; implemented is 1"),
        (said("main", quantization={"qformat_weight": "fp8_e4m3"}), "quantization is .*fp8.*; implemented is null"),
        (said("main", quantization_config={"bits": 4}), "quantization_config is .*nothing of the kind"),
        (said("main", rope_scaling={"factor": 4}), "rope_scaling is .*; implemented is null"),
        (said("main", yarn={"factor": 16}), "yarn is .*; implemented is null"),
        (said("main", llama_4_scaling={"beta": 0.1}), "llama_4_scaling is"),
        (said("main", moe={"num_experts": 4}), "moe is"),
        (said("main", sliding_window=[4096, None]), "sliding_window is .*; implemented is null"),
        (said("main", ada_rms_norm_t_cond=True), "ada_rms_norm_t_cond is true; implemented is false or null"),
        (said("main", activation="gelu"), 'activation is "gelu"; implemented is "silu"'),
        (said("main", lora_rank=8), "lora_rank is 8; nothing of the kind"),
        (said("main", rope_theta="1e6"), "rope_theta is .*a finite number above zero"),
        (said("main", norm_eps=0), "norm_eps is 0; a finite number above zero"),
        (said("main", n_layers=26.0), "n_layers is 26.0; a whole number above zero"),
        (said("multimodal", bos_token_id="<s>"), "bos_token_id is .*; a whole number above zero"),
        (said("audio", input_embedding_concat_type="concat"), 'input_embedding_concat_type is "concat"; implemented is "sum"'),
        (said("audio", codebook_sizes="8192,21"), "codebook_sizes is .*; implemented are semantic_codebook_size, acoustic_codebook_size"),
        (said("audio", audio_token_id=131_072), "audio_token_id is 131072, in a vocabulary of 131072"),
        (said("audio", n_acoustic_codebook=35), r"frames are of \(8192, 21, 35\) codes .* the codec's of \(8192, 21, 36\)"),
        (said("codec", semantic_codebook_size=4096), r"the codec's of \(4096, 21, 36\)"),
        (said("flow", use_biases=True), "use_biases is true; implemented is false"),
        (said("flow", dim=1024), "the flow head is told rows of 3072 and is 1024 wide, the backbone's are 3072"),
        (said("flow", n_kv_heads=5), "the flow head has 32 heads over 5 key heads"),
        (said("flow", n_decoding_steps=0), "n_decoding_steps is 0; a whole number above zero"),
        (said("main", head_dim=127), "heads of the backbone are 127 wide"),
        (said("codec", n_kv_heads=3), "the codec has 8 heads over 3 key heads"),
        (said("codec", sampling_rate=44_100), "the codec makes 44100 samples a second; implemented are 24000"),
        (said("codec", channels=2), "channels is 2; implemented is 1"),
        (said("codec", causal=False), "causal is false"),
        (said("codec", conv_weight_norm=False), "conv_weight_norm is false"),
        (said("codec", half_attn_window_upon_downsampling=False), "half_attn_window_upon_downsampling is false"),
        (said("codec", qk_norm=False), "qk_norm is false"),
        (said("codec", use_biases=True), "use_biases is true"),
        (said("codec", layer_scale=False), "layer_scale is false"),
        (said("codec", voice=["casual_male"]), "voice is .*; an object of whole numbers"),
        (said("codec", voice={"casual_male": "1"}), "voice is .*; an object of whole numbers"),
        (said("codec", voice={"../../other": 1}), "a voice is called '../../other', which is no name of a file"),
        (said("codec", decoder_transformer_lengths_str=[2, 2, 2, 2]), "decoder_transformer_lengths_str is .*; a text is expected"),
        (said("codec", decoder_convs_strides_str="1,2,2,"), "decoder_convs_strides_str is '1,2,2,', no list of whole numbers"),
        (said("codec", encoder_convs_kernels_str="4,4,4,0"), "encoder_convs_kernels_str is '4,4,4,0', no list"),
        (said("codec", encoder_convs_kernels_str=""), "encoder_convs_kernels_str is '', no list"),
        (said("codec", decoder_convs_kernels_str="3,4,4"), "the decoder has 4 stages, 3 kernels and 4 strides"),
        (said("codec", decoder_convs_kernels_str="3,4,1,4"), "a kernel of the decoder is shorter than its stride"),
        (said("codec", decoder_convs_strides_str="1,2,4,1"), r"strides of the decoder are \(1, 2, 4, 1\); implemented are 1 and 2"),
        (said("codec", encoder_convs_strides_str="2,2,1,1"), "encoder and decoder differ in how many samples a frame is"),
        (said("codec", decoder_convs_strides_str="2,2,2,1"), "the decoder's first stride is 2; implemented is 1"),
        (said("codec", decoder_convs_kernels_str="3,4,3,4"), r"kernels of the decoder are \(3, 4, 3, 4\); behind the first"),
        (said("codec", decoder_convs_kernels_str="3,4,4,8"), r"kernels of the decoder are \(3, 4, 4, 8\)"),
        (
            said("codec", decoder_convs_kernels_str="3,1,4,4", decoder_convs_strides_str="1,1,2,2"),
            "the decoder has a convolution of kernel 1 and stride 1",
        ),
        (
            said("codec", encoder_convs_kernels_str="4,1,4,3", encoder_convs_strides_str="2,1,2,2"),
            "the encoder has a convolution of kernel 1",
        ),
        (said("codec", patch_proj_kernel_size=9), "the first of 8 rows, a frame, cannot be mirrored for a kernel of 9"),
        (said("audio", acoustic_codebook_size=1), "an acoustic codebook has one code"),
        (said("codec", attn_sliding_window_size=12), "a window of 12 rows cannot be halved with the rate"),
    ],
)
def test_what_the_networks_do_not_know_is_refused_by_name(edit, named):
    with pytest.raises(CheckpointInvalid, match=named) as refused:
        read(edit)
    assert refused.value.hint


@pytest.mark.parametrize("content", [None, "", "[]", "{"])
def test_a_file_that_is_missing_or_damaged_is_refused(tmp_path, content):
    if content is not None:
        (tmp_path / "params.json").write_text(content)
    with pytest.raises(CheckpointInvalid, match=r"params\.json"):
        VoxtralConfig.read(tmp_path)
