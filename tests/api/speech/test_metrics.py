"""GET /metrics: vLLM-Omni's names and buckets, and what happens inside the studio."""

import pytest
from prometheus_client.parser import text_string_to_metric_families

from tests.api.door import SAMPLE_RATE, Door, data_url, events_of, wav
from tests.stand_ins.fake_engine import FakeEngine


def metrics_of(door: Door) -> dict[tuple[str, frozenset], float]:
    """(sample name, labels) -> value."""
    response = door.get("/metrics")
    assert response.status_code == 200
    assert response.headers["content-type"].startswith("text/plain; version=0.0.4")
    families = text_string_to_metric_families(response.text)
    return {(sample.name, frozenset(sample.labels.items())): sample.value for family in families for sample in family.samples}


def value(door: Door, name: str, **labels: str) -> float:
    """Of the one sample that has these labels, among others."""
    found = [number for (sample, have), number in metrics_of(door).items() if sample == name and labels.items() <= dict(have).items()]
    assert len(found) == 1, (name, labels, found)
    return found[0]


def buckets(door: Door, name: str) -> list[str]:
    return [dict(labels)["le"] for sample, labels in metrics_of(door) if sample == f"{name}_bucket"]


def test_families_have_vllm_omnis_names_labels_and_buckets(door):
    door.speak(stream_format="audio", response_format="pcm")
    stage = {"model_name": "fake", "stage": "0", "replica": "0"}
    for histogram in ("audio_ttfp_s", "audio_duration_s", "audio_rtf", "audio_underrun_s"):
        assert value(door, f"vllm_omni:{histogram}_count", **stage) == 1, histogram
    assert value(door, "vllm_omni:audio_continuity_ok_total", **stage, threshold_ms="100") == 1
    assert value(door, "vllm_omni:requests_success_total", model_name="fake", finished_reason="stop") == 1
    assert value(door, "vllm_omni:e2e_request_latency_s_count", model_name="fake") == 1
    assert value(door, "vllm_omni:num_requests_running", model_name="fake") == 0
    assert value(door, "vllm_omni:num_requests_waiting", model_name="fake") == 0
    assert value(door, "vllm_omni:speech_stream_completed_total", model_name="fake") == 1
    seconds = "0.05 0.1 0.25 0.5 1.0 2.0 5.0 10.0 20.0 30.0 60.0 120.0 300.0 +Inf"
    rtfs = "0.1 0.25 0.5 0.75 0.9 1.0 1.25 1.5 2.0 5.0 10.0 +Inf"
    assert buckets(door, "vllm_omni:audio_ttfp_s") == seconds.split()
    assert buckets(door, "vllm_omni:audio_rtf") == rtfs.split()


def test_duration_and_frames_are_those_of_the_audio(door):
    pcm = door.speak("one two three", response_format="pcm").content
    n_samples = len(pcm) // 2
    assert value(door, "vllm_omni:audio_frames_total") == n_samples
    assert value(door, "vllm_omni:audio_duration_s_sum") == pytest.approx(n_samples / SAMPLE_RATE)


def test_whole_answers_have_no_first_packet_that_a_listener_hears(door):
    door.speak()
    assert not [name for name, _ in metrics_of(door) if name == "vllm_omni:audio_ttfp_s_count"]
    assert value(door, "studio_first_audio_seconds_count", engine="fake", cache="miss") == 1


def test_the_speaker_cache_is_read_off_per_engine(door):
    door.upload("alice")
    for _ in range(3):
        door.speak(voice="alice")
    assert value(door, "studio_speaker_cache_misses_total", engine="fake") == 1
    assert value(door, "studio_speaker_cache_hits_total", engine="fake") == 2
    assert value(door, "studio_speaker_cache_entries", engine="fake") == 1
    assert value(door, "studio_speaker_cache_memory_bytes", engine="fake") == door.studio.stats().memory_bytes > 0
    assert value(door, "studio_speaker_cache_evictions_total", engine="fake") == 0
    assert value(door, "studio_extraction_seconds_count", engine="fake") == 1
    assert value(door, "studio_extraction_seconds_sum", engine="fake") > 0
    assert value(door, "studio_reference_decode_seconds_count", source="upload") == 1


def test_the_decoding_of_inline_audio_is_counted_and_timed(door):
    response = door.speak(ref_audio=data_url(wav(1.5)), ref_text="hello")
    assert "decode;dur=" in response.headers["server-timing"]
    assert value(door, "studio_reference_decode_seconds_count", source="request") == 1


def test_failures_are_counted_by_reason(open_door):
    door = open_door(FakeEngine(fail_at_chunk=1))
    door.speak(voice="nobody")
    door.speak(voice="nobody")
    events = events_of(door.speak("a longer text", stream=True, response_format="pcm").text)
    assert events[-1][0] == "speech.audio.error"
    assert value(door, "studio_requests_failed_total", reason="speaker_unknown") == 2
    assert value(door, "studio_requests_failed_total", reason="engine_failed") == 1
    assert value(door, "vllm_omni:speech_stream_aborted_total", model_name="fake", reason="error") == 1
    assert value(door, "vllm_omni:requests_success_total", model_name="fake", finished_reason="abort") == 1


def test_an_engine_without_audio_is_a_skipped_request(open_door):
    door = open_door(FakeEngine(seconds_per_character=0.0))
    assert door.speak().status_code == 500
    assert value(door, "vllm_omni:audio_skipped_requests_total", model_name="fake", reason="no_audio") == 1


def test_a_scrape_opens_no_engine_and_two_studios_do_not_mix(open_door, tmp_path):
    door, other = open_door(), Door(tmp_path / "other")
    assert value(door, "studio_engine_ready", engine="fake") == 0
    other.speak()
    assert value(other, "studio_engine_ready", engine="fake") == 1
    assert not [name for name, _ in metrics_of(door) if name == "vllm_omni:requests_success_total"]
    other.close()
