"""All sounds of a plan are made once, however often it is interrupted, and told by system and text where they cannot be."""

import io
import threading
from dataclasses import replace

import numpy as np
import pytest
import soundfile

from engines.errors import EngineFailed
from studio.audio.lowpass import bandwidth_hz
from studio.errors import EngineUnknown, SpeakerUnknown
from studio.listening.plan.plan import Plan
from studio.listening.plan.questions import SoundKey
from studio.listening.plan.render_steps import label_of, render_steps_of, sounds_of
from studio.listening.render.rendering import TAKES, Renderer
from tests.listening.materials.rendered import SAID, TEXTS, enrol, rendered, spoken_plan
from tests.stand_ins.fake_engine import INFO, FakeEngine, heard_pitch, pitch_of

RATED = {
    "anchors": ("lowpass-3.5", "lowpass-7", "other-voice", "embedded", "recording"),
    "other_voice": "Bob",
    "gold": 1,
    "reference": {"source": "files"},
}


@pytest.fixture
def engine():
    return FakeEngine(seconds_per_character=0.01)


@pytest.fixture
def studio(open_studio, engine):
    studio = open_studio(engine, warm_uploads=False)
    enrol(studio, "Ana", "Bob")
    return studio


def samples_of(folder, item) -> np.ndarray:
    return soundfile.read(folder / f"{item.id}.wav", dtype="float32")[0]


def noise_file(path, seconds: float = 0.5, rate: int = 44_100):
    samples = np.random.default_rng(7).standard_normal(round(seconds * rate)) * 0.1
    file = io.BytesIO()
    soundfile.write(file, samples, rate, format="FLAC", subtype="PCM_16")
    path.write_bytes(file.getvalue())
    return path


def test_each_sound_is_spoken_by_its_system_and_measured(studio, engine, tmp_path):
    plan = spoken_plan("abx", systems=({"id": "a", "voice": "Ana", "seed": 3, "options": {"speed": 2.0}}, {"id": "b", "voice": "Bob"}))
    reports = []
    items = rendered(plan, studio, tmp_path / "test", on_progress=lambda *report: reports.append(report))
    assert {SoundKey(item.role, item.system, item.text) for item in items} == set(sounds_of(plan)) and len(items) == 4
    assert reports == [(0, 4, "Ana"), (1, 4, "Ana"), (2, 4, "Bob"), (3, 4, "Bob"), (4, 4, "")]
    assert engine.texts == [*SAID, *SAID] and {options["speed"] for options in engine.options} == {1.0, 2.0}
    assert [options["seed"] for options in engine.options] == [3, 3, 0, 0]
    for item in items:
        pitch = pitch_of(studio.speaker({"a": "Ana", "b": "Bob"}[item.system]).clip_digest)
        assert heard_pitch(samples_of(tmp_path / "test", item)[: round(item.seconds * 48_000)], 48_000) == pytest.approx(pitch, abs=8)
        assert item.ttfp_ms > 0 and item.rtf >= 0 and item.cache == ("miss" if item.text == 0 else "hit") and item.build == "fake 1"
    first = {item.system: item for item in items if item.text == 0}
    assert first["a"].seconds == pytest.approx(0.13 + 0.3, abs=0.02) and first["b"].seconds == pytest.approx(0.26 + 0.3, abs=0.02)
    assert first["a"].padded_seconds == first["b"].padded_seconds == first["b"].seconds


def test_a_system_that_is_cold_learns_its_speaker_for_each_sound(studio, engine, tmp_path):
    systems = ({"id": "a", "voice": "Ana", "cold": True}, {"id": "b", "voice": "Ana"}, {"id": "c", "voice": "tone", "cold": True})
    items = rendered(spoken_plan(systems=systems), studio, tmp_path / "test")
    assert {(item.system, item.cache) for item in items} == {("a", "miss"), ("b", "hit"), ("c", "hit"), ("c", "miss")}
    assert engine.extractions == 2


