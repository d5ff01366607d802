"""Meters: all figures for one scrape: the metrics of speech, the studio's own counters, and the process."""

from collections.abc import Iterator

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, SummaryMetricFamily
from prometheus_client.process_collector import ProcessCollector
from prometheus_client.registry import Collector

from studio.service import Studio
from studio.web.faults import FAULTS

__all__ = ["Meters"]

HEALTH = {"well": 1.0, "degraded": 0.5, "down": 0.0}


class Meters:
    """One per app."""

    def __init__(self, studio: Studio):
        self._speech = studio.request_log.metrics
        self._registry = CollectorRegistry()
        self._registry.register(_Readings(studio))
        self._registry.register(FAULTS)
        ProcessCollector(registry=self._registry)

    def exposition(self) -> bytes:
        """The text format of Prometheus, version 0.0.4."""
        return self._speech.exposition() + generate_latest(self._registry)


class _Readings(Collector):
    """What the studio counts itself, read at every scrape."""

    def __init__(self, studio: Studio):
        self._studio = studio

    def collect(self) -> Iterator[GaugeMetricFamily | CounterMetricFamily | SummaryMetricFamily]:
        yield from self._queues()
        yield from self._cache()

    def _queues(self) -> Iterator[GaugeMetricFamily | CounterMetricFamily]:
        running = GaugeMetricFamily("vllm_omni:num_requests_running", "Streams that have begun.", labels=["model_name"])
        waiting = GaugeMetricFamily("vllm_omni:num_requests_waiting", "Jobs that wait for their first turn.", labels=["model_name"])
        begun = CounterMetricFamily("studio_streams_begun", "Streams that had their first turn.", labels=["engine"])
        refused = CounterMetricFamily("studio_requests_refused", "Streams and calls that an engine was too busy for.", labels=["engine"])
        state = GaugeMetricFamily("studio_engine_ready", "1 for an engine that can speak now.", labels=["engine"])
        memory = GaugeMetricFamily("studio_engine_memory_bytes", "Held on the engine's device.", labels=["engine"])
        health = GaugeMetricFamily("studio_engine_health", "Of what runs elsewhere: 1 well, 0.5 degraded, 0 down.", labels=["engine"])
        for status in self._studio.engines():
            running.add_metric([status.info.id], status.streaming)
            waiting.add_metric([status.info.id], status.waiting)
            begun.add_metric([status.info.id], status.begun)
            refused.add_metric([status.info.id], status.refused)
            state.add_metric([status.info.id], status.state == "ready")
            memory.add_metric([status.info.id], status.memory_bytes)
            if status.info.runs == "elsewhere" and status.state == "ready":
                health.add_metric([status.info.id], HEALTH[status.health.state])
        yield from (running, waiting, begun, refused, state, memory, health)

    def _cache(self) -> Iterator[GaugeMetricFamily | CounterMetricFamily | SummaryMetricFamily]:
        engines = self._studio.stats().engines
        for name in ("entries", "memory_bytes", "in_flight"):
            gauge = GaugeMetricFamily(f"studio_speaker_cache_{name}", "Of the speaker cache, per engine.", labels=["engine"])
            for engine, counts in engines.items():
                gauge.add_metric([engine], getattr(counts, name))
            yield gauge
        for name in ("hits", "misses", "joined", "disk_hits", "evictions", "rejected"):
            counter = CounterMetricFamily(f"studio_speaker_cache_{name}", "Of the speaker cache, per engine.", labels=["engine"])
            for engine, counts in engines.items():
                counter.add_metric([engine], getattr(counts, name))
            yield counter
        extraction = SummaryMetricFamily("studio_extraction_seconds", "Extractions of a prompt, on the engine's thread.", labels=["engine"])
        for engine, counts in engines.items():
            extraction.add_metric([engine], counts.extractions, counts.extraction_seconds)
        yield extraction
        refinement = SummaryMetricFamily("studio_refinement_seconds", "Steps that made a prompt more alike, of CPU.", labels=["engine"])
        for engine, (n_steps, seconds) in self._studio.prompts.learning_costs().items():
            refinement.add_metric([engine], n_steps, seconds)
        yield refinement
