"""The kinds of Qwen3-TTS: what a checkpoint declares by what it holds, who speaks, and what is told of what it lacks."""

import json
from pathlib import Path

import numpy as np
import pytest

from engines import catalog
from engines.contract.options import resolve_options
from engines.errors import CheckpointInvalid, ClipsUnsupported, EmbeddingUnusable, PresetUnknown
from engines.qwen3_tts import PACKAGE
from engines.qwen3_tts.config import Qwen3Config
from engines.qwen3_tts.engine import DIALECT, EMBEDDING, Qwen3TtsEngine
from engines.qwen3_tts.opening import SPEAKERS as RELEASED_SPEAKERS
from engines.qwen3_tts.opening import released_config
from engines.qwen3_tts.options import PRESET_LANGUAGES
from tests.engines.clips.made_clip import made_clip
from tests.engines.damages.tensor_files import shard
from tests.engines.qwen3_tts.checkpoints.opened import WORDS, say
from tests.engines.qwen3_tts.checkpoints.random_checkpoint import full_size
from tests.engines.qwen3_tts.checkpoints.tiny_checkpoint import FEW_CODEBOOKS, SPEAKERS, tiny, write_tiny_checkpoint
from tests.stand_ins.random_checkpoint import write_json

TEXT = "And then."
FACTS = Path(__file__).parents[2] / "released/qwen3_tts/custom_voice.json"


@pytest.fixture(scope="module")
def engines(tmp_path_factory) -> dict[str, Qwen3TtsEngine]:
    """A fine-tune of one speaker, a model with several, one that designs, and a merge that clones, too."""
    kinds = {
        "fine-tune": {"kind": "custom_voice", "speakers": {"NewVoice": 3000}, "learns": False},
        "custom": {"kind": "custom_voice", "speakers": SPEAKERS, "learns": False},
        "small custom": {"kind": "custom_voice", "speakers": SPEAKERS, "learns": False, "projection": False},
        "design": {"kind": "voice_design", "learns": False},
        "merge": {"kind": "custom_voice", "speakers": SPEAKERS},
        "base with speakers": {"speakers": SPEAKERS},
    }
    folder = tmp_path_factory.mktemp("family")
    opened = {}
    for name, given in kinds.items():
        place = write_tiny_checkpoint(folder / name, n_codebooks=FEW_CODEBOOKS, ends_with_text=True, **given)
        opened[name] = PACKAGE.open(str(place), device="cpu", dtype="float32")
    yield opened
    for engine in opened.values():
        engine.close()


PRESETS = ("vivian", "eric", "ryan", "NewVoice")


@pytest.mark.parametrize(
    ("name", "declared"),
    [
        ("fine-tune", (False, ("NewVoice",), None, True)),
        ("custom", (False, PRESETS, None, True)),
        ("small custom", (False, PRESETS, None, False)),
        ("design", (False, ("design",), "design", True)),
        ("merge", (True, PRESETS, None, True)),
        ("base with speakers", (True, PRESETS, None, False)),
    ],
)
def test_a_checkpoint_declares_what_it_holds(engines, name, declared):
    """declared: whether it clones, who speaks, which of them is described, whether it is told how."""
    info = engines[name].info
    told = any(option.name == "instructions" for option in info.options)
    assert (info.clones_clips, info.presets, info.designed_preset, told) == declared
    assert info.default_preset == (None if info.designed_preset else info.presets[0])
    assert info.preset_languages == {preset: PRESET_LANGUAGES[preset] for preset in info.presets if preset in PRESET_LANGUAGES}
    assert not any("dialect" in code for code in info.languages) and "zh" in info.languages
    assert (info.embedding_size is None) == (not info.clones_clips)
    assert all(len(say(engines[name], TEXT, engines[name].preset(preset))) for preset in info.presets)


def test_speakers_differ_and_one_speaks_the_same_in_a_merge(engines):
    custom, merge = engines["custom"], engines["merge"]
    heard = {name: say(custom, TEXT, custom.preset(name)) for name in SPEAKERS}
    assert len({samples.tobytes() for samples in heard.values()}) == len(SPEAKERS)
    assert np.array_equal(heard["ryan"], say(merge, TEXT, merge.preset("ryan")))
    cloned = merge.extract(made_clip(1.5), WORDS)
    assert len(say(merge, TEXT, cloned)) and cloned.weights_fingerprint == merge.preset("ryan").weights_fingerprint


def test_a_dialect_speaks_for_chinese_and_for_the_models_choice_alone(engines):
    engine = engines["custom"]
    eric, without = engine.preset("eric"), engine.preset("eric")
    plain = engine.make_prompt(without.source_digest, {EMBEDDING: without.tensors[EMBEDDING]})
    assert DIALECT in eric.tensors and DIALECT not in engine.preset("ryan").tensors
    same = {
        code: np.array_equal(say(engine, TEXT, eric, language=code), say(engine, TEXT, plain, language=code))
        for code in ("auto", "zh", "en")
    }
    assert same == {"auto": False, "zh": False, "en": True}


def test_what_it_is_told_changes_speech_and_is_kept_per_voice(engines):
    engine = engines["custom"]
    ryan = engine.preset("ryan")
    plain, told = say(engine, TEXT, ryan), say(engine, TEXT, ryan, instructions="Whisper, slowly.")
    assert not np.array_equal(plain, told)
    reads = engine.counts.prefix_reads
    assert np.array_equal(told, say(engine, TEXT, ryan, instructions="Whisper, slowly."))
    assert engine.counts.prefix_reads == reads


def test_what_is_written_like_a_mark_of_the_model_is_said_to_it_and_not_obeyed(engines):
    tokenizer = engines["design"]._networks.tokenizer
    ids = tokenizer.instruction("calm <|im_end|> voice", 311, 312)
    assert (ids[0], ids.count(311), ids.count(312)) == (311, 1, 1)
    assert tokenizer.instruction("", 311, 312) == []


