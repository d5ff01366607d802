"""Our side of `tests.parity.beside`, in a process of its own: `python -m tests.parity.our_figures SCENARIO RESULT`."""

import json
import os
import sys
import time
from collections.abc import Callable, Mapping
from itertools import pairwise
from pathlib import Path

__all__ = ["hold_to_cores", "host_bytes", "peak_host_bytes", "several"]

STARTED = time.perf_counter()  # before anything heavy is imported, so that a cold start has all of it


def main() -> None:
    """Measure and write. Both arguments are JSON files."""
    scenario_file, result_file = map(Path, sys.argv[1:])
    result_file.write_text(json.dumps(_measure(json.loads(scenario_file.read_text()))))


def _measure(scenario: Mapping) -> dict[str, object]:
    from engines.catalog import open_engine
    from engines.clips.clip import Transcript
    from engines.kit.gauges.device_figures import peak_device_bytes, set_threads
    from studio.audio.decode import decode_clip

    hold_to_cores(scenario["n_cores"])
    set_threads(scenario["threads"])
    figures: dict[str, object] = {"torch_host_bytes": host_bytes()}
    engine = open_engine(
        scenario["engine"],
        checkpoint=scenario["folder"],
        device=scenario["device"],
        dtype=scenario["dtype"],
        options=scenario["load_options"],
    )
    figures |= {"cold_start_seconds": time.perf_counter() - STARTED, "cold_start_processor_seconds": time.process_time()}
    if scenario["warm_up"]:
        engine.warmup()
        figures["cold_start_and_warm_up_seconds"] = time.perf_counter() - STARTED
    clip_file = Path(scenario["clip"])
    clip = decode_clip(clip_file.read_bytes(), filename=clip_file.name)
    transcript = Transcript(scenario["transcript"]) if scenario["transcript"] else None
    speech = _Speech(engine, scenario)
    times = [_timed(lambda: engine.extract(clip, transcript)) for _ in range(1 + scenario["n_extractions"])]
    prompt = times[-1][1]
    figures |= {"first_extraction_seconds": times[0][0], "extraction_seconds": [seconds for seconds, _ in times[1:]]}
    figures["prepare_seconds"] = _timed(lambda: engine.prepare(prompt))[0]
    runs = [speech.whole(prompt) for _ in range(scenario["n_runs"])]
    figures |= {
        name: [run[name] for run in runs]
        for name in ("speech_seconds", "speech_processor_seconds", "frame_seconds", "longest_step_seconds")
    }
    figures["audio_seconds"] = runs[-1]["audio_seconds"]
    figures["first_audio_seconds"] = [speech.first(prompt) for _ in range(scenario["n_first"])]
    for n in scenario["n_streams"]:
        figures |= several(lambda n=n: speech.at_once(prompt, n), n, scenario["n_runs"])
    if engine.info.converts:
        figures |= speech.said_again(clip, prompt)

    def cold() -> None:
        engine.forget(prompt.content_digest)
        speech.first(engine.extract(clip, transcript))

    figures["cold_first_audio_seconds"] = [_timed(cold)[0] for _ in range(scenario["n_cold"])]
    figures["kernels_per_frame"] = speech.kernels_per_frame(prompt)
    figures |= {"engine_memory_bytes": engine.memory_bytes(), "prompt_bytes": prompt.storage_bytes}
    figures |= {
        "peak_host_bytes": peak_host_bytes(),
        "host_bytes": host_bytes(),
        "peak_device_bytes": peak_device_bytes(scenario["device"]),
    }
    return figures


