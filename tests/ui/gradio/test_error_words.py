"""Claims about what people read when something goes wrong; tests/house/errors has the laws of their sentences."""

import errno
import json

import av
import huggingface_hub
import pytest
from huggingface_hub.errors import LocalEntryNotFoundError

from engines.errors import EngineFailed, EngineUnavailable, LanguageUnsupported, TextUnspeakable, TranscriptMismatch
from engines.kit.weights.weights import HubWeights
from studio.audio.decode import decode_clip
from studio.errors import (
    AudioTooLarge,
    AudioUndecodable,
    BundleUnusable,
    ClipTooShort,
    ConsentInUse,
    EngineBusy,
    LexiconFileInvalid,
    SpeakerUnknown,
)
from studio.errors.clean import clean
from studio.ui.gradio.messages import problem_of
from studio.ui.gradio.words import problem_words
from studio.ui.speak.relay import Relays, relayed
from studio.words.sentences import sentences_in


def test_an_error_of_an_engine_says_whose_it_is_once_it_is_known():
    told = TextUnspeakable(sentence="text_too_long_at_once", n=9, most=8)
    assert told.fact.startswith("Voice and text are too long for this engine: 9 pieces")
    assert str(told.of_engine("Fake")) == told.fact == "Voice and text are too long for Fake: 9 pieces, and 8 are the limit."
    assert LanguageUnsupported(language="fr", n=2).fact == "This engine does not speak fr."
    kept = EngineUnavailable(command="get it", sentence="weights_absent", detail="a/b", name="a/b").of_engine("Fake")
    assert (kept.fact, kept.hint.endswith(" run: get it")) == ("Fake is not on this machine yet: a/b.", True)
    own = EngineFailed("The graph did not fit.", "Choose another.", setting="A").of_engine("Fake")
    assert (own.fact, own.hint, own.values) == ("The graph did not fit.", "Choose another.", {"setting": "A", "engine": "Fake"})


def test_the_studio_says_the_catalogues_english_with_the_details_and_next_steps_of_programs():
    fact, hint = sentences_in("en").problem("consent_in_use", {"names": ("Ann", "Bob")}, ("", ""))
    error = ConsentInUse(("Ann", "Bob"))
    assert (error.fact, error.hint != hint) == (fact, True) and "voices=delete" in error.hint
    assert str(LexiconFileInvalid(3, "it has 2 cells.")) == "Line 3 of this file does not fit: it has 2 cells."
    with pytest.raises(KeyError, match="most"):
        str(BundleUnusable(sentence="bundle_of_many"))


def test_no_name_breaks_a_line_of_the_log_or_cannot_be_written_there():
    told = SpeakerUnknown("one\ntwo\ud800", ("three\x1b[31m",))
    assert told.fact == "There is no voice “one\\ntwo\\ud800” here."
    assert told.hint == "Did you mean three\\x1b[31m?" and told.values["name"] == "one\ntwo\ud800"


# --- what once reached people as it was raised


def told(error: Exception) -> str:
    """All that the page shows of it."""
    problem = problem_of(error)
    json.dumps(problem)  # it goes to the page
    return f"{problem['fact']} {problem['hint']}"


def refused(studio, **asked) -> str:
    """What the page shows of a request that Gradio's queue, or fetch, was refused."""
    body = {"input": "Hello there.", "voice": "tone", "model": "fake"} | asked
    refusal = [message["refusal"] for message in relayed(studio, Relays(), "page", {"run": "1", "request": body})][-1]
    return " ".join(problem_words(refusal["code"], refusal["values"]))


def test_what_a_schema_refuses_is_told_with_its_field_and_limit_and_not_as_python_has_it(open_studio):
    studio = open_studio()
    assert refused(studio, speed=5.0) == "speed is too large or too long. 4 is the limit. Choose less."
    assert refused(studio, speed=0.1) == "speed is too small or too short. 0.25 is the least. Choose more."
    assert refused(studio, input=None).startswith("The studio does not understand input")


def test_a_voice_that_is_not_there_is_told_without_the_names_and_routes_of_the_api(open_studio):
    studio = open_studio()
    assert refused(studio, voice="nobody") == "There is no voice “nobody” here. Choose another one."
    assert refused(studio, language="Klingon", model="fake").startswith("Fake does not speak Klingon. Choose one of its")


def test_a_hub_that_cannot_be_reached_is_told_without_its_error_number(monkeypatch):
    def unreachable(repository, **options):
        raise LocalEntryNotFoundError("no") if options.get("local_files_only") else OSError("[Errno -2] Name or service not known")

    monkeypatch.setattr(huggingface_hub, "snapshot_download", unreachable)
    weights = HubWeights("owner/model", needed=("model.safetensors",), patterns=("*",))
    with pytest.raises(EngineUnavailable, match="Errno -2") as raised:
        weights.fetch(None, lambda done, total: None, lambda: False)
    assert told(raised.value).startswith("owner/model could not be downloaded. Check that this machine is online")


def test_words_that_do_not_fit_are_told_without_the_cost_of_their_alignment():
    error = TranscriptMismatch(detail="the cost of their alignment is 0.73, and may be 0.62", cost=0.73, most_cost=0.62)
    assert told(error) == "These are not the words of the recording. Correct them, or leave them out."


def test_a_file_that_no_decoder_reads_is_told_without_what_the_decoder_said(monkeypatch):
    def fail(*args, **kwargs):
        raise av.error.ArgumentError(errno.EINVAL, "Invalid argument")

    monkeypatch.setattr(av, "open", fail)
    with pytest.raises(AudioUndecodable, match="no recording that we can read") as raised:
        decode_clip(b"no audio\0" * 100, filename="a.wav", mime_type="audio/wav")
    assert told(raised.value).startswith("This file is no recording that we can read. Use WAV")


def test_an_engine_of_elsewhere_is_told_in_its_own_words_and_without_paths():
    assert (
        told(EngineFailed("The graph did not fit.", "Choose a smaller checkpoint."))
        == "The graph did not fit. Choose a smaller checkpoint."
    )
    assert "/srv" not in told(EngineFailed("No file /srv/secret/weights.bin."))
    assert told(EngineFailed("No “/srv/my secrets/weights.bin” here.", "Look.")) == "No “<path>” here. Look."
    assert told(ZeroDivisionError("division")) == "Something broke in the studio. Nothing you made is lost. Try again."


def test_what_broke_in_an_engine_is_told_without_its_trace():
    assert (
        clean(EngineFailed.at(ValueError("boom\nTraceback (most recent call last)\n  File secret"), "Fake").fact)
        == "Fake could not finish this: boom"
    )


def test_a_figure_of_an_error_stands_in_its_sentence():
    assert told(ClipTooShort(1.43, 3.0)).startswith("Only 1.4 s. 3 s are needed")
    assert told(EngineBusy("Fake", 1, 4)).startswith("1 other waits for Fake,") and told(EngineBusy("Fake", 8, 4)).startswith("8 others")
    assert told(AudioTooLarge(25_000_001, 25_000_000)).startswith("The file has 25.1 MB, and 25.0 MB are the limit.")
