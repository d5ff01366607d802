"""Our remote engine before real vLLM-Omni 0.30.0 routers: whose voice is heard, what is told whom, what becomes of it when they die.

PYTHON_OFFICIAL=/path/to/python python -m pytest -n 0 tests/parity/remote
"""

import json
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager

import httpx
import numpy as np
import pytest

from engines.catalog import open_engine
from engines.clips.clip import Clip, Transcript
from engines.contract.options import resolve_options
from engines.errors import EngineFailed, EngineUnavailable, TranscriptRequired
from tests.parity.remote.conftest import KEY, MOST_SPEAKERS
from tests.parity.remote.router_process import until

pytestmark = pytest.mark.timeout(900)  # all of vLLM is imported first

RATE = 24_000
HEADER = bytes.fromhex("52494646ffffffff57415645666d74201000000001000100c05d000080bb00000200100064617461ffffffff")
WORDS = Transcript("Some words.", "en")


@pytest.fixture
def engine(pair):
    with opened(pair) as engine:
        yield engine


@contextmanager
def opened(routers, **options):
    engine = open_engine("remote_tones", checkpoint=" ".join(router.url for router in routers), options=options)
    try:
        yield engine
        engine.keep_only([])
    finally:
        engine.close()


def prompt_of(engine, hz, words=None):
    times = np.arange(3 * RATE) / RATE
    return engine.extract(Clip((0.3 * np.sin(2 * np.pi * hz * times)).astype(np.float32), RATE), words)


def stream_of(engine, text, prompt):
    return closing(engine.stream(text, prompt, resolve_options(engine.info.options, {})))


def heard(engine, text, prompt):
    with stream_of(engine, text, prompt) as stream:
        return np.concatenate(list(stream))


def pitch_of(samples):
    """Hz of the strongest tone, and the third harmonic's share of it."""
    spectrum = np.abs(np.fft.rfft(samples * np.hanning(len(samples))))
    peak = int(np.argmax(spectrum))
    return round(peak * RATE / len(samples)), spectrum[3 * peak - 3 : 3 * peak + 4].max() / spectrum[peak]


def speak(url, **body):
    asked = {"input": "Hello there.", "response_format": "wav", "stream_format": "audio"} | body
    return httpx.post(f"{url}/v1/audio/speech", json=asked)


def listed(url, key=""):
    answer = httpx.get(f"{url}/v1/audio/voices", headers={"Authorization": f"Bearer {key}"} if key else {})
    return {one["name"] for one in answer.json()["uploaded_voices"]}


def test_everyone_is_heard_in_the_own_pitch_with_words_and_without(engine):
    asked = [(hz, words) for hz in (200, 310, 420, 530) for words in (None, WORDS)] * 2
    prompts = {pair: prompt_of(engine, *pair) for pair in asked}
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda pair: pitch_of(heard(engine, "Eight at once.", prompts[pair])), asked))
    for (hz, words), (pitch, harmonic) in zip(asked, answers, strict=True):
        assert pitch == pytest.approx(hz, abs=2)
        assert (harmonic > 0.1) == (words is not None)  # in context with the words, by embedding without


def test_a_server_that_was_made_to_forget_a_speaker_is_given_it_again(engine, pair):
    prompt = prompt_of(engine, 250)
    heard(engine, "Once.", prompt)
    router = next(router for router in pair if router.events("asked", "Once."))
    (name,) = listed(router.url)
    httpx.delete(f"{router.url}/v1/audio/voices/{name}").raise_for_status()
    assert pitch_of(heard(engine, "Twice.", prompt))[0] == pytest.approx(250, abs=2)
    assert len(router.events("asked", "Twice.")) == 1
    assert listed(router.url) == {name}


def test_a_deletion_reaches_every_server(engine, pair):
    prompt = prompt_of(engine, 260)
    engine.prepare(prompt)
    engine.prepare(kept := prompt_of(engine, 270))
    assert [len(listed(router.url)) for router in pair] == [2, 2]
    engine.keep_only([kept.source_digest])
    assert [len(listed(router.url)) for router in pair] == [1, 1]
    engine.forget(kept.content_digest)
    assert [len(listed(router.url)) for router in pair] == [0, 0]


def test_a_listener_who_hangs_up_stops_the_model(engine, pair):
    text = "A long speech that is not listened to. " * 20
    with stream_of(engine, text, prompt_of(engine, 280)) as stream:
        next(chunk for chunk in stream if len(chunk))
    until(lambda: any(router.events("abandoned", text) for router in pair))
    (event,) = [event for router in pair for event in router.events("abandoned", text)]
    assert event["seconds"] < 0.06 * len(text) / 2


