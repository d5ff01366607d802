"""Listing, reading, deleting voices, and their cached prompts."""

import json
import threading
from dataclasses import replace

import pytest

from tests.api.door import Gate, error_of, eventually, pitch_of_voice, samples_of, served, wav
from tests.stand_ins.fake_engine import INFO, FakeEngine, heard_pitch, pitch_of

TEXT = "a sentence that is long enough to hear its pitch"


def hear(response) -> float:
    return heard_pitch(*samples_of(response.content))


def in_thread(verb):
    """(thread, results) of a verb under way."""
    results = []
    thread = threading.Thread(target=lambda: results.append(verb()))
    thread.start()
    return thread, results


def test_the_list_has_all_names_in_lower_case_and_the_uploads(door):
    door.upload("Zoe", ref_text="hello")
    door.upload("Alice")
    body = door.get("/v1/audio/voices").json()
    assert body["voices"] == ["alice", "default", "tone", "zoe"]
    alice, zoe = body["uploaded_voices"]
    assert (alice["name"], zoe["name"], zoe["ref_text"]) == ("Alice", "Zoe", "hello")
    assert set(alice) == {"name", "consent", "created_at", "file_size", "mime_type", "embedding_source", "embedding_dim"}
    assert (alice["embedding_source"], alice["embedding_dim"]) == ("audio", None)


def test_an_embedding_is_listed_with_its_type_and_the_size_of_its_file(open_door):
    form = {"files": {"speaker_embedding": (None, json.dumps([0.5] * 8))}, "data": {"name": "emb", "consent": "c"}}
    first = open_door()
    assert first.post("/v1/audio/voices", **form).status_code == 200
    for door in (first, open_door()):  # as it was uploaded, and as it is restored
        (voice,) = door.get("/v1/audio/voices").json()["uploaded_voices"]
        (file,) = door.folder.glob("*.safetensors")
        assert (voice["mime_type"], voice["file_size"]) == ("application/x-safetensors", file.stat().st_size)
        assert (voice["embedding_source"], voice["embedding_dim"]) == ("direct", 8)


def test_looking_at_the_disk_for_the_list_never_holds_up_the_event_loop(door, monkeypatch):
    looked_on, speakers = [], door.studio.store.speakers
    monkeypatch.setattr(door.studio.store, "speakers", lambda: (looked_on.append(threading.get_ident()), speakers())[1])
    assert door.get("/v1/audio/voices").status_code == 200
    assert looked_on
    assert threading.get_ident() not in looked_on  # the loop runs on this thread


def test_consent_is_masked_for_whoever_lists(door):
    door.upload("alice", consent="signed-by-alice@example.org")
    assert door.studio.speaker("alice").consent == "signed-by-alice@example.org"
    for path in ("/v1/audio/voices", "/v1/audio/voices/alice"):
        assert "example.org" not in door.get(path).text
    assert door.get("/v1/audio/voices/alice").json()["consent"] == "s***"


def test_strictly_compatible_consent_is_listed_as_vllm_omni_does(open_door):
    door = open_door(strict_compat=True)
    door.upload("alice", consent="signed-2026")
    assert door.get("/v1/audio/voices").json()["uploaded_voices"][0]["consent"] == "signed-2026"


def test_one_voice_can_be_read_and_heard(door):
    data = wav(1.5, rate=16_000)
    door.upload("Alice", data)
    record = door.get("/v1/audio/voices/alice").json()
    assert (record["name"], record["seconds"], record["sample_rate"], record["prompts"]) == ("Alice", 1.5, 16_000, {})
    assert "generation_id" not in record
    response = door.get("/v1/audio/voices/alice/audio")
    assert response.headers["content-type"] == "audio/wav"
    assert samples_of(response.content)[1] == 16_000
    for path in ("/v1/audio/voices/bob", "/v1/audio/voices/bob/audio"):
        assert (door.get(path).status_code, door.get(path).json()["success"]) == (404, False)


def test_a_voice_without_a_recording_says_so(door):
    door.post("/v1/audio/voices", files={"speaker_embedding": (None, json.dumps([0.5] * 8))}, data={"name": "emb", "consent": "c"})
    assert door.get("/v1/audio/voices/emb/audio").status_code == 404
    response = door.post("/v1/audio/voices/emb/cache")
    assert response.status_code == 400
    assert "pre-computed embedding" in error_of(response)["message"]


def test_delete_answers_in_the_callers_spelling_and_then_404(door):
    door.upload("Alice")
    response = door.delete("/v1/audio/voices/ALICE")
    openai = {"id": "Alice", "object": "audio.voice.deleted", "deleted": True}
    told = {"success": True, "message": "Voice 'ALICE' deleted successfully"} | openai
    assert (response.status_code, response.json()) == (200, told)
    response = door.delete("/v1/audio/voices/ALICE")
    assert response.status_code == 404
    assert response.json()["success"] is False
    assert (error_of(response)["message"], error_of(response)["type"]) == ("Voice 'ALICE' not found", "NotFoundError")
    assert door.delete("/v1/audio/voices/tone").status_code == 404


def test_after_delete_nothing_of_the_voice_is_left(door):
    door.upload("alice")
    door.speak(voice="alice")
    door.post("/v1/audio/voices/alice/cache")
    assert door.get("/v1/audio/cache/stats").json()["memory_bytes"] > 0
    assert door.engine.prepared
    door.delete("/v1/audio/voices/alice")
    stats = door.get("/v1/audio/cache/stats").json()
    assert (stats["entries"], stats["memory_bytes"]) == (0, 0)
    assert list(door.folder.rglob("*.safetensors")) == []
    assert eventually(lambda: not door.engine.prepared)
    assert door.speak(voice="alice").status_code == 400


