"""Settings: read once, typed, and strict."""

import os
import sys
from pathlib import Path

import pytest
from pydantic import ValidationError

from engines.contract.options import Option
from studio.settings import Settings, SettingsInvalid, read_settings
from studio.settings.telemetry import refuse_telemetry

SILENCE = Option("silence_seconds", "float", 0.0, "Silence behind a clip.", minimum=0.0, maximum=2.0)
COMPILE = Option("compile", "bool", False, "Whether to compile.")
TUNING = Option("tuning", "text", "", "A folder.", maximum=40)
ENGINES = {"espeak": (), "two": (SILENCE, COMPILE, TUNING)}


def test_an_empty_environment_gives_the_documented_defaults():
    settings = read_settings({}, engines={"espeak": ()})
    assert settings.speakers_dir == Path("~/.cache/vllm-omni/speakers").expanduser()
    assert (settings.cache_max_bytes, settings.cache_max_entries, settings.most_speakers) == (512 * 1024**2, 1024, 1000)


def test_every_variable_reaches_its_field():
    settings = read_settings(
        {
            "SPEAKER_SAMPLES_DIR": "/somewhere",
            "SPEAKER_MAX_UPLOADED": "3",
            "VLLM_OMNI_SPEAKER_REGISTRATION_POLICY": "immutable",
            "SPEAKER_CACHE_MAX_BYTES": "1000",
            "SPEAKER_CACHE_MAX_ENTRIES": "7",
            "STUDIO_ENGINES": "one, two",
            "STUDIO_DEFAULT_ENGINE": "two",
            "STUDIO_MODEL_ALIASES": "tts-1=one, org/Two=two,",
            "STUDIO_MAX_WAITING": "5",
            "STUDIO_MAX_AHEAD_SECONDS": "12.5",
            "STUDIO_MAX_TEXT_CHARACTERS": "500",
            "STUDIO_MAX_BATCH_ITEMS": "4",
            "STUDIO_UNLOAD_AFTER_MINUTES": "2.5",
            "STUDIO_WARM_UPLOADS": "false",
            "STUDIO_API_KEYS": "first, second",
            "STUDIO_CORS_ORIGINS": "https://a.example,https://b.example",
            "STUDIO_ALLOW_REMOTE_AUDIO": "1",
            "STUDIO_ALLOWED_LOCAL_MEDIA": "~/clips",
            "STUDIO_STRICT_COMPAT": "1",
            "SPACES_ZERO_GPU": "true",
            "TWO_CHECKPOINT": "folder",
            "TWO_DEVICE": "cuda:0",
            "TWO_DTYPE": "bfloat16",
            "TWO_SILENCE_SECONDS": "0.5",
            "TWO_COMPILE": "on",
            "TWO_TUNING": " 2024 ",
            "ONE_COMPILE": "no option of this one",
        },
        engines={"one": (), "two": (SILENCE, COMPILE, TUNING)},
    )
    assert str(settings.speakers_dir) == "/somewhere"
    assert (settings.most_speakers, settings.registration_policy) == (3, "immutable")
    assert (settings.cache_max_bytes, settings.cache_max_entries) == (1000, 7)
    assert (settings.engines, settings.default_engine) == (("one", "two"), "two")
    assert settings.model_aliases == {"tts-1": "one", "org/Two": "two"}
    assert (settings.most_waiting, settings.most_ahead_seconds) == (5, 12.5)
    assert (settings.most_text_characters, settings.most_batch_items, settings.warm_uploads) == (500, 4, False)
    assert settings.cors_origins == ("https://a.example", "https://b.example")
    assert (settings.allow_remote_audio, settings.allowed_local_media) == (True, Path("~/clips").expanduser())
    assert settings.strict_compat
    assert (settings.unload_after_minutes, settings.zero_gpu) == (2.5, True)
    options = {"silence_seconds": 0.5, "compile": True, "tuning": "2024"}
    assert settings.for_engine("two").model_dump() == {"checkpoint": "folder", "device": "cuda:0", "dtype": "bfloat16", "options": options}
    assert settings.for_engine("one").options == {}
    assert settings.for_engine("one").checkpoint is None


