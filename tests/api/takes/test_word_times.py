"""word_timestamps: a header of whole files, the last event of streams, the words of kept takes; where nobody can tell, why."""

import json

import pytest

from engines.errors import EngineUnavailable
from engines.kit.alignment.word_alignment import AlignedStretch, WordAlignment
from engines.kit.phonemes import espeak_library
from studio.speech.words import asked_words, word_aligner
from tests.api.door import Door, error_of, events_of
from tests.stand_ins.fake_engine import MARKER, FakeEngine

HEADER, OMITTED = "x-word-timestamps", "x-word-timestamps-omitted"
TEXT = "It costs $5, you see."
KEEP = {"X-Studio-Keep": "1"}


@pytest.fixture
def marking(open_door) -> Door:
    return open_door(FakeEngine(MARKER))


def test_a_whole_file_has_them_in_a_header_as_vllm_omni_has(marking):
    answer = marking.speak(TEXT, word_timestamps=True)
    words = json.loads(answer.headers[HEADER])
    assert [word["word"] for word in words] == ["It", "costs", "$5", "you", "see"]
    assert words[1] == {"word": "costs", "start_ms": 150, "end_ms": 400}
    assert answer.content == marking.speak(TEXT).content, "no sample is another for that"
    assert HEADER not in marking.speak(TEXT).headers
    assert json.loads(marking.speak("Größe €5", word_timestamps=True).headers[HEADER])[0]["word"] == "Größe"


def test_what_is_more_than_4_kb_is_left_out_and_said_so(marking):
    answer = marking.speak("word " * 200, word_timestamps=True)
    assert HEADER not in answer.headers
    kind, n_bytes, limit = answer.headers[OMITTED].split("; ")
    assert (kind, limit) == ("oversize", "limit=4096") and int(n_bytes.removeprefix("bytes=")) > 4096


@pytest.mark.slow
def test_the_last_event_of_a_stream_has_all_of_them_with_their_places(marking):
    (_, last), text = events_of(marking.speak(TEXT * 40, word_timestamps=True, stream=True, response_format="pcm").text)[-1], TEXT * 40
    words = last["word_timestamps"]
    assert len(words) > 150 and [text[word["from"] : word["to"]] for word in words] == [word["word"] for word in words]
    assert words[2]["said"] == "five dollars" and "said" not in words[0]
    assert "word_timestamps" not in events_of(marking.speak(TEXT, stream=True, response_format="pcm").text)[-1][1]


def test_a_sound_in_which_nobody_finds_the_words_says_why(door, monkeypatch):
    monkeypatch.setattr(word_aligner, "LEAST_SCORE", 0.0)
    answer = door.speak(TEXT, word_timestamps=True)
    assert answer.status_code == 200 and answer.headers[OMITTED].startswith("word_times_unknown; What is heard does not fit the text")
    last = events_of(door.speak(TEXT, word_timestamps=True, stream=True, response_format="pcm").text)[-1][1]
    assert last["word_timestamps"] is None and last["word_timestamps_omitted"]["reason_code"] == "word_times_unknown"


def test_a_raw_stream_has_no_place_for_them_and_is_refused_with_the_next_step(marking):
    error = error_of(marking.speak(TEXT, word_timestamps=True, stream_format="audio"))
    assert (error["param"], error["reason_code"]) == ("word_timestamps", "unsupported") and "stream_format='sse'" in error["hint"]
    answer = marking.post("/openai/v1/audio/speech", json={"input": TEXT, "word_timestamps": True, "stream": False})
    assert answer.status_code == 200 and HEADER in answer.headers


def test_where_nobody_can_tell_it_is_refused_and_by_a_strictly_compatible_server_in_vllms_words(open_door, monkeypatch):
    def lacking():
        raise EngineUnavailable("eSpeak NG cannot be loaded.")

    monkeypatch.setattr(espeak_library, "load", lacking)
    assert error_of(open_door().speak(word_timestamps=True))["hint"].startswith("pip install espeakng-loader")
    strict = open_door(strict_compat=True)
    message = "word_timestamps=true requires the server to be launched with --forced-aligner."
    assert error_of(strict.speak(word_timestamps=True))["message"] == message
    monkeypatch.setattr(asked_words, "can_align", lambda: True)
    monkeypatch.setattr(word_aligner, "align_words", lambda *given: WordAlignment((AlignedStretch(0, 5, 0.1, 0.2, -1.0),), -1.0))
    assert json.loads(strict.speak(word_timestamps=True).headers[HEADER]) == [{"word": "hello", "start_ms": 100, "end_ms": 200}]
    message = (
        "word_timestamps=true is currently supported by the WebSocket /v1/audio/speech/stream path. "
        "Use session.config with stream_audio=true and response_format='pcm'."
    )
    assert error_of(strict.speak(word_timestamps=True, stream=True, response_format="pcm"))["message"] == message


# --- of kept takes


def kept(door: Door, text: str = TEXT) -> str:
    take = door.post("/v1/audio/speech", json={"input": text}, headers=KEEP).headers["x-studio-kept"]
    door.studio.history.settle()
    return take


def test_a_take_has_its_words_and_an_old_one_is_read_and_has_them_looked_for(open_door, marking, monkeypatch):
    take = kept(marking)
    told = marking.get(f"/v1/studio/takes/{take}/words").json()
    assert (told["take"], told["text"]) == (take, TEXT)
    assert told["words"][2] == {"start": 0.45, "end": 1.1, "written": "$5", "said": "five dollars", "from": 9, "to": 11, "guessed": False}
    facts = marking.studio.history.directory / f"{take}.json"
    facts.write_text(json.dumps({name: value for name, value in json.loads(facts.read_text()).items() if name != "words"}))
    marking.close()
    again = open_door(FakeEngine(MARKER))
    assert again.studio.history.entry(take).words is None
    with monkeypatch.context() as patched:
        patched.setattr(word_aligner, "LEAST_SCORE", 0.0)
        unknown = again.get(f"/v1/studio/takes/{take}/words").json()
        assert unknown["words"] is None and unknown["why"].startswith("word_times_")
    found = WordAlignment((AlignedStretch(0, 2, 0.1, 0.2, -1.0),), -1.0)
    monkeypatch.setattr(word_aligner, "align_words", lambda *given: found)
    assert [word["written"] for word in again.get(f"/v1/studio/takes/{take}/words").json()["words"]] == ["It"]
    assert again.studio.history.entry(take).words[0].end_seconds == 0.2, "what was found is kept"


def test_a_take_that_nobody_has_is_unknown(marking):
    assert marking.get("/v1/studio/takes/00/words").status_code == 404
