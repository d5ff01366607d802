"""POST /v1/audio/speech/batch: each item as if asked alone, told apart in its result."""

from dataclasses import replace

import pytest

from studio.api.routes.batch_body import BatchBody
from tests.api.door import CLONE_ONLY, data_url, error_of, pitch_of_voice, samples_of, wav
from tests.api.speech.batches import LONG, PATH, ask, audio_of, results_of
from tests.stand_ins.fake_engine import INFO, FakeEngine, heard_pitch


def heard(result: dict) -> float:
    return heard_pitch(*samples_of(audio_of(result)))


# --- the answer


def test_a_blank_item_fails_and_the_other_is_spoken(door):
    response = ask(door, "hi", " ")
    assert (response.status_code, response.headers["content-type"]) == (200, "application/json")
    body = response.json()
    assert {name: body[name] for name in ("total", "succeeded", "failed")} == {"total": 2, "succeeded": 1, "failed": 1}
    spoken, failed = body["results"]
    assert (spoken["index"], spoken["status"], spoken["media_type"]) == (0, "success", "audio/wav")
    assert audio_of(spoken) == door.speak("hi").content
    assert spoken["usage"]["input_token_details"] == {"text_tokens": 2, "audio_tokens": 0}
    assert (spoken["sample_rate"], spoken["duration_ms"], spoken["cache"]) == (24_000, 100, "miss")
    assert failed == {
        "index": 1,
        "status": "error",
        "error": "Input text cannot be empty",
        "param": "input",
        "reason_code": "text_unspeakable",
        "hint": "Type a sentence.",
    }


def test_no_member_of_a_result_is_null_or_empty(door):
    for result in results_of(door, "hi", "", {"input": "hi", "voice": "nobody"}):
        assert all(value not in (None, "") for value in result.values())


def test_the_batch_has_an_id_and_the_request_keeps_its_own(door):
    first, second = (door.post(PATH, json={"items": [{"input": "hi"}]}, headers={"x-request-id": "mine"}) for _ in range(2))
    ids = [response.json()["id"] for response in (first, second)]
    assert all(part.startswith("speech-batch-") and len(part) == len("speech-batch-") + 16 for part in ids)
    assert ids[0] != ids[1]
    assert first.headers["x-request-id"] == "mine"
    assert int(first.headers["content-length"]) == len(first.content)


def test_results_come_in_the_order_asked_whatever_ends_first(door):
    texts = ["x" * 200, "y", "z" * 50, "w"]
    results = results_of(door, *texts)
    assert [result["index"] for result in results] == [0, 1, 2, 3]
    assert [result["duration_ms"] for result in results] == [len(text) * 50 for text in texts]


def test_all_items_may_fail_and_the_answer_is_200(door):
    body = ask(door, "", {"input": "hi", "voice": "nobody"}, {"input": "hi", "model": "nope"}).json()
    assert (body["total"], body["succeeded"], body["failed"]) == (3, 0, 3)
    assert body["results"][1]["error"] == "Invalid voice 'nobody'. Supported: default, tone"
    assert (body["results"][2]["error"], body["results"][2]["reason_code"]) == ("The model `nope` does not exist.", "engine_unknown")


def test_each_item_has_a_line_in_the_request_log(door, caplog):
    with caplog.at_level("INFO", "studio.request"):
        batch_id = ask(door, "hi", "").json()["id"]
    lines = sorted(record.getMessage() for record in caplog.records if "delivery=" in record.getMessage())
    assert [line.split(" ")[:3] for line in lines] == [
        [f"id={batch_id}-0", "status=200", "delivery=batch"],
        [f"id={batch_id}-1", "status=400", "delivery=batch"],
    ]
    assert "failure=text_unspeakable" in lines[1]


# --- what refuses the whole


def test_a_batch_without_items_is_refused(door):
    error = error_of(ask(door))
    assert (error["param"], error["code"], error["type"]) == ("body.items", 400, "Bad Request")
    assert "'type': 'too_short'" in error["message"]
    assert "List should have at least 1 item after validation, not 0" in error["message"]
    assert "Field required" in error_of(door.post(PATH, json={}))["message"]