def test_idle_engines_are_unloaded_on_a_space_unless_it_says_otherwise():
    space = {"SPACE_ID": "someone/voices"}
    told = [read_settings(environment).unload_after_minutes for environment in ({}, space, space | {"STUDIO_UNLOAD_AFTER_MINUTES": "0"})]
    assert told == [0, 10, 0]


@pytest.mark.parametrize(
    ("environment", "named"),
    [
        ({"STUDIO_ENGINE": "espeak"}, "STUDIO_ENGINE"),
        ({"SPEAKER_CACHE_MAX_BYTES": "lots"}, "SPEAKER_CACHE_MAX_BYTES"),
        ({"SPEAKER_MAX_UPLOADED": "0"}, "SPEAKER_MAX_UPLOADED"),
        ({"VLLM_OMNI_SPEAKER_REGISTRATION_POLICY": "sometimes"}, "VLLM_OMNI_SPEAKER_REGISTRATION_POLICY"),
        ({"STUDIO_UNLOAD_AFTER_MINUTES": "inf"}, "STUDIO_UNLOAD_AFTER_MINUTES"),
        ({"STUDIO_ENGINES": "espeak,nope"}, "STUDIO_ENGINES"),
        ({"STUDIO_DEFAULT_ENGINE": "nope"}, "STUDIO_DEFAULT_ENGINE"),
        ({"STUDIO_MODEL_ALIASES": "tts-1=nope"}, "STUDIO_MODEL_ALIASES has 'tts-1' for 'nope'; the offered engines are espeak, two"),
        ({"STUDIO_MODEL_ALIASES": "tts-1=two", "STUDIO_ENGINES": "espeak"}, "STUDIO_MODEL_ALIASES has 'tts-1' for 'two'"),
        ({"STUDIO_MODEL_ALIASES": "two=espeak"}, "STUDIO_MODEL_ALIASES has 'two', which is an engine's own id"),
        ({"STUDIO_MODEL_ALIASES": "tts-1=two,tts-1=espeak"}, "STUDIO_MODEL_ALIASES has 'tts-1' twice, for 'two' and for 'espeak'"),
        *(({"STUDIO_MODEL_ALIASES": text}, "STUDIO_MODEL_ALIASES has '.*'; write name=engine") for text in ("tts-1", "=two", "tts-1=")),
        ({"TWO_SILENCE_SECONDS": "2.5"}, "TWO_SILENCE_SECONDS='2.5': .* from 0.0 to 2.0"),
        ({"TWO_SILENCE_SECONDS": "much"}, "TWO_SILENCE_SECONDS"),
        ({"TWO_COMPILE": "maybe"}, "TWO_COMPILE='maybe': .* true or false"),
        ({"TWO_TUNING": "x" * 41}, "TWO_TUNING='x*': tuning has 41 characters, and 40 are the limit"),
    ],
)
def test_a_wrong_variable_is_refused_by_name(environment, named):
    with pytest.raises(SettingsInvalid, match=named):
        read_settings(environment, engines=ENGINES)


def test_settings_are_frozen():
    with pytest.raises(ValidationError):
        read_settings({}).most_speakers = 5


def test_keys_are_read_and_never_shown():
    settings = read_settings({"STUDIO_API_KEYS": "first, second"})
    assert settings.api_keys == ("first", "second")
    assert "first" not in repr(settings)


