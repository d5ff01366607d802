"""The official package's side of `studio.measure.qwen3_tts_figures`: `PYTHON -m tests.parity.qwen3_tts.official_figures SCENARIO RESULT`.

SCENARIO is a JSON file as that program writes it, RESULT the JSON file to write. PYTHON as in `official.py`.
"""

import json
import sys
import time
from pathlib import Path

STARTED = time.perf_counter()


def main() -> None:
    """Measure and write."""
    scenario_file, result_file = map(Path, sys.argv[1:])
    scenario = json.loads(scenario_file.read_text())
    import soundfile
    import torch

    from engines.clip import Clip
    from studio.measure.qwen3_tts_run import host_bytes, peak_host_bytes

    torch.set_num_threads(scenario["threads"])
    from tests.parity.qwen3_tts import official

    model = official.load(Path(scenario["folder"]), device_map=scenario["device"], dtype=getattr(torch, scenario["dtype"]))
    figures = {"cold_start_seconds": time.perf_counter() - STARTED, "cold_start_processor_seconds": time.process_time()}
    figures["versions"] = official.versions()
    clip = Clip(*soundfile.read(scenario["clip"], dtype="float32"))

    def extract() -> list:
        return official.prompt(model, clip, scenario["transcript"])

    times, learned = zip(*(_timed(extract) for _ in range(1 + scenario["n_extractions"])), strict=True)
    figures |= {"first_extraction_seconds": times[0], "extraction_seconds": times[1:]}
    seconds, processor_seconds, audio_seconds = [], [], []
    settings = {"language": "auto", "max_new_tokens": scenario["n_frames"] + 1}  # the last token is drawn and not spoken
    for _ in range(scenario["n_runs"]):
        started = time.process_time()
        taken, (samples, codes) = _timed(lambda: official.speak(model, scenario["text"], learned[-1], **settings))
        assert len(codes) == scenario["n_frames"], f"{len(codes)} frames"
        seconds.append(taken)
        processor_seconds.append(time.process_time() - started)
        audio_seconds.append(len(samples) / 24_000)
    figures |= {
        "first_audio_seconds": seconds,
        "speech_seconds": seconds,
        "speech_processor_seconds": processor_seconds,
        "audio_seconds": audio_seconds[-1],
    }
    figures |= {"peak_host_bytes": peak_host_bytes(), "host_bytes": host_bytes()}
    figures["peak_device_bytes"] = torch.cuda.max_memory_allocated() if scenario["device"].startswith("cuda") else None
    result_file.write_text(json.dumps(figures))


def _timed(work):
    started = time.perf_counter()
    result = work()
    return time.perf_counter() - started, result


if __name__ == "__main__":
    main()