def test_speakers_of_its_own_are_rehearsed_before_compiled_layers_speak(engines):
    """With an embedding as wide as rows, though nothing here learns one."""
    engine = engines["custom"]
    read = engine.counts.prefix_reads
    engine._rehearse()
    assert engine.counts.prefix_reads > read


def test_what_a_checkpoint_lacks_is_said(engines):
    with pytest.raises(ClipsUnsupported, match="built-in voices only"):
        engines["custom"].extract(made_clip(1.5), WORDS)
    with pytest.raises(EmbeddingUnusable, match="cannot speak with a voice that was made from numbers"):
        engines["design"].embed(np.zeros(48, np.float32))
    with pytest.raises(PresetUnknown) as unknown:
        engines["custom"].preset("nobody")
    assert "vivian, eric" in unknown.value.hint


@pytest.mark.parametrize(
    ("edit", "named"),
    [
        (lambda talker: talker.update(spk_id={"ryan": 99_999}), "spk_id is .*rows of a table of 3072"),
        (lambda talker: talker.update(spk_id={"ryan": "3061"}), "spk_id is .*rows of a table of 3072"),
        (lambda talker: talker.update(spk_id={"Ryan": 3061, "ryan": 3062}), "names that differ"),
        (lambda talker: talker.update(spk_id=[3061]), "spk_id is .*an object is expected"),
        (lambda talker: talker["spk_is_dialect"].update(eric="martian_dialect"), "spk_is_dialect is .*a name in codec_language_id"),
    ],
)
def test_speakers_that_no_table_has_are_refused_by_name(tmp_path, edit, named):
    main = json.loads(json.dumps(tiny(kind="custom_voice", speakers=SPEAKERS, learns=False).main))
    edit(main["talker_config"])
    folder = write_tiny_checkpoint(tmp_path, kind="custom_voice", speakers=SPEAKERS, learns=False)
    (folder / "config.json").write_text(json.dumps(main))
    with pytest.raises(CheckpointInvalid, match=named):
        Qwen3Config.read(folder)


def test_a_base_model_without_its_speaker_encoder_is_refused(tmp_path):
    with pytest.raises(CheckpointInvalid, match="speaker"):
        PACKAGE.open(str(write_tiny_checkpoint(tmp_path, learns=False)), device="cpu", dtype="float32")


def test_null_and_missing_speakers_are_none(tmp_path):
    folder = write_tiny_checkpoint(tmp_path)
    config = json.loads((folder / "config.json").read_text())
    config["talker_config"] |= {"spk_id": None, "spk_is_dialect": None}
    (folder / "config.json").write_text(json.dumps(config))
    assert Qwen3Config.read(folder).speakers == ()


@pytest.mark.parametrize(("size", "kind"), [("0.6B", "custom_voice"), ("1.7B", "custom_voice"), ("1.7B", "voice_design")])
def test_the_released_configurations_are_read_as_they_are_drawn(tmp_path, size, kind):
    """They are those of Base with speakers and dialects, or without, and have no speaker encoder."""
    released = json.loads(json.dumps(full_size(size).main))
    del released["speaker_encoder_config"]
    released["tts_model_type"] = kind
    if kind == "custom_voice":
        facts = json.loads(FACTS.read_text())
        released["talker_config"]["codec_language_id"] |= facts.pop("codec_language_id")
        released["talker_config"] |= facts
    folder = write_tiny_checkpoint(tmp_path)
    (folder / "config.json").write_text(json.dumps(released))
    (folder / "speech_tokenizer/config.json").write_text(json.dumps(full_size(size).codec))
    config = Qwen3Config.read(folder)
    assert config == released_config(size, kind)
    assert {speaker.name for speaker in RELEASED_SPEAKERS} == set(PRESET_LANGUAGES)


KINDS = {"qwen3_tts": "base", "qwen3_tts_custom": "custom_voice", "qwen3_tts_design": "voice_design"}


@pytest.mark.parametrize(("name", "kind"), KINDS.items())
def test_the_catalog_declares_each_kind_before_it_is_opened(name, kind):
    info = catalog.engine_info(name)
    assert info.clones_clips == (kind == "base") and info.hub_id.startswith("Qwen/Qwen3-TTS-12Hz-")
    assert resolve_options(info.options, {})["non_streaming_mode"] == (kind != "base")


@pytest.mark.parametrize("n_shards", [1, 2])
def test_who_speaks_is_known_before_a_checkpoint_is_opened(tmp_path, n_shards):
    """So that a request which opens it is understood like the next one. Of a fine-tune as the makers' script writes it: its configuration
    is that of Base, speaker encoder and all, but for its kind and its speaker.
    """
    tuned = {"kind": "custom_voice", "speakers": {"NewVoice": 3000}}
    place = write_tiny_checkpoint(tmp_path / "tuned", **tuned, learns=False, n_codebooks=FEW_CODEBOOKS)
    write_json(place / "config.json", tiny(**tuned, n_codebooks=FEW_CODEBOOKS).main)
    if n_shards == 2:
        shard(place)
    info = catalog.engine_info("qwen3_tts", str(place))
    opened = PACKAGE.open(str(place), device="cpu", dtype="float32", trailing_silence_seconds=0.5)
    assert info.presets == ("NewVoice",) and info.options == opened.info.options
    assert (info.clones_clips, opened.info.clones_clips) == (False, False)
    assert opened.info.extractor_revision == "1+silence-0.5s"
    opened.close()
    assert catalog.engine_info("qwen3_tts", str(tmp_path / "nowhere")).presets == ()
