"""CacheStats: one consistent snapshot of the speaker cache, in total and per engine. The API sends its fields under these names."""

from dataclasses import dataclass, fields

__all__ = ["COUNTERS", "CacheStats", "EngineCacheStats"]


@dataclass(frozen=True)
class CacheCounts:
    """Lookups are hits, misses, joined and disk_hits, each counted once, of those who wait for speech.

    extractions: all that succeeded, those ahead of speech too.
    rejected: prompts that were served and not stored. extraction_seconds: on the engine's thread, without waiting for it.
    """

    hits: int
    misses: int
    joined: int
    disk_hits: int
    evictions: int
    rejected: int
    extractions: int
    extraction_seconds: float


COUNTERS = tuple(field.name for field in fields(CacheCounts))


@dataclass(frozen=True)
class EngineCacheStats(CacheCounts):
    """One engine's share."""

    entries: int
    memory_bytes: int
    in_flight: int


@dataclass(frozen=True)
class CacheStats(CacheCounts):
    """The sums over all engines, with the bounds."""

    entries: int
    memory_bytes: int
    max_bytes: int
    max_entries: int
    pinned: int
    pinned_bytes: int
    in_flight: int
    engines: dict[str, EngineCacheStats]

    @property
    def lookups(self) -> int:
        return self.hits + self.misses + self.joined + self.disk_hits

    @property
    def hit_rate(self) -> float | None:
        """Of all lookups; None before the first."""
        return self.hits / self.lookups if self.lookups else None

    @property
    def saved_seconds(self) -> float:
        """Each engine's hits times the mean of its extractions."""
        learned = [engine for engine in self.engines.values() if engine.extractions]
        return sum(engine.hits * engine.extraction_seconds / engine.extractions for engine in learned)