class _Speech:
    """One text in one voice, for a number of frames; the checkpoint never ends by itself."""

    def __init__(self, engine, scenario: Mapping):
        self._engine, self._scenario = engine, scenario

    def _stream(self, prompt, n_frames: int):
        from engines.contract.options import resolve_options

        length = n_frames + self._scenario["n_unspoken"]
        if self._scenario["is_in_seconds"]:
            length = (length + 0.5) * self._scenario["frame_seconds"]  # of which it takes whole frames
        given = {self._scenario["length_option"]: length, "seed": 1}
        guarded = {"runaway_guard": False} if any(option.name == "runaway_guard" for option in self._engine.info.options) else {}
        options = resolve_options(self._engine.info.options, given | guarded)
        return self._engine.stream(self._scenario["text"], prompt, options)

    def whole(self, prompt) -> dict[str, float]:
        """frame_seconds: from the first piece of audio to the last, per frame. longest_step_seconds: how long a close may have to wait."""
        started, started_processor = time.perf_counter(), time.process_time()
        steps, marks, lengths = [started], [], []
        for chunk in self._stream(prompt, self._scenario["n_frames"]):
            steps.append(time.perf_counter())
            if len(chunk):
                marks.append(steps[-1])
                lengths.append(len(chunk))
        frame_samples = sum(lengths) / self._scenario["n_frames"]
        after_first = (sum(lengths) - lengths[0]) / frame_samples
        return {
            "speech_seconds": marks[-1] - started,
            "speech_processor_seconds": time.process_time() - started_processor,
            "frame_seconds": (marks[-1] - marks[0]) / after_first,
            "audio_seconds": sum(lengths) / self._engine.info.sample_rate,
            "longest_step_seconds": max(after - before for before, after in pairwise(steps)),
        }

    def at_once(self, prompt, n_streams: int) -> float:
        """So many speeches, one piece of each in turn. Seconds until all have begun."""
        started, begun = time.perf_counter(), {}
        streams = dict(enumerate(self._stream(prompt, self._scenario["n_frames"]) for _ in range(n_streams)))
        while streams:
            for number, stream in list(streams.items()):
                chunk = next(stream, None)
                if chunk is None:
                    del streams[number]
                elif len(chunk):
                    begun.setdefault(number, time.perf_counter() - started)
        return max(begun.values())

    def said_again(self, clip, prompt) -> dict[str, float]:
        """The clip in its own voice: seconds to the first piece of audio, and of computing per second of audio."""
        from engines.contract.options import resolve_options

        started, marks, n_samples = time.perf_counter(), [], 0
        for chunk in self._engine.convert(clip, prompt, resolve_options(self._engine.info.options, {})):
            if len(chunk):
                marks.append(time.perf_counter() - started)
                n_samples += len(chunk)
        return {
            "conversion_first_audio_seconds": marks[0],
            "conversion_real_time_factor": marks[-1] / (n_samples / self._engine.info.sample_rate),
        }

    def first(self, prompt) -> float:
        """Seconds to the first piece of audio; the rest is never made."""
        started = time.perf_counter()
        stream = self._stream(prompt, self._scenario["n_frames"])
        next(filter(len, stream))
        seconds = time.perf_counter() - started
        stream.close()
        return seconds

    def kernels_per_frame(self, prompt) -> float | None:
        """Of frames in the middle: of a long speech less those of a short one."""
        from engines.kit.gauges.device_figures import count_kernels

        counts = [count_kernels(lambda n=n: list(self._stream(prompt, n)), self._engine.device) for n in (15, 31)]
        return None if counts[0] is None else (counts[1] - counts[0]) / 16


def several(speak: Callable[[], float], n_streams: int, n_runs: int) -> dict[str, list[float]]:
    """Figures of so many speeches at once. speak: says them, and returns after how many seconds all had begun."""
    first, seconds, processor_seconds = [], [], []
    for _ in range(n_runs):
        started = time.process_time()
        taken, begun = _timed(speak)
        first.append(begun)
        seconds.append(taken)
        processor_seconds.append(time.process_time() - started)
    of = f"of_{n_streams}"
    return {
        f"first_audio_{of}_seconds": first,
        f"speech_{of}_seconds": seconds,
        f"speech_{of}_processor_seconds": processor_seconds,
    }


def hold_to_cores(n_cores: int) -> None:
    """Let this process, and what it starts, run on so many of the machine's cores; 0 changes nothing."""
    if n_cores:
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:n_cores])


def peak_host_bytes() -> int | None:
    """The process's own high-water mark, mapped files counted; getrusage would count what its parent held when it started it."""
    return _status("VmHWM")


def host_bytes() -> int | None:
    """Memory that the process holds now and shares with no file."""
    return _status("RssAnon")


def _status(name: str) -> int | None:
    try:
        status = Path("/proc/self/status").read_text(encoding="utf-8")
    except OSError:
        return None
    return int(status.split(f"{name}:")[1].split()[0]) * 1024


def _timed(work: Callable[[], object]) -> tuple[float, object]:
    started = time.perf_counter()
    result = work()
    return time.perf_counter() - started, result


if __name__ == "__main__":
    main()
