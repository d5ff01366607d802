"""Clip, Transcript, SpeakerPrompt, options and catalog: the values that every engine shares."""

import re
from importlib import import_module

import numpy as np
import pytest
import safetensors.numpy

from engines.catalog import _PACKAGES, engine_ids, engine_info, open_engine
from engines.clips.clip import Clip, Transcript
from engines.contract.options import MOST_LISTED, Option, resolve_options
from engines.contract.prompt import SpeakerPrompt
from engines.contract.refinement import Refinement, refinement_of
from engines.errors import ClipUnusable, OptionInvalid, PromptInvalid


def prompt(**changes) -> SpeakerPrompt:
    fields = {
        "engine": "fake",
        "extractor_revision": "1",
        "weights_fingerprint": "w",
        "numeric_mode": "fp32",
        "source_digest": "d",
        "tensors": {"codes": np.arange(6, dtype=np.int16).reshape(2, 3), "embedding": np.ones(4, np.float32)},
        "transcript": Transcript("Grüße", "de"),
        "facts": {"snr_db": 31.5, "fit": "transcript"},
    }
    return SpeakerPrompt(**(fields | changes))


def test_a_clip_is_read_only_and_owns_its_samples():
    samples = np.zeros(1000, np.float32)
    clip = Clip(samples, 16_000)
    samples[0] = 1.0
    assert clip.samples[0] == 0.0
    with pytest.raises(ValueError, match="read-only"):
        clip.samples[0] = 1.0
    assert clip.seconds == pytest.approx(0.0625)


def test_a_clips_digest_is_of_its_samples_and_its_rate():
    samples = np.linspace(-1, 1, 1000)
    assert Clip(samples, 16_000).digest == Clip(samples.astype(np.float32), 16_000).digest
    assert Clip(samples, 16_000).digest != Clip(samples, 24_000).digest
    assert Clip(samples, 16_000).digest != Clip(samples * 0.5, 16_000).digest


def test_non_finite_samples_are_refused():
    with pytest.raises(ClipUnusable) as refused:
        Clip(np.array([0.0, np.nan]), 16_000)
    assert refused.value.code == "clip_not_finite"


def test_a_transcript_is_stripped_and_composed_and_blank_is_none():
    assert Transcript.of("  ") is None
    assert Transcript.of(None) is None
    assert Transcript.of(" e\u0301 ") == Transcript("é")
    assert Transcript("a", "en").digest != Transcript("a", "de").digest


def test_a_prompt_survives_its_file_whole():
    original = prompt()
    restored = SpeakerPrompt.from_bytes(original.to_bytes())
    assert restored.content_digest == original.content_digest
    assert restored.transcript == original.transcript
    assert dict(restored.facts) == dict(original.facts)
    assert all(np.array_equal(restored.tensors[name], original.tensors[name]) for name in original.tensors)
    assert restored.tensors["codes"].dtype == np.int16
    assert not restored.tensors["codes"].flags.writeable


@pytest.mark.parametrize("damage", ["empty", "truncated", "flipped", "no metadata", "other format", "unknown field", "pickle"])
def test_a_damaged_or_foreign_prompt_file_is_refused(damage):
    data = prompt().to_bytes()
    metadata = {"format": "speaker-prompt/1"}
    files = {
        "empty": b"",
        "truncated": data[:-3],
        "flipped": data[:-1] + bytes([data[-1] ^ 1]),
        "no metadata": safetensors.numpy.save({"x": np.zeros(1)}, metadata),
        "other format": data.replace(b"speaker-prompt/1", b"speaker-prompt/2"),
        "unknown field": data.replace(b'"numeric_mode"', b'"numeric_mood"'),
        "pickle": b"\x80\x04\x95" + bytes(40),
    }
    with pytest.raises(PromptInvalid):
        SpeakerPrompt.from_bytes(files[damage])


def test_a_prompt_says_how_far_it_was_refined_and_what_cannot_be_is_not_believed():
    def refined(**facts) -> Refinement | None:
        return refinement_of(prompt(facts=facts))

    assert refined() is None
    assert refined(learned_steps=8, learned_of=48) == Refinement(8, 48) and not Refinement(8, 48).is_complete
    assert refined(learned_steps=48, learned_of=48).is_complete
    for step, of in ((-1, 48), (49, 48), ("8", 48), (8.5, 48), (8, None)):
        assert refined(learned_steps=step, learned_of=of) is None


