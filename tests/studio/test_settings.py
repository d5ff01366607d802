"""Settings: read once, typed, and strict."""

from pathlib import Path

import pytest
from pydantic import ValidationError

from studio.settings import SettingsInvalid, read_settings


def test_an_empty_environment_gives_the_documented_defaults():
    settings = read_settings({}, engine_ids=("espeak",))
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
            "STUDIO_MAX_WAITING": "5",
            "STUDIO_MAX_AHEAD_SECONDS": "12.5",
            "TWO_CHECKPOINT": "folder",
            "TWO_DEVICE": "cuda:0",
            "TWO_DTYPE": "bfloat16",
        },
        engine_ids=("one", "two"),
    )
    assert str(settings.speakers_dir) == "/somewhere"
    assert (settings.most_speakers, settings.registration_policy) == (3, "immutable")
    assert (settings.cache_max_bytes, settings.cache_max_entries) == (1000, 7)
    assert (settings.engines, settings.default_engine) == (("one", "two"), "two")
    assert (settings.most_waiting, settings.most_ahead_seconds) == (5, 12.5)
    assert settings.for_engine("two").model_dump() == {"checkpoint": "folder", "device": "cuda:0", "dtype": "bfloat16"}
    assert settings.for_engine("one").checkpoint is None


@pytest.mark.parametrize(
    ("environment", "named"),
    [
        ({"STUDIO_ENGINE": "espeak"}, "STUDIO_ENGINE"),
        ({"SPEAKER_CACHE_MAX_BYTES": "lots"}, "SPEAKER_CACHE_MAX_BYTES"),
        ({"SPEAKER_MAX_UPLOADED": "0"}, "SPEAKER_MAX_UPLOADED"),
        ({"VLLM_OMNI_SPEAKER_REGISTRATION_POLICY": "sometimes"}, "VLLM_OMNI_SPEAKER_REGISTRATION_POLICY"),
        ({"STUDIO_ENGINES": "espeak,nope"}, "STUDIO_ENGINES"),
        ({"STUDIO_DEFAULT_ENGINE": "nope"}, "STUDIO_DEFAULT_ENGINE"),
    ],
)
def test_a_wrong_variable_is_refused_by_name(environment, named):
    with pytest.raises(SettingsInvalid, match=named):
        read_settings(environment, engine_ids=("espeak",))


def test_settings_are_frozen():
    with pytest.raises(ValidationError):
        read_settings({}).most_speakers = 5
