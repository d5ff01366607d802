"""Every check passes a test that is in order, and fails the one in which what it is about is broken."""

from dataclasses import replace
from random import Random

import numpy as np
import pytest
import soundfile

from studio.audio.formats import wav_header
from studio.listening.keep import sound_files
from studio.listening.plan.design_checks import design_checks
from studio.listening.plan.materials import SAMPLE_RATE, wav_bytes
from studio.listening.render.checks import checks_of
from tests.listening.materials.panel import items_of, plan_of
from tests.listening.materials.rendered import enrol, rendered, spoken_plan
from tests.stand_ins.fake_engine import FakeEngine

GOOD_TEXTS = tuple(f"Text {index}, is it number {'1' * (index + 1)}?" for index in range(10))


@pytest.fixture
def made(open_studio, tmp_path):
    """(plan, items, folder) of a test in order."""
    studio = open_studio(FakeEngine(seconds_per_character=0.01), warm_uploads=False)
    enrol(studio, "Ana", "Bob")
    systems = ({"id": "a", "voice": "Ana", "label": "First", "cold": True}, {"id": "b", "voice": "Bob", "label": "Second"})
    plan = spoken_plan("abx", systems=systems, texts=GOOD_TEXTS[:2], gold=1, traps=1)
    return plan, rendered(plan, studio, tmp_path / "test"), tmp_path / "test"


def failed(plan, items, folder):
    return {check.key: check.values for check in checks_of(plan, items, folder) if not check.passed}


@pytest.mark.slow
def test_a_test_in_order_passes_all_checks_of_its_sounds(made):
    checks = {check.key: check for check in checks_of(*made)}
    assert {key for key, check in checks.items() if not check.passed} <= {"texts_many", "bandwidth"}  # tones begin and end with a click
    of_files = {"sounds", "container", "names", "hashes", "lengths", "loudness", "clipping", "silences", "cold", "builds"}
    assert of_files <= checks.keys() and all(checks[key].needed for key in of_files)
    assert checks["sounds"].values == {"n": 5, "total": 5} and checks["loudness"].values["lufs"] == -23.0
    assert {"lowered", "bandwidth", "identical", "session", "both_orders"} <= {key for key, check in checks.items() if not check.needed}


def test_a_sound_that_is_missing_is_named(made):
    plan, items, folder = made
    lost = next(item for item in items if item.role == "system" and item.text == 1)
    (folder / f"{lost.id}.wav").unlink()
    label = plan.system(lost.system).label
    assert failed(plan, items, folder)["sounds"] == {"n": 4, "total": 5, "system": label, "text": 2}
    assert failed(plan, [item for item in items if item is not lost], folder)["sounds"]["text"] == 2
    assert list(failed(plan, (), folder)) == ["sounds", "texts_many"]


def test_what_is_broken_in_a_file_is_found(made):
    plan, items, folder = made
    victim = next(item for item in items if item.role == "system")
    path = folder / f"{victim.id}.wav"
    whole = path.read_bytes()
    samples = np.frombuffer(whole, "<i2", offset=44).astype(np.float32) / 32768
    sound = samples[: round(victim.seconds * SAMPLE_RATE)]
    padding = np.zeros(len(samples) - len(sound), np.float32)
    late = np.concatenate([np.zeros(9600, np.float32), sound[:-9600]])
    clipped = np.where(np.arange(len(samples)) % 97 == 50, np.sign(samples), samples).astype(np.float32)
    comment = b"LIST" + (12).to_bytes(4, "little") + b"INFOISFT" + b"Lavf"
    with_comment = b"RIFF" + (len(whole) - 8 + len(comment)).to_bytes(4, "little") + whole[8:] + comment
    broken = {
        "container": wav_header(24_000, len(whole) - 44) + whole[44:],
        "names": with_comment,
        "lengths": wav_bytes(samples[:-10]),
        "loudness": wav_bytes(samples * np.float32(0.9)),
        "silences": wav_bytes(np.concatenate([late, padding])),
        "clipping": wav_bytes(clipped),
    }
    for key, data in broken.items():
        path.write_bytes(data)
        found = failed(plan, items, folder)
        assert {key, "hashes"} <= found.keys(), key
        assert found[key]["system"] == plan.system(victim.system).label and found[key]["text"] == victim.text + 1, key
        path.write_bytes(whole)
    assert "hashes" not in failed(plan, items, folder)


