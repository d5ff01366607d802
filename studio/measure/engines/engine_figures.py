"""Figures of an engine alone, without a server: opening, extraction, first chunk, real-time factor, memory."""

import sys
import time
from collections.abc import Mapping

import numpy as np

from engines.clips.clip import Clip, Transcript
from engines.contract.contract import Engine
from engines.contract.options import Value, resolve_options
from engines.contract.prompt import SpeakerPrompt
from studio.measure.server.machine import spread

__all__ = ["measure_engine"]


def measure_engine(engine: Engine, clip: Clip, transcript: Transcript | None, text: str, *, n_runs: int) -> dict[str, object]:
    """Seconds (spread over n_runs) of an opened engine.

    extract: one clip, without and (where it is known and of use) with its transcript; the first one apart, since pools are made then.
    first_chunk: `stream` called until its first chunk is there, prompt prepared. rtf: whole text, compute per audio.
    """
    words: dict[str, Transcript | None] = {"without transcript": None} if engine.info.transcript != "required" else {}
    if transcript is not None and engine.info.transcript != "unused":
        words["with transcript"] = transcript
    extraction, prompts = {}, []
    for name, transcript_or_none in words.items():
        times = []
        for _ in range(max(3, n_runs // 5)):
            started = time.perf_counter()
            prompts.append(engine.extract(clip, transcript_or_none))
            times.append(time.perf_counter() - started)
        extraction[name] = {"first": times[0], **spread(times[1:])}
    prompt = prompts[-1]
    engine.prepare(prompt)
    options = resolve_options(engine.info.options, {})
    runs = [_speak(engine, prompt, text, options) for _ in range(n_runs + 1)][1:]
    return {
        "clip_seconds": clip.seconds,
        "text_characters": len(text),
        "extract_seconds": extraction,
        "prompt_bytes": prompt.storage_bytes,
        "first_chunk_seconds": spread([run["first_chunk"] for run in runs]),
        "first_chunk_audio_seconds": runs[-1]["first_audio_seconds"],
        "rtf": spread([run["rtf"] for run in runs]),
        "audio_seconds": runs[-1]["audio_seconds"],
        "engine_memory_bytes": engine.memory_bytes(),
        "process_peak_bytes": _peak_bytes(),
    }


def _peak_bytes() -> int | None:
    """None on Windows, which does not tell it so."""
    if sys.platform == "win32":
        return None
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def _speak(engine: Engine, prompt: SpeakerPrompt, text: str, options: Mapping[str, Value]) -> dict[str, float]:
    started = time.perf_counter()
    stream = engine.stream(text, prompt, options)
    chunks: list[np.ndarray] = [next(filter(len, stream))]
    first_chunk = time.perf_counter() - started
    chunks.extend(stream)
    seconds = time.perf_counter() - started
    audio_seconds = sum(map(len, chunks)) / engine.info.sample_rate
    return {
        "first_chunk": first_chunk,
        "first_audio_seconds": len(chunks[0]) / engine.info.sample_rate,
        "audio_seconds": audio_seconds,
        "rtf": seconds / audio_seconds,
    }
