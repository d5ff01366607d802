"""Claims about what a remote engine hears of a server: first sound, formats, rates, ends, hang-ups, many at once."""

import contextvars
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import soxr

from engines.contract.contract import YIELD_POINT
from engines.contract.options import resolve_options
from engines.contract.stream_figures import FAR_TTFP, listening_to
from engines.errors import EngineFailed, EngineUnreachable
from tests.engines.remote.fake_server import Answer, spoken_samples, wav_bytes
from tests.engines.remote.opened import TEXT, expected, prompt_of, said

FORTY_FOUR = 44 + 2 * 4_800  # bytes of a header and 0.2 s


def test_a_speaker_is_heard_as_the_server_says_it_and_is_named_by_a_digest(a_server, opened):
    server = a_server()
    engine = opened(server, model="omni/tts")
    prompt = prompt_of(engine)
    assert np.array_equal(said(engine, prompt, language="de", instructions="calmly", seed=3), expected(prompt))
    [body] = server.speeches()
    [(name, (recording, words))] = server.voices.items()
    assert body == {
        "input": TEXT, "voice": name, "model": "omni/tts", "response_format": "wav", "stream_format": "audio", "task_type": "Base",
        "language": "German", "instructions": "calmly", "seed": 3,
    }  # fmt: skip
    assert name.startswith("studio-") and words == "and then the" and recording == prompt.tensors["recording"].tobytes()


def test_a_preset_is_spoken_by_its_name_and_nothing_is_sent_of_anybody(a_server, opened):
    server = a_server()
    engine = opened(server)
    assert engine.info.presets == ("ryan", "vivian") and engine.info.default_preset == "ryan"
    heard = said(engine, engine.preset("vivian"))
    assert np.array_equal(heard, spoken_samples(TEXT, b"vivian").astype(np.float32) / 32_768)
    assert [body["voice"] for body in server.speeches()] == ["vivian"] and not server.uploaded.is_set()


def test_the_first_sound_is_heard_while_the_server_still_speaks(a_server, opened):
    server = a_server()
    engine = opened(server)
    server.answers = [Answer(n_bytes=FORTY_FOUR, hangs=True)]
    stream = engine.stream(TEXT, prompt_of(engine), resolve_options(engine.info.options, {}))
    heard = next(chunk for chunk in stream if len(chunk))
    assert len(heard) == (9_600 - 44) // 2 and not server.release.is_set()
    stream.close()


def test_a_listener_who_hangs_up_is_noticed_by_the_server_and_the_next_is_served(a_server, opened):
    server = a_server()
    engine = opened(server)
    prompt = prompt_of(engine)
    for n_bytes, begun in ((FORTY_FOUR, True), (0, False)):  # in the midst of it, and before a sound of it
        server.answers, server.hung_up = [Answer(n_bytes=n_bytes, hangs=True)], threading.Event()
        server.reached.clear()
        stream = engine.stream(TEXT, prompt, resolve_options(engine.info.options, {}))
        heard = [next(stream)]
        while not (server.reached.is_set() and (any(map(len, heard)) or not begun)):
            heard.append(next(stream))
        assert begun or all(chunk is YIELD_POINT for chunk in heard)
        stream.close()
        assert server.hung_up.wait(10)
    assert np.array_equal(said(engine, prompt), expected(prompt))
    assert engine.health().state == "well", "who hangs up says nothing of the server"


def test_a_listener_who_hangs_up_while_more_has_come_than_was_heard_is_noticed_too(a_server, opened):
    server = a_server()
    engine = opened(server)
    server.answers = [Answer(hangs=True)]
    stream = engine.stream(TEXT * 30, engine.preset("ryan"), resolve_options(engine.info.options, {}))
    heard = 0
    while not heard:
        heard += len(next(stream))
    stream.close()
    assert server.hung_up.wait(10)


def test_a_speech_that_is_cut_broke_off_and_is_not_begun_again(a_server, opened):
    first, second = a_server(), a_server()
    engine = opened(first, second)
    prompt = prompt_of(engine)
    for server in (first, second):
        server.answers = [Answer(n_bytes=FORTY_FOUR)]
    heard = []
    with pytest.raises(EngineFailed, match="broke off after 200 ms of speech") as failed:
        heard.extend(engine.stream(TEXT, prompt, resolve_options(engine.info.options, {})))
    assert np.array_equal(np.concatenate(heard), expected(prompt)[:4_800])
    assert failed.value.values["sentence"] == "remote_broke_off"
    assert len(first.speeches()) + len(second.speeches()) == 1, "no second take behind sound"


def test_less_than_the_header_promised_and_a_server_that_stands_still_broke_off_too(a_server, opened):
    server = a_server()
    engine = opened(server, gap_seconds=0.1)
    server.answers = [Answer(promises=10**6), Answer(n_bytes=FORTY_FOUR, hangs=True)]
    with pytest.raises(EngineFailed, match=r"broke off after 2\.5 s.*less than it had promised"):
        said(engine, prompt_of(engine))
    with pytest.raises(EngineFailed, match="broke off after 200 ms of speech: it sent nothing for"):
        said(engine, prompt_of(engine))