@pytest.mark.slow
def test_references_anchors_and_gold_are_made_for_each_text(studio, tmp_path):
    plan = spoken_plan("mushra", **RATED)
    uploads = {("reference", text): noise_file(tmp_path / f"{text}.flac") for text in range(2)}
    items = rendered(plan, studio, tmp_path / "test", uploads)
    made = {SoundKey(item.role, item.system, item.text): item for item in items}
    assert set(made) == set(sounds_of(plan))
    assert len(made) == 2 * (2 + 1 + 5) + 1
    for text in range(2):
        of_text = [item for key, item in made.items() if key.text == text]
        assert len({item.padded_seconds for item in of_text}) == 1 < len({item.seconds for item in of_text})
        assert len({(tmp_path / "test" / f"{item.id}.wav").stat().st_size for item in of_text}) == 1
        assert made[SoundKey("lowpass-3.5", "lowpass-3.5", text)].bandwidth_hz < 4200
        assert 6900 < made[SoundKey("lowpass-7", "lowpass-7", text)].bandwidth_hz < 8300
        assert made[SoundKey("reference", "reference", text)].bandwidth_hz > 15_000
        other, bob = made[SoundKey("other-voice", "other-voice", text)], made[SoundKey("system", "b", text)]
        assert np.corrcoef(samples_of(tmp_path / "test", other), samples_of(tmp_path / "test", bob))[0, 1] > 0.99
        recording = made[SoundKey("recording", "recording", text)]
        assert recording.seconds <= max(item.seconds for key, item in made.items() if key.text == text and key.role != "recording")
    assert {item.lufs for item in items} == {-23.0}


def test_the_embedded_engine_is_the_one_that_needs_no_weights(open_studio, tmp_path):
    large = replace(INFO, id="large", weights_command="get it")
    engines = {"large": FakeEngine(large, seconds_per_character=0.01), "fake": FakeEngine(seconds_per_character=0.01)}
    studio = open_studio(infos={name: engine.info for name, engine in engines.items()}, open_engine=engines.__getitem__)
    enrol(studio, "Ana", "Bob")
    items = rendered(spoken_plan("mos", anchors=("embedded",)), studio, tmp_path / "test")
    assert {(item.role, item.build) for item in items} == {("system", "large 1"), ("embedded", "fake 1")}
    alone = open_studio(engines["large"], "alone")
    enrol(alone, "Ana", "Bob")
    with pytest.raises(EngineUnknown) as raised:
        rendered(spoken_plan("mos", anchors=("embedded",)), alone, tmp_path / "test")
    assert raised.value.values["system"] == "embedded" and raised.value.values["text"] == 1


def test_where_likeness_is_asked_the_reference_is_another_text_or_a_part_of_the_recording(studio, tmp_path):
    plan = spoken_plan("smos", systems=({"id": "a", "voice": "Ana"},), reference={"source": "system", "system": "a"})
    made = {(item.role, item.text): item for item in rendered(plan, studio, tmp_path / "one")}
    for text in range(2):
        assert made["reference", text].seconds == made["system", 1 - text].seconds
    plan = spoken_plan("smos", reference={"source": "recording"}, anchors=("recording",))
    made = {(item.role, item.text): item for item in rendered(plan, studio, tmp_path / "two")}
    reference, hidden = made["reference", 0], made["recording", 0]
    clip = studio.speaker("Ana").read_clip()
    assert reference.seconds < clip.seconds and reference.padded_seconds == reference.seconds
    assert hidden.padded_seconds == made["system", 0].padded_seconds and hidden.sha256 != reference.sha256


def test_bandwidth_is_equalised_to_the_least_of_the_systems(studio, tmp_path):
    systems = ({"id": "a", "source": "files"}, {"id": "b", "source": "files"})
    plan = spoken_plan(systems=systems)
    rates = {"a": 44_100, "b": 16_000}
    uploads = {(one, text): noise_file(tmp_path / f"{one}{text}.wav", rate=rates[one]) for one in "ab" for text in range(2)}
    as_they_are = rendered(plan, studio, tmp_path / "test", uploads)
    assert max(item.bandwidth_hz for item in as_they_are) > 2 * min(item.bandwidth_hz for item in as_they_are)
    equal = rendered(plan.model_copy(update={"equalise_bandwidth": True}), studio, tmp_path / "test", uploads)
    reach = [item.bandwidth_hz for item in equal] + [bandwidth_hz(samples_of(tmp_path / "test", item), 48_000) for item in equal]
    assert min(reach) > 7000 and max(reach) < 8100
    assert {item.build for item in equal} == {""} and {item.ttfp_ms for item in equal} == {None}


def test_what_was_made_is_not_made_again_after_a_stop_a_failure_or_another_plan(studio, engine, tmp_path):
    plan, folder = spoken_plan(), tmp_path / "test"
    stop = threading.Event()
    made = []

    def after_two(done, total, now):
        made.append(done)
        if done == 2:
            stop.set()

    assert rendered(plan, studio, folder, on_progress=after_two, is_stopped=stop.is_set) == () and made == [0, 1, 2]
    assert engine.texts == list(SAID) and not list(folder.glob("*.wav"))
    engine._fail_at_chunk = 0
    with pytest.raises(EngineFailed, match="Text 1 of Second: ") as raised:
        rendered(plan, studio, folder)
    assert (raised.value.values["system"], raised.value.values["text"]) == ("Second", 1)
    assert raised.value.fact == "Text 1 of Second: The fake engine was told to fail."
    engine._fail_at_chunk = None
    engine.texts.clear()
    items = rendered(plan, studio, folder)
    assert engine.texts == list(SAID) and len(items) == 4
    engine.texts.clear()
    again = rendered(plan, studio, folder)
    assert not engine.texts and [item.sha256 for item in again] == [item.sha256 for item in items]
    assert {path.stem for path in folder.glob("*.wav")} == {item.id for item in (*items, *again)}
    more = plan.model_copy(update={"texts": (*TEXTS[:1], "A new one.")})
    rendered(more, studio, folder)
    assert engine.texts == ["A new one."] * 2 and len(list((folder / TAKES).iterdir())) == 4
    enrol(studio, "Bob", "Ana")  # other recordings
    engine.texts.clear()
    rendered(more, studio, folder)
    assert len(engine.texts) == 4