WRITTEN = (
    {},
    {"SPEAKER_SAMPLES_DIR": "~/voices", "STUDIO_ALLOWED_LOCAL_MEDIA": "~", "STUDIO_SPACE_STORAGE": "~/storage"},
    {"STUDIO_API_KEYS": "first, second,", "STUDIO_HOSTS": "a, b", "STUDIO_CORS_ORIGINS": "*", "STUDIO_ACCEPT_LICENCES": "two"},
    {"STUDIO_API_KEYS": "ana:first", "STUDIO_ENGINES": "espeak,two"},
    {"STUDIO_REMOTES": "gpu=http://a:8091/ http://b, tts=https://c", "STUDIO_MODEL_ALIASES": "tts-1=remote_gpu"},
    {"STUDIO_WARM_UPLOADS": "no", "STUDIO_MAX_AHEAD_SECONDS": "2.5", "STUDIO_MAX_WAITING": "3"},
    {"SPACE_ID": "a/b", "STUDIO_SPACE_STORAGE": "/nowhere"},
    {"SPACE_ID": "a/b", "SPEAKER_SAMPLES_DIR": "/nowhere/mine", "STUDIO_SPACE_STORAGE": "/nowhere"},
    {"SPACE_ID": "a/b", "STUDIO_WORKSPACES": "shared", "STUDIO_WORKSPACE_HOURS": "3", "STUDIO_FRAME_ORIGINS": "https://a"},
)


@pytest.mark.parametrize("environment", WRITTEN)
def test_a_field_takes_what_is_written_into_its_variable(environment):
    """So that whoever makes Settings in Python has the same as whoever sets the environment."""
    titles = {field.title: name for name, field in Settings.model_fields.items()}
    assert Settings(**{titles[title]: value for title, value in environment.items()}) == read_settings(environment)


def test_a_home_is_a_home_wherever_it_is_set(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    assert Settings().speakers_dir == tmp_path / ".cache/vllm-omni/speakers"
    assert Settings(speakers_dir="~/x").speakers_dir == tmp_path / "x" == Settings(speakers_dir=Path("~/x")).speakers_dir
    assert Settings(allowed_local_media="~/x").allowed_local_media == tmp_path / "x"
    with pytest.raises(SettingsInvalid, match=r"SPEAKER_SAMPLES_DIR='~nobody-of-that-name/x': .* has the folder '~nobody-of-that-name'"):
        read_settings({"SPEAKER_SAMPLES_DIR": "~nobody-of-that-name/x"})


def test_windows_refuses_a_folder_of_recordings_that_it_cannot_guard(monkeypatch):
    monkeypatch.setattr(sys, "platform", "win32")
    with pytest.raises(SettingsInvalid, match="STUDIO_ALLOWED_LOCAL_MEDIA does not go on Windows"):
        read_settings({"STUDIO_ALLOWED_LOCAL_MEDIA": "clips"})


def test_settings_in_python_are_checked_as_those_of_the_environment():
    for wrong in ({"default_engine": "nope", "engines": ("espeak",)}, {"model_aliases": "tts-1"}):
        with pytest.raises(ValidationError, match="STUDIO_"):
            Settings(**wrong)


def test_what_is_set_otherwise_wins_over_the_environment_and_is_named_as_it_was_set():
    environment = {"STUDIO_MAX_WAITING": "3", "STUDIO_ENGINES": "espeak", "STUDIO_MAX_BATCH_ITEMS": "4"}
    settings = read_settings(environment, engines=ENGINES, own={"most_waiting": 5, "engines": ["espeak", "two"]})
    assert (settings.most_waiting, settings.engines, settings.most_batch_items) == (5, ("espeak", "two"), 4)
    for own, told in (
        ({"most_waiting": 0}, "most_waiting=0: "),
        ({"most_waits": 1}, "Unknown setting most_waits. Known: accept_licenses, "),
    ):
        with pytest.raises(SettingsInvalid, match=f"^{told}"):
            read_settings(environment, own=own)


def test_a_key_of_the_wrong_kind_is_one_error():
    with pytest.raises(SettingsInvalid, match=r"^api_keys=5: "):
        read_settings({}, own={"api_keys": 5})


def test_libraries_are_told_to_tell_nobody_unless_somebody_wants_it(monkeypatch):
    monkeypatch.delenv("ORT_DISABLE_TELEMETRY", raising=False)
    refuse_telemetry()
    assert os.environ["ORT_DISABLE_TELEMETRY"] == "1"
    monkeypatch.setenv("ORT_DISABLE_TELEMETRY", "0")
    refuse_telemetry()
    assert os.environ["ORT_DISABLE_TELEMETRY"] == "0"