def test_names_builds_and_what_was_learned_are_looked_at(made):
    plan, items, folder = made
    victim = next(item for item in items if item.role == "system" and item.system == "a")

    def with_(**changes):
        return [replace(item, **changes) if item is victim else item for item in items]

    (folder / "ana.wav").write_bytes((folder / f"{victim.id}.wav").read_bytes())
    assert "names" in failed(plan, with_(id="ana"), folder)
    assert failed(plan, with_(cache="hit"), folder)["cold"]["text"] == victim.text + 1
    assert failed(plan, with_(build="fake 2"), folder)["builds"] == {"system": "First"}
    narrow = [replace(item, bandwidth_hz=12_000.0 if item is victim else 1000.0) for item in items]
    expected = {"khz": 3.5, "other_khz": 12.0, "system": "Second", "other": "First"}
    assert failed(plan, narrow, folder)["bandwidth"] == expected
    twin = next(item for item in items if item.role == "system" and item.system == "b" and item.text == victim.text)
    (folder / f"{twin.id}.wav").write_bytes((folder / f"{victim.id}.wav").read_bytes())
    assert failed(plan, items, folder)["identical"] == {"system": "First", "other": "Second", "text": victim.text + 1}


def test_one_sound_that_would_clip_makes_all_softer_which_is_told(open_studio, tmp_path):
    def peaky(one: str, text: int):
        chance = np.random.default_rng(text)
        samples = (0.05 * chance.standard_normal(24_000)).astype(np.float32)
        if (one, text) == ("b", 1):
            samples[9000] = 0.9
        path = tmp_path / f"{one}{text}.wav"
        soundfile.write(path, samples, 48_000, subtype="FLOAT")
        return path

    plan = spoken_plan(systems=({"id": "a", "source": "files"}, {"id": "b", "source": "files", "label": "Second"}))
    items = rendered(plan, None, tmp_path / "test", {(one, text): peaky(one, text) for one in "ab" for text in range(2)})
    checks = {check.key: check for check in checks_of(plan, items, tmp_path / "test")}
    assert checks["loudness"].passed and not checks["lowered"].passed and checks["clipping"].passed
    assert checks["lowered"].values["db"] > 1 and checks["lowered"].values["system"] == "Second" and checks["lowered"].values["text"] == 2
    assert len({item.lufs for item in items}) == 1


def test_a_file_is_measured_once_for_the_same_content(made, monkeypatch):
    plan, items, folder = made
    counted = []
    monkeypatch.setattr(sound_files, "loudness_of", lambda samples: counted.append(1) or -23.0)
    monkeypatch.setattr(sound_files, "_KNOWN", type(sound_files._KNOWN)())
    monkeypatch.setattr(sound_files, "MOST_KEPT", 4)
    checks_of(plan, items, folder)
    assert len(counted) == 5 and len(sound_files._KNOWN) == 4
    checks_of(plan, items[1:], folder)
    assert len(counted) == 5


# --- of the plan alone


def design(plan, items=()):
    return {check.key: check for check in design_checks(plan, items)}


def test_a_plan_has_what_its_method_needs():
    assert not design(plan_of("ab", 1))["systems"].passed and design(plan_of("mos", 1))["systems"].passed
    assert not design(plan_of("mushra-like", 1))["systems"].passed and not design(plan_of("ab", 2, 0))["texts"].passed
    assert not design(plan_of("smos"))["reference_clip"].passed
    assert design(plan_of("smos", reference={"source": "recording"}))["reference_clip"].passed
    bare = design(plan_of("mushra"))
    assert not bare["hidden_reference"].passed and not bare["anchors"].passed and not bare["reference_text"].passed
    full = {"anchors": ("lowpass-3.5", "lowpass-7"), "reference": {"source": "files"}}
    good = design(plan_of("mushra", **full))
    assert all(good[key].passed and good[key].needed for key in ("hidden_reference", "anchors", "reference_text", "signals", "session"))
    assert good["signals"].values == {"n": 5, "most": 12}
    assert not design(plan_of("mushra", 10, **full))["signals"].passed and design(plan_of("mushra", 9, **full))["signals"].passed
    assert not design(plan_of("mushra", reference={"source": "recording"}))["reference_text"].passed
    assert not design(plan_of("mos", anchors=("other-voice",)))["other_speaker"].passed
    assert not design(plan_of("mos", anchors=("lowpass-7",)))["anchor_source"].passed


def test_texts_are_enough_of_all_kinds_and_of_like_length():
    good = design(plan_of("ab", 2, texts=GOOD_TEXTS))
    assert all(good[key].passed and not good[key].needed for key in ("texts_many", "texts_kinds", "texts_lengths"))
    poor = design(plan_of("ab", 2, texts=("Ho.", "Nobody had an umbrella.")))
    assert not any(poor[key].passed for key in ("texts_many", "texts_kinds", "texts_lengths"))
    assert poor["texts_lengths"].values == {"most": 23, "least": 3}