def test_delete_during_speech_lets_it_end_in_the_old_voice(open_door):
    gate = Gate()
    door = open_door(FakeEngine(before_chunk=lambda index: gate() if index == 2 else None))
    door.upload("alice", wav(1.5, hz=300))
    pitch = pitch_of_voice(door, "alice")
    thread, results = in_thread(lambda: door.speak(TEXT, voice="alice"))
    gate.wait_for_arrival()
    assert door.delete("/v1/audio/voices/alice").status_code == 200
    gate.open()
    thread.join()
    assert hear(results[0]) == pytest.approx(pitch, abs=3)
    assert door.studio.stats().entries == 0
    assert door.speak(voice="alice").status_code == 400


def test_delete_and_upload_during_an_extraction_never_mix_the_voices(open_door):
    gate = Gate()
    door = open_door(FakeEngine(before_extract=gate))
    door.upload("alice", wav(1.5, hz=300))
    old = pitch_of_voice(door, "alice")
    thread, results = in_thread(lambda: door.speak(TEXT, voice="alice"))
    gate.wait_for_arrival()
    assert door.delete("/v1/audio/voices/alice").status_code == 200
    assert list(door.folder.rglob("*.safetensors")) == []
    door.upload("alice", wav(1.5, hz=500))
    new = pitch_of_voice(door, "alice")
    gate.open()
    thread.join()
    stats = door.get("/v1/audio/cache/stats").json()
    assert (stats["entries"], stats["memory_bytes"], stats["rejected"]) == (0, 0, 1)
    assert door.get("/v1/audio/voices/alice").json()["prompts"] == {}
    assert hear(results[0]) == pytest.approx(old, abs=3)
    assert [hear(door.speak(TEXT, voice="alice")) for _ in range(2)] == pytest.approx([new, new], abs=3)
    assert abs(old - new) > 6
    assert pitch_of(door.studio.speaker("alice").clip_digest) == new


def test_a_cached_prompt_is_made_once_and_again_by_force(door):
    door.upload("Alice")
    answers = [door.post("/v1/audio/voices/alice/cache" + query).json() for query in ("", "", "?force=true")]
    assert [answer["cache_status"] for answer in answers] == ["ready"] * 3
    assert [answer.get("message") for answer in answers] == [None, "Cache already exists and is valid", None]
    assert door.engine.extractions == 2
    assert door.speak(voice="alice").headers["x-speaker-cache"] == "hit"
    assert door.get("/v1/audio/voices/alice").json()["prompts"] == {"fake": "memory"}


def test_a_second_call_while_extracting_says_processing(open_door):
    gate = Gate()
    door = open_door(FakeEngine(before_extract=gate))
    door.upload("alice")
    thread, results = in_thread(lambda: door.post("/v1/audio/voices/alice/cache"))
    gate.wait_for_arrival()
    second = door.post("/v1/audio/voices/alice/cache").json()
    gate.open()
    thread.join()
    assert (second["cache_status"], second["message"]) == ("processing", "Cache generation in progress")
    assert results[0].json()["cache_status"] == "ready"


def test_a_cache_for_every_engine_and_for_no_unknown_voice(open_door):
    door = open_door(FakeEngine(), FakeEngine(replace(INFO, id="other")))
    door.upload("alice")
    assert door.post("/v1/audio/voices/alice/cache?model=other").json()["model"] == "other"
    assert (door.engines["other"].extractions, door.engine.extractions) == (1, 0)
    response = door.post("/v1/audio/voices/bob/cache")
    assert (response.status_code, response.json()["success"]) == (404, False)
    assert error_of(response)["message"].endswith("not found")
    assert door.post("/v1/audio/voices/alice/cache?model=nope").status_code == 404


def test_dropping_a_prompt_makes_the_next_request_a_cold_one(door):
    door.upload("alice")
    door.post("/v1/audio/voices/alice/cache")
    assert door.delete("/v1/audio/voices/alice/cache").json()["cache_status"] == "pending"
    assert door.get("/v1/audio/voices/alice").json()["prompts"] == {}
    assert door.speak(voice="alice").headers["x-speaker-cache"] == "miss"
    assert door.delete("/v1/audio/voices/bob/cache").status_code == 404


def test_a_ready_cache_speaks_without_the_recording_as_long_as_its_file_is_there(door):
    door.upload("alice")
    door.post("/v1/audio/voices/alice/cache")
    (stored,) = door.folder.glob("*.safetensors")
    stored.write_bytes(stored.read_bytes()[:-400] + bytes(400))  # its samples are damaged, which nobody notices who does not read them
    assert door.speak(voice="alice").status_code == 200
    stored.unlink()
    assert error_of(door.speak(voice="alice"))["reason_code"] == "speaker_unknown"


def test_stats_count_what_happens(open_door):
    door = open_door(FakeEngine(), FakeEngine(replace(INFO, id="other")))
    door.upload("alice")
    for model in ("fake", "fake", "other"):
        door.speak(voice="alice", model=model)
    stats = door.get("/v1/audio/cache/stats").json()
    assert (stats["entries"], stats["hits"], stats["misses"], stats["extractions"], stats["in_flight"]) == (2, 1, 2, 2, 0)
    assert stats["engines"]["fake"]["hits"] == 1
    assert stats["engines"]["other"]["memory_bytes"] > 0


def test_reading_voices_does_not_wait_for_an_extraction(open_door):
    gate = Gate()
    door = open_door(FakeEngine(before_extract=gate))
    door.upload("alice")
    with served(door):
        thread, _ = in_thread(lambda: door.speak(voice="alice"))
        gate.wait_for_arrival()
        assert door.get("/v1/audio/voices/alice").status_code == 200
        assert door.get("/v1/audio/cache/stats").json()["in_flight"] == 1
        gate.open()
        thread.join()