def test_a_batch_beyond_the_limit_is_refused_and_the_limit_can_be_set(door, open_door):
    error = error_of(ask(door, *["hi"] * 33))
    assert (error["message"], error["code"]) == ("Batch contains 33 items, exceeding the maximum of 32.", 400)
    assert error["type"] == "Bad Request"
    assert len(results_of(door, *["hi"] * 32)) == 32
    two = open_door(most_batch_items=2)
    assert error_of(ask(two, *["hi"] * 3))["message"] == "Batch contains 3 items, exceeding the maximum of 2."


def test_an_unknown_model_is_404_for_all(door):
    response = ask(door, "hi", model="nope")
    assert (response.status_code, error_of(response)["message"]) == (404, "The model `nope` does not exist.")
    assert (error_of(response)["param"], error_of(response)["type"]) == ("model", "NotFoundError")


@pytest.mark.parametrize(
    ("item", "param"),
    [
        ({"input": "hi", "response_format": "aac2"}, "body.items.0.response_format"),
        ({"input": "hi", "speed": 9}, "body.items.0.speed"),
        ({"speed": 1}, "body.items.0.input"),
        ({"input": "hi", "ref_audio": "data:x", "speaker_embedding": [0.5] * 8}, "body.items.0"),
        ({"input": "hi", "references": [{"audio_path": "a"}, {"audio_path": "b"}]}, "body.items.0"),
        ("hi", "body.items.0"),
    ],
)
def test_a_malformed_item_refuses_the_whole_and_is_named(door, item, param):
    response = door.post(PATH, json={"items": [item, {"input": "fine"}]})
    assert (response.status_code, error_of(response)["param"]) == (400, param)


def test_other_content_types_are_refused(door):
    response = door.post(PATH, content='{"items": [{"input": "hi"}]}', headers={"content-type": "text/plain"})
    assert error_of(response)["message"].endswith("Only 'application/json' is allowed")


# --- items and defaults


def test_items_inherit_what_they_leave_out_or_null_and_override_the_rest(door):
    defaults = {"voice": "alice", "response_format": "flac", "speed": 2.0, "sample_rate": 16_000, "seed": 90}
    door.upload("alice")
    items = [
        {"input": LONG},
        {"input": LONG, "voice": None, "response_format": None, "speed": None, "sample_rate": None, "seed": None},
        {"input": LONG, "voice": "tone", "response_format": "mp3", "speed": 0.5, "sample_rate": 8_000, "seed": 7},
        {"input": LONG, "speaker": "tone"},
    ]
    results = results_of(door, *items, **defaults)
    alone = [defaults, defaults, items[2], defaults | {"voice": "tone"}]
    for result, fields in zip(results, alone, strict=True):
        assert audio_of(result) == door.speak(**{"text": LONG} | {k: v for k, v in fields.items() if k != "input"}).content
    assert [result["media_type"] for result in results] == ["audio/flac", "audio/flac", "audio/mpeg", "audio/flac"]


@pytest.mark.parametrize(
    "fields",
    [
        {"seed": 90},
        {"speaker_embedding": [0.5] * 8},
        {"extra_params": {"seed": 45, "speed": 2.0}},
        {"references": [{"audio_path": data_url(wav(1.5, hz=300)), "text": "hello"}]},
        {"ref_audio": data_url(wav(1.5, hz=333)), "ref_text": "hello"},
        {"sample_rate": 44_100},
        {"speed": 0.25},
        {"voice": {"id": "tone"}},
        {"language": "German"},
    ],
    ids=lambda fields: next(iter(fields)),
)
def test_a_field_does_in_an_item_and_for_all_what_it_does_alone(door, fields):
    alone = door.speak(LONG, **fields)
    assert alone.status_code == 200
    in_item, plain = results_of(door, {"input": LONG} | fields, LONG)
    (for_all,) = results_of(door, LONG, **fields)
    assert audio_of(in_item) == audio_of(for_all) == alone.content
    assert audio_of(plain) == door.speak(LONG).content


