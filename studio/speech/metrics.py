"""SpeechMetrics: what a speech adds to the metrics of this process, from any door.

Families named `vllm_omni:` have the names, labels and buckets of vLLM-Omni 0.30.0 (vllm_omni/metrics/definitions.py), so that its
dashboards work here; as there, time to first packet and continuity are those of streams alone. `studio_` families are what it lacks.
"""

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest

from engines.contract.speech_end import EndReason
from studio.speech.speech import Speech

__all__ = ["CONTINUITY_SECONDS", "STREAMS", "SpeechMetrics"]

STREAMS = ("raw", "sse", "websocket", "gradio", "wyoming")  # deliveries whose listener hears the first packet before the last is made
CONTINUITY_SECONDS = 0.1  # silence that a listener forgives

SECONDS = (0.05, 0.1, 0.25, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 30.0, 60.0, 120.0, 300.0)
FAST_SECONDS = (0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 60.0)
RTFS = (0.1, 0.25, 0.5, 0.75, 0.9, 1.0, 1.25, 1.5, 2.0, 5.0, 10.0)
STAGE = ("model_name", "stage", "replica")
ONLY_STAGE = ("0", "0")  # one stage, one replica


class SpeechMetrics:
    """One per studio, with a registry of its own."""

    def __init__(self):
        self._registry = registry = CollectorRegistry()

        def histogram(name: str, says: str, labels: tuple[str, ...], buckets: tuple[float, ...] = SECONDS) -> Histogram:
            return Histogram(name, says, labels, buckets=buckets, registry=registry)

        def counter(name: str, says: str, *labels: str) -> Counter:
            return Counter(name, says, labels, registry=registry)

        self._ttfp = histogram("vllm_omni:audio_ttfp_s", "Arrival of a streaming request to its first audio packet, seconds.", STAGE)
        self._duration = histogram("vllm_omni:audio_duration_s", "Audio made per request, seconds.", STAGE)
        self._rtf = histogram("vllm_omni:audio_rtf", "Engine time per second of audio.", STAGE, RTFS)
        self._underrun = histogram("vllm_omni:audio_underrun_s", "Silence that a listener of a stream suffered.", STAGE, FAST_SECONDS)
        self._latency = histogram("vllm_omni:e2e_request_latency_s", "Arrival to last byte, seconds.", ("model_name",))
        self._frames = counter("vllm_omni:audio_frames", "Samples made.", *STAGE)
        self._continuous = counter("vllm_omni:audio_continuity_ok", "Streams with less silence than the threshold.", *STAGE, "threshold_ms")
        self._skipped = counter("vllm_omni:audio_skipped_requests", "Requests for which the engine made no audio.", *STAGE, "reason")
        self._finished = counter("vllm_omni:requests_success", "Requests that are over.", "model_name", "finished_reason")
        self._completed = counter("vllm_omni:speech_stream_completed", "Streams spoken to their end.", "model_name")
        self._aborted = counter("vllm_omni:speech_stream_aborted", "Streams that broke off.", "model_name", "reason")
        self._first_audio = histogram(
            "studio_first_audio_seconds", "Arrival to first audio ready to send, any delivery.", ("engine", "cache"), FAST_SECONDS
        )
        self._first_turn = histogram("studio_queue_seconds", "Wait for the engine's thread.", ("engine",), FAST_SECONDS)
        self._far = histogram(
            "studio_far_first_audio_seconds",
            "Sending a text to where it is spoken, to the first audio from there.",
            ("engine",),
            FAST_SECONDS,
        )
        self._decoded = histogram("studio_reference_decode_seconds", "Decoding of one recording.", ("source",), FAST_SECONDS)
        self._ends = counter("studio_speech_ends", "Speeches that began, by why they ended.", "engine", "reason")
        self._failed = counter("studio_requests_failed", "Speech requests that failed, by reason code.", "reason")

    def spoke(self, speech: Speech, delivery: str) -> None:
        """A speech came to its end."""
        engine = speech.engine.id
        self._observe(speech, delivery)
        self._finished.labels(engine, "stop").inc()
        if delivery in STREAMS:
            self._completed.labels(engine).inc()

    def broke_off(self, speech: Speech, delivery: str, reason: str) -> None:
        """A speech that had begun did not: the listener left ("closed") or the engine failed (a reason code)."""
        engine = speech.engine.id
        self._observe(speech, delivery)
        self._finished.labels(engine, "abort").inc()
        if delivery in STREAMS:
            self._aborted.labels(engine, reason if reason in ("closed", "cancelled", "engine_dead") else "error").inc()
        if reason != "closed":
            self._failed.labels(reason).inc()
        if reason == "no_audio":
            self._skipped.labels(engine, *ONLY_STAGE, reason).inc()

    def ended(self, speech: Speech, reason: EndReason) -> None:
        """A speech that had begun is over, one way or the other."""
        self._ends.labels(speech.engine.id, reason).inc()

    def refused(self, reason: str) -> None:
        """A request failed before there was a speech: a reason code."""
        self._failed.labels(reason).inc()

    def decoded(self, source: str, seconds: float) -> None:
        """source: "upload" or "request"."""
        self._decoded.labels(source).observe(seconds)

    def exposition(self) -> bytes:
        """The text format of Prometheus, version 0.0.4."""
        return generate_latest(self._registry)

    def _observe(self, speech: Speech, delivery: str) -> None:
        engine, timeline = speech.engine.id, speech.timeline
        labels = (engine, *ONLY_STAGE)
        stages = timeline.stages()
        self._latency.labels(engine).observe(stages["total"])
        if "queue" in stages:
            self._first_turn.labels(engine).observe(stages["queue"])
        if timeline.ttfp_seconds is None:
            return
        if "far" in stages:
            self._far.labels(engine).observe(stages["far"])
        self._first_audio.labels(engine, timeline.cache or "bypass").observe(timeline.ttfp_seconds)
        self._duration.labels(*labels).observe(timeline.audio_seconds)
        self._rtf.labels(*labels).observe(timeline.rtf or 0.0)
        self._frames.labels(*labels).inc(round(timeline.audio_seconds * speech.engine.sample_rate))
        if delivery in STREAMS:
            self._ttfp.labels(*labels).observe(timeline.ttfp_seconds)
            self._underrun.labels(*labels).observe(timeline.underrun_seconds)
            if timeline.underrun_seconds < CONTINUITY_SECONDS:
                self._continuous.labels(*labels, str(round(CONTINUITY_SECONDS * 1000))).inc()
