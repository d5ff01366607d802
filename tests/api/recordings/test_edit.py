"""POST /v1/studio/edit: a recording in, the same one out, in which something else is said."""

import io
import json
from dataclasses import replace

import numpy as np
import pytest
import soundfile
import soxr

from engines.contract.editing import edited_words
from engines.kit.phonemes import espeak_library
from tests.api.door import Door, error_of, samples_of, wav
from tests.api.speech.test_answers import TYPES
from tests.stand_ins.fake_engine import EDITOR, FakeEngine
from tests.stand_ins.whisper_stand_in import install

PATH = "/v1/studio/edit"
RATE = 22_050
WORDS = "The meeting starts at nine on Monday morning."
OTHER_DAY = {"kind": "replace", "start": 30, "end": 36, "text": "Friday"}


def said(text: str, rate: int) -> np.ndarray:
    """(T,) float32 in which the words of the text are found."""
    espeak_library.load()
    samples = espeak_library.speak(text, "en").samples
    return np.asarray(soxr.resample(samples / np.abs(samples).max() / 2, espeak_library.SAMPLE_RATE, rate), np.float32)


class Speaker(FakeEngine):
    """Says all of it in words, which are found in its sound."""

    def __init__(self):
        super().__init__(replace(EDITOR, marks_words=False))

    def edit(self, clip, change, prompt, options):
        self.changes.append(change)
        yield said(edited_words(change, self.info.edits).text, self.info.sample_rate)


@pytest.fixture(scope="module")
def recording() -> bytes:
    """16 bits, in which WORDS are found."""
    file = io.BytesIO()
    soundfile.write(file, said(WORDS, RATE), RATE, format="WAV", subtype="PCM_16")
    return file.getvalue()


@pytest.fixture
def door(open_door) -> Door:
    return open_door(FakeEngine(), FakeEngine(EDITOR))


def edit(door: Door, recording: bytes, *operations: dict, **fields: str):
    data = {"words": WORDS, "operations": json.dumps(operations or [OTHER_DAY])} | fields
    return door.post(PATH, files={"file": ("a.wav", recording, "audio/wav")}, data=data)


def sixteen_bits(data: bytes) -> np.ndarray:
    return soundfile.read(io.BytesIO(data), dtype="int16")[0]


@pytest.mark.slow
def test_what_is_not_new_has_the_recordings_bits_at_its_rate(open_door, recording):
    door, source = open_door(FakeEngine(), Speaker()), sixteen_bits(recording)
    for response_format in ("wav", "flac"):
        answer = edit(door, recording, response_format=response_format)
        assert (answer.status_code, answer.headers["x-sample-rate"], answer.headers["x-speech-engine"]) == (200, str(RATE), "editor")
        [[start, end]] = json.loads(answer.headers["x-edited"])
        changed = sixteen_bits(answer.content)
        assert 1.2 < start < end < len(changed) / RATE - 0.2
        n_before, n_behind = int(start * RATE) - 22, len(changed) - int(end * RATE) - 22  # the header counts milliseconds
        assert np.array_equal(changed[:n_before], source[:n_before]) and np.array_equal(changed[-n_behind:], source[-n_behind:])
    assert int(answer.headers["x-audio-duration-ms"]) == pytest.approx(1000 * len(changed) / RATE, abs=1)


def test_each_format_and_rate_holds_it(door, recording):
    for response_format in ("wav", "flac", "mp3", "opus"):
        answer = edit(door, recording, {"kind": "denoise"}, response_format=response_format, sample_rate="16000")
        assert (answer.status_code, answer.headers["content-type"], answer.headers["x-sample-rate"]) == (
            200,
            TYPES[response_format],
            "16000",
        )
        samples, rate = samples_of(answer.content)
        assert len(samples) / rate == pytest.approx(0.05 * len(WORDS), abs=0.1)
        assert json.loads(answer.headers["x-edited"]) == [[0.0, pytest.approx(0.05 * len(WORDS), abs=0.001)]]