def test_other_words_share_the_tensors_and_the_prepared_state():
    original = prompt()
    other = original.with_transcript(Transcript("Hello"))
    assert other.tensors["codes"] is original.tensors["codes"]
    assert other.content_digest == original.content_digest
    assert other.transcript == Transcript("Hello")


def test_a_prompt_without_tensors_is_refused():
    with pytest.raises(PromptInvalid):
        prompt(tensors={})


SCHEMA = (
    Option("seed", "int", 0, "Noise.", minimum=0, maximum=9),
    Option("speed", "float", 1.0, "Rate.", minimum=0.25, maximum=4.0),
    Option("denoise", "bool", False, "Clean."),
    Option("language", "choice", None, "Language.", choices=("en", "de")),
    Option("manner", "text", "", "In words.", maximum=9),
)


def test_options_come_out_complete_and_typed():
    assert dict(resolve_options(SCHEMA, {})) == {"seed": 0, "speed": 1.0, "denoise": False, "language": None, "manner": ""}
    given = {"seed": 3.0, "speed": 2, "denoise": True, "language": "de", "manner": " soft\nén \n"}
    assert dict(resolve_options(SCHEMA, given)) == {"seed": 3, "speed": 2.0, "denoise": True, "language": "de", "manner": "soft\nén"}
    assert resolve_options(SCHEMA, {"speed": None, "manner": None}) == resolve_options(SCHEMA, {"manner": " "})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("seed", -1),
        ("seed", 10),
        ("seed", 1.5),
        ("seed", True),
        ("seed", "3"),
        ("speed", 0.1),
        ("speed", float("nan")),
        ("denoise", 1),
        ("language", "fr"),
        ("temperature", 1),
        ("manner", 5),
        ("manner", ["soft"]),
        ("manner", "0123456789"),
        ("manner", "so\0ft"),
        ("manner", "so\x1bft"),
        ("manner", "\ud800"),
    ],
)
def test_a_wrong_option_is_an_error_that_names_it(name, value):
    with pytest.raises(OptionInvalid) as invalid:
        resolve_options(SCHEMA, {name: value})
    assert invalid.value.parameter == name
    assert name in invalid.value.fact


def test_a_text_is_refused_with_its_length_and_the_limit_or_the_character_and_is_not_quoted():
    with pytest.raises(OptionInvalid, match=r"manner has 12 characters, and 9 are the limit\.") as long:
        resolve_options(SCHEMA, {"manner": "x" * 12})
    assert long.value.values == {"option": "manner", "sentence": "option_too_long", "n": 12, "most": 9}
    for text, character in (("a\x07", "U+0007"), ("\udc00", "U+DC00")):
        with pytest.raises(OptionInvalid, match=re.escape(character)) as hidden:
            resolve_options(SCHEMA, {"manner": text})
        assert hidden.value.values["character"] == character
        hidden.value.fact.encode()


def test_a_choice_that_is_not_taken_is_answered_with_all_of_few_and_the_nearest_of_many():
    with pytest.raises(OptionInvalid, match="it must be one of en, de") as few:
        resolve_options(SCHEMA, {"language": "fr"})
    assert few.value.values == {"option": "language", "value": "fr", "sentence": "option_no_choice", "choices": ("en", "de")}
    for n, is_listed in ((MOST_LISTED, True), (MOST_LISTED + 1, False)):
        option = Option("voice", "choice", None, "Who.", choices=tuple(f"speaker-{index}" for index in range(n)))
        with pytest.raises(OptionInvalid) as near:
            option.check("Speeker-7")
        assert ("choices" in near.value.values) == is_listed and ("speaker-39" in near.value.fact) == is_listed
        with pytest.raises(OptionInvalid) as far:
            option.check(["x"])
    assert near.value.values == {
        "option": "voice", "value": "Speeker-7", "sentence": "option_no_choice_but_near", "n": n, "nearest": near.value.values["nearest"],
    }  # fmt: skip
    assert near.value.values["nearest"][0] == "speaker-7" and len(near.value.values["nearest"]) == 3
    assert far.value.values == {"option": "voice", "value": "['x']", "sentence": "option_no_choice_of_many", "n": n}


def test_the_catalog_declares_every_engine_and_knows_no_other():
    for name in engine_ids():
        assert engine_info(name).id == name
        package = import_module(_PACKAGES[name]).PACKAGE
        assert (package.weights is None) == (not package.info.weights_command), "what comes with the engine needs no command"
        assert bool(package.sizes) == (package.open_random is not None)
    with pytest.raises(KeyError):
        engine_info("nope")
    with pytest.raises(KeyError):
        open_engine("nope")