def test_what_an_item_asks_wrongly_is_said_in_the_words_of_a_single_request(door):
    mistakes = [
        {"extra_params": {"nonsense": 1}},
        {"sample_rate": 12_345},
        {"language": "Klingon"},
        {"ref_audio": "/etc/passwd"},
        {"speaker_embedding": [1.0]},
        {"max_new_tokens": 5000},
    ]
    for mistake, result in zip(mistakes, results_of(door, *[{"input": "hi"} | mistake for mistake in mistakes]), strict=True):
        error = error_of(door.speak("hi", **mistake))
        assert result["error"] == error["message"]
        assert {name: result.get(name) for name in ("param", "reason_code")} == {name: error.get(name) for name in ("param", "reason_code")}


def test_fields_that_cannot_be_heeded_are_named_in_a_warning(door):
    results = results_of(
        door,
        "hi",
        {"input": "hi", "stream": True, "stream_format": "sse", "response_format": "mp3"},
        {"input": "hi", "word_timestamps": True, "instructions": "softly", "max_new_tokens": 9},
        {"input": "hi", "stream": False, "word_timestamps": False},
    )
    assert [result["status"] for result in results] == ["success"] * 4
    assert [result.get("warning") for result in results] == [
        None,
        "Not heeded by a batch: stream, stream_format.",
        "Not heeded by a batch: word_timestamps. Not heeded by Fake: instructions, max_new_tokens.",
        None,
    ]
    assert results_of(door, "hi", stream=True)[0]["warning"] == "Not heeded by a batch: stream."


@pytest.mark.parametrize("voice", ["default", "Default", {"id": "DEFAULT"}])
def test_default_means_no_voice_in_particular(door, voice):
    assert audio_of(results_of(door, {"input": "hi", "voice": voice})[0]) == door.speak("hi").content
    assert audio_of(results_of(door, "hi", voice=voice)[0]) == door.speak("hi").content


def test_an_item_may_name_another_engine(open_door):
    door = open_door(FakeEngine(), FakeEngine(replace(INFO, id="other", title="Other", sample_rate=24_000), seconds_per_character=0.1))
    first, second = results_of(door, "hello", {"input": "hello", "model": "other"})
    assert (first["duration_ms"], second["duration_ms"]) == (250, 500)


def test_an_item_that_says_who_speaks_inherits_no_other_voice(open_door):
    door = open_door(FakeEngine(CLONE_ONLY))
    door.upload("alice", wav(1.5, hz=300), ref_text="the words of alice")
    own, other = wav(1.5, hz=500), wav(1.5, hz=700)
    items = ({"input": LONG, "voice": "alice"}, {"input": LONG, "ref_audio": data_url(other)}, LONG)
    named, inline, inherited = results_of(door, *items, ref_audio=data_url(own), ref_text="the words of the top level")
    assert heard(named) == pytest.approx(pitch_of_voice(door, "alice"), abs=3)
    assert audio_of(inline) == door.speak(LONG, ref_audio=data_url(other)).content
    assert audio_of(inherited) == door.speak(LONG, ref_audio=data_url(own)).content


def test_the_words_of_a_recording_are_inherited_with_it_and_by_items_recordings_where_it_has_none():
    own = {"input": "hi", "ref_audio": "data:own"}

    def words(item: dict, **defaults) -> str | None:
        body = BatchBody(items=[item], ref_text="words", **defaults)
        return body.speech(body.items[0]).ref_text

    assert words({"input": "hi"}, ref_audio="data:top") == "words"
    assert words(own) == "words"
    assert words(own, ref_audio="data:top") is None
    assert words({"input": "hi", "voice": "alice"}, ref_audio="data:top") is None
    assert words(own | {"ref_text": "own words"}, ref_audio="data:top") == "own words"


def test_under_strict_compat_inherited_audio_beats_the_voice_of_an_item(open_door):
    door = open_door(strict_compat=True)
    door.upload("alice", wav(1.5, hz=300))
    url = data_url(wav(1.5, hz=500))
    (result,) = results_of(door, {"input": LONG, "voice": "alice"}, ref_audio=url)
    assert audio_of(result) == door.speak(LONG, ref_audio=url).content
    both = results_of(door, {"input": LONG, "ref_audio": url}, speaker_embedding=[0.5] * 8)
    assert "mutually exclusive" in both[0]["error"]
