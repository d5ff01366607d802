"""KokoroEngine: whose voice speaks, in which language, with whose articulation; what is refused; what is kept."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
import torch

from engines.contract.prompt import SpeakerPrompt
from engines.errors import BlendInvalid, LanguageUnsupported, PresetUnknown, PromptInvalid
from engines.kokoro import engine as module
from engines.kokoro.calibration import MOST_PLANS
from engines.kokoro.options import CODES
from engines.kokoro.speech import SpeechParams, SpokenVoice
from engines.kokoro.voice import LearnedVoice
from engines.kokoro.voices.voice_table import VOICES
from tests.engines.kokoro.opened import learned, opened, say

BLEND = "af_heart:0.6+af_bella:0.4"


@pytest.fixture(autouse=True)
def short_calibration(monkeypatch) -> None:
    """Norms are recorded of a word, so that a voice is known soon."""
    monkeypatch.setattr(module, "BRIEF", dict.fromkeys(module.BRIEF, "Yes."))
    monkeypatch.setattr(module, "THOROUGH", dict.fromkeys(module.THOROUGH, "Yes."))


@pytest.fixture
def asked(monkeypatch) -> list[tuple[SpokenVoice, SpeechParams]]:
    """What each stream is asked for, in place of its sound."""
    seen: list[tuple[SpokenVoice, SpeechParams]] = []

    def stream(networks: object, text: str, voice: SpokenVoice, params: SpeechParams) -> Iterator[np.ndarray]:
        seen.append((voice, params))
        yield np.zeros(1, np.float32)

    monkeypatch.setattr(module, "stream", stream)
    return seen


# --- built-in voices


def test_every_built_in_voice_has_a_name_a_language_and_a_sex():
    info = opened().info
    assert info.presets == VOICES and len(info.presets) == 54 and info.default_preset in VOICES
    assert info.preset_sexes.keys() == set(VOICES) and info.preset_languages.keys() <= set(VOICES)
    assert (info.preset_sexes["bm_george"], info.preset_languages["bm_george"]) == ("male", "en-gb")
    digests = {opened().preset(voice).content_digest for voice in VOICES}
    assert len(digests) == 54


def test_a_blend_sounds_the_same_however_it_is_written_and_like_none_of_its_parts():
    engine = opened()
    heard = {
        name: say(engine, "Yes.", name) for name in (BLEND, "af_heart(3)+af_bella(2)", "af_bella:2+AF_HEART:3", "af_heart", "af_bella")
    }
    first, second, third, *parts = heard.values()
    assert np.array_equal(first, second) and np.array_equal(first, third)
    assert not any(np.array_equal(first, part) for part in parts)


@pytest.mark.parametrize(
    ("formula", "error"),
    [
        ("af_heart+", BlendInvalid), ("af_heart+nobody", BlendInvalid), ("af_heart:0+af_bella", BlendInvalid),
        ("af_heart:-1+af_bella:2", BlendInvalid), ("af_heart:1e3+af_bella", BlendInvalid), ("+".join(["af_heart"] * 9), BlendInvalid),
        ("nobody", PresetUnknown), ("af_heart:x", PresetUnknown), ("", PresetUnknown),
    ],
)  # fmt: skip
def test_what_is_no_voice_and_no_blend_is_refused(formula, error):
    with pytest.raises(error) as refused:
        opened().preset(formula)
    assert refused.value.hint


# --- languages, and whose articulation


@pytest.mark.parametrize(
    ("text", "symbols"),
    [
        ("The house is on the hill, and it is old.", "en-us"), ("Esta es la casa de mi madre y de mi padre.", "es"),
        ("Elle est dans la maison avec une amie.", "fr"), ("Questa è la casa di mia madre, che non è qui.", "it"),
        ("Não sei o que você está fazendo com os seus livros.", "pt-br"), ("यह मेरा घर है।", "hi"), ("Zebras.", "en-us"),
    ],
)  # fmt: skip
def test_a_language_that_nobody_names_is_guessed(asked, text, symbols):
    say(opened(), text, "af_heart")
    assert asked[0][1].language == symbols


@pytest.mark.parametrize(
    ("text", "code"), [("Das ist nicht der Weg, den wir gehen.", "de"), ("Это мой дом.", "ru"), ("우리 집입니다.", "ko")]
)
def test_a_text_in_a_language_that_is_not_spoken_is_refused_by_its_name(text, code):
    with pytest.raises(LanguageUnsupported, match=f"does not speak {code}: the text seems to be") as refused:
        say(opened(), text, "af_heart")
    assert refused.value.values["language"] == code and "en" in refused.value.hint
    assert code not in CODES


def test_a_language_that_is_named_is_believed(asked):
    say(opened(), "Das ist nicht der Weg.", "af_heart", language="en-gb")
    assert asked[0][1].language == "en-gb"


@pytest.mark.parametrize(
    ("voice", "language", "front"),
    [
        ("af_heart", "en", {"af_heart": 1.0}), ("af_heart", "en-gb", {"af_heart": 1.0}), ("bm_george", "en", {"bm_george": 1.0}),
        ("pf_dora", "pt", {"pf_dora": 1.0}), ("af_heart", "es", {"ef_dora": 1.0}), ("am_onyx", "it", {"im_nicola": 1.0}),
        ("zm_yunxi", "hi", {"hm_omega": 1.0}), ("ef_dora", "en", {"af_kore": 1.0}), ("ff_siwis", "fr", {"ff_siwis": 1.0}),
        (BLEND, "en", {"af_heart": 0.6, "af_bella": 0.4}), (BLEND, "fr", {"ff_siwis": 1.0}),
        ("am_onyx:2+ef_dora", "en", {"am_michael": 1.0}), ("am_onyx+ef_dora:2", "es", {"ef_dora": 1.0}),
    ],
)  # fmt: skip
def test_a_voice_articulates_itself_in_its_own_language_and_else_as_one_of_the_language_and_sex(asked, voice, language, front):
    say(opened(), "Anything.", voice, language=language)
    spoken_voice = asked[0][0]
    assert spoken_voice.front == pytest.approx(front)
    assert (spoken_voice.median_hz, spoken_voice.timbre, spoken_voice.gain) == (None, None, 1.0)


def test_a_learned_voice_keeps_its_pitch_and_articulates_as_one_of_its_sex(asked):
    engine, tensors = opened(), learned().tensors
    for hz, front in ((110.0, "am_michael"), (210.0, "af_kore")):
        prompt = replace(learned(), tensors=dict(tensors) | {"pitch": np.array([hz], np.float32)})
        say(engine, "Anything.", prompt, language="en")
        assert (asked[-1][0].median_hz, asked[-1][0].front) == (hz, {front: 1.0})


def test_speed_and_pitch_are_handed_on(asked):
    say(opened(), "Anything.", "af_heart", speed=1.5, pitch_semitones=-3.0)
    assert asked[0][1] == SpeechParams("en-us", 1.5, -3.0)


# --- strength


def test_strength_tells_learned_voices_apart_and_changes_no_built_in_one():
    engine, tensors = opened(), dict(learned().tensors)
    styles = tensors["styles"].copy()
    styles[1] += 0.5
    moved = replace(learned(), tensors=tensors | {"styles": styles})
    heard = [say(engine, "Yes.", moved, strength=strength) for strength in (0.0, 0.5, 1.0)]
    assert not np.array_equal(heard[0], heard[1]) and not np.array_equal(heard[1], heard[2])
    assert np.array_equal(heard[0], say(engine, "Yes.", learned(), strength=0.0)), "at 0 nothing of what was learned is used"
    assert np.array_equal(*(say(engine, "Yes.", "af_heart", strength=strength) for strength in (0.0, 1.0)))


# --- prompts that are none


def spoiled(name: str, change: object) -> SpeakerPrompt:
    """What was learned, with one tensor changed; None takes it out."""
    tensors = dict(learned().tensors)
    made = change(tensors[name].copy()) if change else None
    return replace(learned(), tensors={key: made if key == name else tensor for key, tensor in tensors.items() if key != name or change})


def filled(index: object, value: float) -> object:
    def change(tensor: np.ndarray) -> np.ndarray:
        tensor[index] = value
        return tensor

    return change


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("styles", lambda tensor: tensor[:1]), ("styles", lambda tensor: tensor.astype(np.float64)), ("styles", filled((0, 0), np.nan)),
        ("additions", lambda tensor: tensor[:-1]), ("additions", filled(3, np.inf)), ("norms", lambda tensor: tensor[:, :1]),
        ("norms", filled((0, 1, 0), 0.0)), ("norms", filled((1, 1, 5), -1.0)), ("norms", filled((0, 0, 0), np.nan)),
        ("pitch", lambda tensor: tensor[:0]), ("pitch", filled(0, np.nan)), ("pitch", filled(0, 0.0)), ("pitch", filled(0, -100.0)),
        ("gains", filled(1, 0.0)), ("gains", filled(0, np.inf)), ("gains", None), ("pitch", None),
    ],
)  # fmt: skip
def test_a_learned_prompt_with_broken_tensors_is_refused_wherever_it_comes_in(name, change):
    engine, prompt = opened(), spoiled(name, change)
    for use in (lambda: say(engine, "Yes.", prompt), lambda: engine.prepare(prompt), lambda: list(engine.refine(None, None, prompt))):
        with pytest.raises(PromptInvalid, match="does not fit it any more: it holds"):
            use()


@pytest.mark.parametrize(
    "shares",
    [
        np.zeros(54),
        np.full(54, 0.5),
        np.eye(54)[0].astype(np.float32),
        np.eye(55)[0],
        np.full(54, np.nan),
        np.array([2.0, -1.0] + [0.0] * 52),
    ],
    ids=["of nothing", "of too much", "float32", "of 55", "no numbers", "less than nothing"],
)
def test_a_built_in_prompt_with_broken_shares_is_refused(shares):
    engine = opened()
    prompt = replace(engine.preset("af_heart"), tensors={"blend": shares})
    with pytest.raises(PromptInvalid, match="does not fit it any more: it holds"):
        say(engine, "Yes.", prompt)
    with pytest.raises(PromptInvalid, match="does not fit it any more: it holds"):
        say(engine, "Yes.", replace(learned(), source_digest="preset:af_heart"))


# --- what is kept


def test_memory_counts_what_is_kept_for_each_voice_and_forgetting_gives_it_back():
    engine = opened()
    bare, voice = engine.memory_bytes(), engine.preset("af_heart")
    engine.prepare(voice)
    one = engine.memory_bytes() - bare
    channels = sum(norm.fc.out_features // 2 for norm in engine._networks.decoder.generator.norms.values())
    assert one == 2 * 4 * channels
    say(engine, "Yes.", voice, strength=0.1)
    assert engine.memory_bytes() == bare + one, "a built-in voice has one strength"
    for strength in (0.7, 0.1):
        say(engine, "Yes.", learned(), strength=strength)
    assert engine.memory_bytes() == bare + 3 * one
    engine.forget(learned().content_digest)
    assert engine.memory_bytes() == bare + one
    engine.forget(voice.content_digest)
    assert engine.memory_bytes() == bare > 100_000


def test_voices_that_are_kept_are_bounded_by_bytes(monkeypatch):
    engine = opened()
    engine.prepare(engine.preset("af_heart"))
    engine._prepared.most_bytes = 2 * engine._prepared.bytes
    for voice in ("af_bella", "am_onyx", "bf_emma"):
        engine.prepare(engine.preset(voice))
    assert len(engine._prepared) == 2


def test_blends_without_end_keep_no_more_plans_than_a_few(asked):
    engine = opened()
    for share in range(1, 2 * MOST_PLANS):
        say(engine, "Yes.", f"af_heart:{share}+af_bella:1", language="en")
    assert 0 < engine._calibration._planned.cache_info().currsize <= MOST_PLANS


# --- clips by telephone


@pytest.mark.parametrize(("band", "heard"), [(3_500, 0.7**2.5), (8_000, 0.7), (None, 0.7), ("3500", 0.7)])
def test_less_is_followed_of_a_voice_that_was_heard_by_telephone(asked, band, heard):
    prompt, engine = learned(), opened()
    told = replace(prompt, facts={**prompt.facts, "bandwidth_hz": band})
    engine.forget(told.content_digest)
    say(engine, "Yes.", told, language="en", strength=0.7)
    wanted = LearnedVoice.of(prompt.tensors, engine._networks.decoder.generator).timbre(heard).style
    assert torch.allclose(asked[-1][0].timbre, wanted, atol=1e-6)
    for end in (0.0, 1.0):
        assert module._followed(told, end) == end