def test_a_server_that_sends_a_byte_now_and_then_stands_still(a_server, opened):
    server = a_server()
    engine = opened(server, gap_seconds=0.1)
    server.answers = [Answer(n_bytes=FORTY_FOUR, trickles=True)]
    with pytest.raises(EngineFailed, match="broke off after 200 ms of speech: it sent nothing for"):
        said(engine, prompt_of(engine))


def test_nobody_waits_for_what_may_stand_behind_a_sound_that_is_whole(a_server, opened):
    server = a_server()
    engine = opened(server, gap_seconds=600.0)
    sound = spoken_samples("x" * 9, b"any")
    server.answers = [Answer(raw=wav_bytes(sound, n_promised=2 * len(sound)), hangs=True)]
    assert np.array_equal(said(engine, engine.preset("ryan")), sound.astype(np.float32) / 32_768)
    assert server.hung_up.wait(10) and engine.health().state == "well"


def test_a_whole_file_is_heard_with_what_stands_around_its_sound(a_server, opened):
    server = a_server()
    engine = opened(server)
    sound = spoken_samples("x" * 9, b"any")
    file = wav_bytes(sound, n_promised=2 * len(sound))
    listed = b"LIST" + (5).to_bytes(4, "little") + b"hello\0"
    server.answers = [Answer(raw=file[:36] + listed + file[36:] + b"LIST\4\0\0\0tail")]
    assert np.array_equal(said(engine, prompt_of(engine)), sound.astype(np.float32) / 32_768)


def test_sound_at_another_rate_is_resampled_as_one_stream(a_server, opened):
    server = a_server()
    engine = opened(server)
    server.answers = [Answer(rate=44_100)]
    prompt = prompt_of(engine)
    heard = said(engine, prompt)
    sound = spoken_samples(TEXT, prompt.tensors["recording"].tobytes(), 44_100).astype(np.float32) / 32_768
    whole = soxr.resample(sound, 44_100, 24_000, quality="HQ")
    assert len(heard) == len(whole) and np.abs(heard - whole).max() < 1e-4


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (Answer(raw=wav_bytes(np.zeros(9, np.int16), n_channels=2)), "2 channels"),
        (Answer(raw=b"ID3 no WAV at all, but music"), "is no WAV"),
        (Answer(raw=b'{"audio": ""}', kind="application/json"), "is no sound"),
        (Answer(raw=wav_bytes(np.zeros(0, np.int16))), "made no sound"),
    ],
)
def test_what_is_no_speech_is_told_and_the_next_server_asked(a_server, opened, answer, why):
    first, second = a_server(), a_server()
    engine = opened(first, second)
    prompt = engine.preset("ryan")
    first.answers, second.answers = [answer], [answer]
    with pytest.raises(EngineFailed, match=why):
        said(engine, prompt)
    assert (len(first.speeches()), len(second.speeches())) == (1, 1)
    assert len(said(engine, prompt)) and engine.health().state == "well"


def test_servers_that_begin_no_sound_in_time_are_left_and_told_as_unreachable(a_server, opened):
    server = a_server()
    engine = opened(server, first_audio_seconds=0.1)
    prompt = engine.preset("ryan")
    server.answers = [Answer(n_bytes=0, hangs=True), Answer(n_bytes=44, hangs=True)]
    for _ in range(2):
        with pytest.raises(EngineUnreachable):
            said(engine, prompt)


def test_eight_speeches_are_under_way_at_once(a_server, opened):
    """None could end before all are there."""
    server = a_server()
    server.n_together = 8
    engine = opened(server)
    prompt = prompt_of(engine)
    with ThreadPoolExecutor(8) as pool:
        heard = list(pool.map(lambda _: said(engine, prompt), range(8)))
    assert all(np.array_equal(one, expected(prompt)) for one in heard)
    assert server.n_asked("POST", "/v1/audio/voices") == 1, "registered once, whoever asks"


def test_the_time_to_the_first_sound_far_away_is_stated_without_what_came_before_it(a_server, opened):
    """Figures of a stream are stated in the context that advances it; of a server that failed, and of registering, they know nothing."""
    first, second = a_server(), a_server()
    engine = opened(first, second)
    for server in (first, second):
        server.answers = [Answer(status=500, said={"error": {"message": "no"}})]
    stated: list[tuple[str, float]] = []
    context = contextvars.copy_context()
    context.run(listening_to, lambda name, value: stated.append((name, value)))
    with pytest.raises(EngineUnreachable):
        context.run(said, engine, prompt_of(engine))
    assert stated == []
    context.run(said, engine, prompt_of(engine))
    [(name, seconds)] = stated
    assert name == FAR_TTFP and 0 < seconds < 60