def test_a_death_before_the_first_sound_is_another_servers_work_and_one_behind_it_ends_the_speech(pair):
    early, late = "Begin after 600 seconds.", "A long speech. " * 60
    with opened(pair) as engine:
        prompt, other = prompt_of(engine, 320), prompt_of(engine, 330)
        engine.prepare(prompt), engine.prepare(other)

        with stream_of(engine, early, prompt) as stream:
            asked = asked_in_turn(stream, pair, early)
        assert asked[1].events("asked", early)[0]["hz"] == pytest.approx(320, abs=2)

        engine.forget(other.content_digest)  # which the dead server cannot be told
        asked[0].start()
        until(lambda: len(listed(asked[0].url)) == 1)  # the debt was delivered, and no other

        with stream_of(engine, late, prompt) as stream, pytest.raises(EngineFailed, match="broke off"):
            next(chunk for chunk in stream if len(chunk))
            first = next(router for router in pair if router.events("asked", late))
            first.kill()
            list(stream)
        assert sum(len(router.events("asked", late)) for router in pair) == 1  # no second take
        shutil.rmtree(first.folder / "speakers")  # it comes back empty
        first.start()
        assert pitch_of(heard(engine, "Back again.", prompt))[0] == pytest.approx(320, abs=2)


def test_a_server_whose_places_are_taken_makes_room_and_one_with_a_key_is_not_spoken_to_without(fish):
    with opened([fish], key=KEY, transcript="required") as engine:
        for hz in (200, 300, 400):
            assert pitch_of(heard(engine, "One of three.", prompt_of(engine, hz, WORDS)))[0] == pytest.approx(hz, abs=2)
        assert len(listed(fish.url, KEY)) == MOST_SPEAKERS
        with pytest.raises(TranscriptRequired):
            prompt_of(engine, 500)
    with pytest.raises(EngineUnavailable) as refused, opened([fish], key="another"):
        pass
    assert "REMOTE_TONES_KEY" in refused.value.hint


def test_what_the_routers_say(pair, fish):
    """The bytes and sentences that engines/remote/wire.py is written for."""
    url = pair[0].url
    clip = {"files": {"audio_sample": ("a.wav", b"not a recording", "audio/wav")}}
    refused = httpx.post(f"{url}/v1/audio/voices", data={"name": "a", "consent": "studio"}, **clip)
    assert refused.json()["error"]["message"].startswith("Could not decode audio file: ")
    variant = "Qwen3-TTS Base checkpoint does not support task_type='CustomVoice'. "
    variant += "Use task_type='Base' or load the matching CustomVoice checkpoint."
    assert said(speak(url, voice="studio-nobody")) == (400, variant)
    unlisted = "Base task with built-in speaker 'studio-nobody' requires 'ref_audio' for voice cloning"
    assert said(speak(url, voice="studio-nobody", task_type="Base")) == (400, unlisted)
    assert said(speak(url, model="other")) == (404, "The model `other` does not exist.")
    assert said(httpx.delete(f"{url}/v1/audio/voices/nobody")) == (404, "Voice 'nobody' not found")
    assert httpx.get(f"{fish.url}/v1/audio/voices").json() == {"error": "Unauthorized"}
    assert httpx.get(f"{fish.url}/health").json() == {"status": "healthy"}
    with opened(pair) as engine:
        engine.prepare(prompt_of(engine, 290))
        (name,) = listed(url)
        answer = speak(url, voice=name)
        assert (answer.content[:44], answer.headers["content-type"]) == (HEADER, "audio/wav")


def test_the_figures_are_made_of_every_way_and_of_a_death(pair):
    """That they can be: the figures themselves are for people."""
    command = [sys.executable, "-m", "studio.measure.server.remote_figures", "--runs", "1", "--at-once", "2", "--servers"]
    ran = subprocess.run([*command, *(router.url for router in pair)], capture_output=True, text=True, check=True, timeout=240)
    figures = json.loads(ran.stdout.splitlines()[-1])
    assert figures["at_once_2"]["ttfp_seconds"].keys() >= {"inline", "name", "engine", "studio"}
    assert 500 * figures["bytes_by_engine"] < figures["at_once_2"]["sent_bytes"]["inline"]
    assert figures["failover"].keys() == {"well_seconds", "dies_before_audio_seconds", "is_gone_seconds"}
    assert [listed(router.url) for router in pair] == [set(), set()]  # nothing is left behind


def asked_in_turn(stream, pair, text):
    """Who is asked for a text of which no sound comes; the first is killed when it has been."""
    asked = []
    while len(asked) < 2:
        assert not len(next(stream))
        asked += [router for router in pair if router not in asked and router.events("asked", text)]
        if len(asked) == 1:
            asked[0].kill()
    return asked


def said(answer):
    return answer.status_code, answer.json()["error"]["message"]