def test_what_a_kind_takes_stands_beside_it_or_in_values(door, recording):
    for told in ({"type": "sad", "level": 3}, {"values": {"type": "sad", "level": 3}}):
        assert edit(door, recording, {"kind": "emotion", "start": 0, "end": 11} | told, whole="true").status_code == 200
        assert dict(door.engines["editor"].changes[-1].operations[0].values) == {"type": "sad", "level": 3}
    assert edit(door, recording, {"kind": "pause", "start": 12}, whole="true").status_code == 200


@pytest.mark.parametrize(
    ("fields", "refusal"),
    [
        ({"operations": "[]"}, (400, "operations", "edit_invalid")),
        ({"operations": '[{"kind": "shout"}]'}, (400, "operations", "edit_invalid")),
        ({"operations": '[{"kind": "pause", "start": 4, "level": 9}]'}, (400, "level", "option_invalid")),
        ({"operations": '[{"kind": "remove", "old": "ing"}]'}, (400, "operations", "schema_invalid")),  # twice
        ({"operations": "[1]"}, (400, "body.operations.0", "schema_invalid")),
        ({"operations": "no JSON"}, (400, "body.operations", "schema_invalid")),
        ({"words": "auto"}, (400, "words", "edit_invalid")),  # nobody here writes them down
        ({"words": "I said not a single one of your syllables, my dear friend."}, (409, None, "word_times_unknown")),
        ({"stream": "true"}, (400, "stream", "unsupported")),
        ({"speed": "2"}, (400, "speed", "unsupported")),
        ({"model": "fake"}, (400, "model", "edit_unsupported")),
        ({"voice": "nobody"}, (400, "voice", "speaker_unknown")),
    ],
)
def test_what_cannot_be_done_names_the_field(door, recording, fields, refusal):
    answer = edit(door, recording, **fields)
    error = error_of(answer)
    assert (answer.status_code, error["param"], error["reason_code"]) == refusal


def test_a_recording_that_cannot_be_used_names_the_file(door):
    for data, code in ((wav(0.5), "clip_too_short"), (wav(31.0, rate=8_000), "clip_too_long"), (b"a letter", "audio_undecodable")):
        answer = edit(door, data)
        error = error_of(answer)
        assert (answer.status_code, error["param"], error["reason_code"]) == (400, "file", code)


def test_where_no_engine_edits_it_says_so(open_door, recording):
    error = error_of(edit(open_door(FakeEngine()), recording))
    assert (error["reason_code"], error["values"]["sentence"]) == ("edit_unsupported", "edit_by_none")


def test_words_that_nobody_sent_are_written_down(open_door, recording, monkeypatch, tmp_path):
    whisper = install(monkeypatch, tmp_path)
    whisper.sentences = (WORDS,)
    door = open_door(Speaker(), transcriber=whisper.checkpoint)
    other_day = {"kind": "replace", "old": "Monday", "text": "Friday"}
    assert edit(door, recording, other_day, words="").status_code == edit(door, recording, other_day, words="auto").status_code == 200
    assert {change.words for change in door.engine.changes} == {WORDS}
    assert door.engine.changes[0].operations[0].start == OTHER_DAY["start"]
    error = error_of(edit(door, recording, words="auto"))  # whose characters were counted in words that nobody saw
    assert (error["param"], error["values"]["sentence"]) == ("words", "edit_words_missing")


@pytest.mark.slow
def test_it_is_listed_documented_and_logged(door, recording, caplog):
    [plain, editor] = door.get("/v1/models").json()["data"]
    assert plain["edits"] == [] and [kind["name"] for kind in editor["edits"]] == [kind.name for kind in EDITOR.edits]
    assert editor["edits"][3]["options"][0]["name"] == "level"
    document = door.get("/openapi.json").json()
    body = document["paths"][PATH]["post"]["requestBody"]["content"]["multipart/form-data"]["schema"]
    fields = document["components"]["schemas"][body["$ref"].rpartition("/")[2]]["properties"].keys()
    assert {"file", "words", "operations", "whole", "language", "voice"} <= fields and not {"stream", "speed", "instructions"} & fields
    with caplog.at_level("INFO", "studio.request"):
        edit(door, recording, whole="true")
    (line,) = [record.getMessage() for record in caplog.records if record.name == "studio.request"]
    assert "status=200" in line and "engine=editor" in line and "source_seconds=" in line
