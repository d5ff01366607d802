"""Claims about what a remote engine declares before it is opened, what it refuses to be opened with, and how it reads lists."""

import io
import wave

import httpx
import numpy as np
import pytest

from engines.catalog import engine_info, open_engine
from engines.clips.clip import Clip
from engines.errors import EngineUnavailable, OptionInvalid, TranscriptRequired
from engines.remote.addresses import base_addresses
from engines.remote.engine import recording_of
from engines.remote.wire import SpeechWire, said_in
from tests.engines.remote.opened import clip_of, prompt_of


def test_addresses_are_taken_with_paths_and_without_what_clients_add():
    assert base_addresses("http://10.0.0.5:8091  https://TTS.example/prefix/ http://[::1]:8/v1/") == (
        "http://10.0.0.5:8091", "https://tts.example/prefix", "http://[::1]:8",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("said", "why"),
    [
        (None, "No address"), ("  ", "No address"), ("10.0.0.5:8091", "no address that begins"), ("ftp://a", "no address that begins"),
        ("http://", "no address that begins"), ("http://a:port", "no address"), ("http://me:secret@a", "name or password"),
        ("http://a?key=secret", "behind a"), ("http://a#b", "behind a"), ("http://a http://b http://a/v1", "twice"),
    ],
)  # fmt: skip
def test_what_is_no_address_is_refused_without_its_secrets(said, why):
    with pytest.raises(OptionInvalid, match=why) as refused:
        base_addresses(said)
    assert "secret" not in repr(refused.value) + repr(refused.value.values)


def test_what_is_declared_follows_the_options():
    info = engine_info("remote_gpu", "http://10.0.0.5:8091", {})
    assert (info.id, info.title, info.runs, info.is_deterministic, info.clones_clips) == (
        "remote_gpu",
        "Remote: 10.0.0.5:8091",
        "elsewhere",
        False,
        True,
    )
    given = {"title": "Far", "languages": "en, de,en", "presets": "a,b", "transcript": "required", "sample_rate": 48_000}
    info = engine_info("remote_gpu", "http://10.0.0.5:8091", given)
    assert (info.title, info.languages, info.presets, info.default_preset) == ("Far", ("en", "de"), ("a", "b"), "a")
    assert (info.transcript, info.sample_rate, info.options[0].choices) == ("required", 48_000, ("en", "de"))
    assert engine_info("remote_gpu", None, {"model": "m"}).title == "Remote: m"
    plain = engine_info("remote_gpu", None, {"dialect": "openai", "model": "tts"})
    assert not plain.clones_clips and [option.name for option in plain.options] == ["instructions"]


def test_what_cannot_be_opened_is_refused_before_anybody_is_asked():
    for options, why in (({"key": "a b"}, "blanks"), ({"key": "schlüssel"}, "ASCII"), ({"dialect": "openai"}, "REMOTE_GPU_MODEL")):
        with pytest.raises(OptionInvalid) as refused:
            open_engine("remote_gpu", checkpoint="http://127.0.0.1:9", options=options)
        assert why in refused.value.fact + refused.value.hint and "schlüssel" not in repr(refused.value)
    with pytest.raises(EngineUnavailable, match="cuda"):
        open_engine("remote_gpu", checkpoint="http://127.0.0.1:9", device="cuda:0")


def test_a_prompt_is_of_the_model_and_the_name_and_of_no_address(a_server, opened):
    one, other, third = opened(a_server(), model="omni/tts"), opened(a_server(), model="omni/tts"), opened(a_server())
    assert prompt_of(one).content_digest == prompt_of(other).content_digest != prompt_of(third).content_digest
    with pytest.raises(TranscriptRequired):
        opened(a_server(), transcript="required").extract(clip_of())
    assert prompt_of(opened(a_server(), transcript="unused")).transcript is None


def test_a_recording_is_sent_as_it_is_up_to_48_kilohertz_and_never_clipped():
    loud = (1.5 * np.sin(np.arange(96_000) / 30)).astype(np.float32)
    for rate, sent in ((8_000, 8_000), (44_100, 44_100), (96_000, 48_000)):
        file = recording_of(Clip(loud, rate))
        assert np.array_equal(file, recording_of(Clip(loud, rate)))
        with wave.open(io.BytesIO(file.tobytes())) as read:
            assert (read.getframerate(), read.getnchannels(), read.getsampwidth()) == (sent, 1, 2)
            samples = np.frombuffer(read.readframes(read.getnframes()), "<i2")
        assert len(samples) == len(loud) * sent // rate
        assert 32_700 < np.abs(samples).max() <= 32_767 and (np.abs(samples) == 32_767).sum() < 1_000


def test_a_list_that_is_none_does_not_say_that_a_speaker_is_lost():
    deep = httpx.Response(200, content=b"[" * 200_000)
    assert said_in(deep) is None and said_in(httpx.Response(200, content=b"<html>")) is None


def test_what_studios_registered_is_never_a_built_in_speaker_of_a_server_whose_list_tells_them_not_apart():
    listed = {"voices": ["ryan", f"studio-{7:032x}", f"STUDIO-{8:032x}", "studio-ryan", "default"]}
    assert SpeechWire("vllm_omni", "").presets(listed) == ("ryan", "studio-ryan")