@pytest.mark.slow
def test_balance_is_found_in_the_orders_of_the_panel_that_is_planned():
    for listeners, even in ((1, False), (2, True), (5, False), (10, True), (1000, True), (999, False)):
        assert design(plan_of("ab", 3, 7, listeners=listeners))["both_orders"].passed is even, listeners
    assert design(plan_of("ab", 2, 4, listeners=3))["both_orders"].values == {"listeners": 3}
    for listeners, even in ((3, False), (4, True), (6, False), (8, True)):
        assert design(plan_of("mos", 4, 5, listeners=listeners))["places"].passed is even, listeners
    assert design(plan_of("mos", 4, 4, listeners=1))["places"].passed, "with as many texts as the square has rows one listener does"
    page = plan_of("mushra-like", 3, 5, listeners=6)
    assert design(page)["places"].passed and not design(page.model_copy(update={"listeners": 7}))["places"].passed
    assert design(page)["places"].values == {"listeners": 6, "rows": 6}
    for seed in range(20):  # of 384 orders, of which twelve listeners may well have the same two
        assert design(plan_of("ab", 2, 4, listeners=12, seed=seed))["orders"].passed
    assert design(plan_of("mos", 1, 3, listeners=30))["orders"].passed, "there are six orders"
    x = design(plan_of("abx", 3, 7, repeats=2))
    assert x["x"].passed and x["repeats"].passed and x["orders"].passed and x["x"].values["a"] + x["x"].values["b"] == 10 * 3 * 14


def test_a_broken_order_is_found(monkeypatch):
    from studio.listening.plan import questions

    plan = plan_of("abx", 2, 8)
    monkeypatch.setattr(questions, "pair_orders", lambda n, chance: [(0, 0)] * n)
    found = design(plan)
    assert not found["x"].passed and found["x"].values == {"a": 80, "b": 0} and found["both_orders"].passed
    whole = questions.trial_order
    monkeypatch.setattr(questions, "trial_order", lambda *how: whole(*how)[:7] if how[1] == 8 else whole(*how))
    assert not design(plan)["repeats"].passed
    monkeypatch.setattr(questions, "trial_order", whole)
    monkeypatch.setattr(questions, "drawn", lambda *names: Random(0))
    monkeypatch.setattr(questions, "trial_order", lambda n, *how: whole(n, *how[:2], 1, Random(0)))
    assert not design(plan_of("mos", 1, 8, listeners=2))["orders"].passed


def test_one_text_asked_again_and_again_has_the_orders_that_there_are():
    for n_systems, repeats in ((1, 3), (2, 2), (3, 5)):
        assert design(plan_of("mos", n_systems, 1, repeats=repeats, listeners=10))["orders"].passed


def test_a_session_that_tires_is_told_and_mushra_is_not_frozen_with_it():
    full = {"anchors": ("lowpass-3.5", "lowpass-7"), "reference": {"source": "files"}}
    plan = plan_of("mushra", 4, 10, **full)
    assert design(plan, items_of(plan, 5.0))["session"].passed
    long = design(plan, items_of(plan, 11.0))["session"]
    assert not long.passed and long.needed and long.values["minutes"] > long.values["most"] == 30
    assert not design(plan_of("mos", 10, 60))["session"].needed


def test_what_shows_who_listens_is_wished_for_and_not_needed():
    keys = ("gold", "traps", "training", "headphones")
    without = design(plan_of("mos", training=False, headphones=False))
    assert not any(without[key].passed or without[key].needed for key in keys)
    assert all(design(plan_of("mos", gold=2, traps=1))[key].passed for key in keys)
    assert design(plan_of("mos", gold=2))["gold"].values == {"n": 2}


@pytest.mark.slow
def test_parts_are_checked_by_how_many_judge_each_sound():
    covered = design(plan_of("mos", 4, 10, listeners=20, questions_per_listener=8, training=False))
    assert covered["coverage"].passed and covered["coverage"].values == {"least": 4, "most": 4, "n": 40}
    assert "repeats" not in covered and covered["orders"].passed and covered["session"].values["minutes"] < 10
    assert not design(plan_of("mos", 4, 10, listeners=4, questions_per_listener=8))["coverage"].passed
    paired = design(plan_of("abx", 3, 10, listeners=7, questions_per_listener=9))
    assert paired["both_orders"].passed and paired["x"].passed