def test_a_text_that_is_said_again_alone_is_made_anew_with_another_seed(studio, engine, tmp_path):
    plan = spoken_plan(systems=({"id": "a", "voice": "Ana", "seed": 3}, {"id": "b", "voice": "Bob"}))
    rendered(plan, studio, tmp_path / "test")
    for times in (1, 2):
        engine.options.clear()
        system = plan.systems[0].model_copy(update={"again": {TEXTS[1]: times}})
        rendered(plan.model_copy(update={"systems": (system, plan.systems[1])}), studio, tmp_path / "test")
        assert [options["seed"] for options in engine.options] == [3 + 1009 * times]
    assert engine.texts[-2:] == [SAID[1]] * 2


def test_what_other_weights_of_the_engine_said_is_made_again(open_studio, tmp_path):
    plan, engines = spoken_plan("ab"), [FakeEngine(replace(INFO, hub_id=hub_id)) for hub_id in ("makers/small", "makers/large")]
    enrol(open_studio(engines[0], folder="speakers"), "Ana", "Bob")
    for engine in engines:
        rendered(plan, open_studio(engine, folder="speakers"), tmp_path / "test")
    assert len(engines[1].texts) == len(engines[0].texts) > 0


def test_a_damaged_take_is_no_sound_and_a_speaker_who_is_gone_is_told(studio, tmp_path):
    plan, folder = spoken_plan(), tmp_path / "test"
    rendered(plan, studio, folder)
    next((folder / TAKES).iterdir()).write_bytes(b"PK\x03\x04 damaged")
    assert len(rendered(plan, studio, folder)) == 3
    assert len(rendered(plan, studio, folder)) == 4
    studio.forget("Bob")
    with pytest.raises(SpeakerUnknown) as raised:
        rendered(plan, studio, folder)
    assert raised.value.values["system"] == "Second"


def test_one_test_at_a_time_makes_sounds_and_one_that_waits_can_be_stopped(studio, engine, tmp_path):
    waits, goes_on, stop = threading.Event(), threading.Event(), threading.Event()

    def hold(index):
        waits.set()
        goes_on.wait(30)

    engine._before_chunk = hold
    first = threading.Thread(target=rendered, args=(spoken_plan(), studio, tmp_path / "one"))
    first.start()
    assert waits.wait(30)
    n_texts = len(engine.texts)
    stop.set()
    assert rendered(spoken_plan(), studio, tmp_path / "two", is_stopped=stop.is_set) == () and len(engine.texts) == n_texts
    goes_on.set()
    first.join()
    assert not Renderer._turns._waiting and len(list((tmp_path / "one").glob("*.wav"))) == 4


def test_sounds_that_cannot_be_had_are_no_jobs():
    files = ({"id": "a", "source": "files"},)
    plan = spoken_plan("mos", systems=files, anchors=("other-voice", "embedded", "recording"))
    assert [job.key.system for job in render_steps_of(plan)] == ["a", "a"] and len(sounds_of(plan)) == 8


def test_systems_that_differ_in_options_alone_are_called_by_them():
    rosa = {"voice": "Rosa", "engine": "embedded"}
    systems = (
        {"id": "a", **rosa},
        {"id": "b", **rosa, "options": {"speed": 1.3, "pitch": 0}},
        {"id": "c", **rosa, "options": {"pitch": 0}},
    )
    plan = Plan.model_validate({"name": "n", "method": "ab", "systems": systems})
    assert [label_of(plan, "system", name) for name in "abc"] == [
        "Rosa embedded",
        "Rosa embedded, speed 1.3, pitch 0",
        "Rosa embedded, pitch 0",
    ]
    same = Plan.model_validate({"name": "n", "method": "ab", "systems": (systems[1], systems[1] | {"id": "d"}, systems[2])})
    assert label_of(same, "system", "d") == "Rosa embedded, speed 1.3 (d)"
