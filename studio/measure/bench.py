"""The benchmark behind `python app.py bench`: one engine alone, then the studio over HTTP.

It gives a table, and JSON with a description of the machine.
"""

import json
import tempfile
import time
from pathlib import Path

from engines.clips.clip import Transcript
from studio.audio.decode import decode_clip
from studio.measure.engines.engine_figures import measure_engine
from studio.measure.server.http_figures import COLD_UPLOADS, measure_server
from studio.measure.server.machine import describe_machine
from studio.measure.server.server_process import start_server
from studio.running.offer.offer import offered, open_from_catalog, sources
from studio.running.pool import DefaultEngine
from studio.settings import Settings

__all__ = ["run_bench"]

TEXT = "The north wind and the sun were arguing about which of them was stronger when a traveller came along."  # 100 characters


def run_bench(settings: Settings, *, engine: str | None, clip_file: Path, n_runs: int, json_file: Path) -> int:
    """Measure, print and write. engine: id, None for the default one. A JSON file beside the clip may hold its transcript."""
    name = engine or _default_engine(settings)
    clip, transcript = decode_clip(clip_file.read_bytes(), filename=clip_file.name), _transcript_beside(clip_file)
    figures: dict[str, object] = {"engine": name, "clip": clip_file.name, "text": TEXT, "machine": describe_machine()}
    started = time.perf_counter()
    opened = open_from_catalog(settings, name)
    figures["open_seconds"] = time.perf_counter() - started
    opened.warmup()
    figures["open_and_warm_up_seconds"] = time.perf_counter() - started
    figures["device"] = opened.device
    try:
        figures["alone"] = measure_engine(opened, clip, transcript, TEXT, n_runs=n_runs)
    finally:
        opened.close()
    with tempfile.TemporaryDirectory() as folder, start_server(Path(folder), environment=COLD_UPLOADS) as server:
        figures["over_http"] = measure_server(server, name, clip_file, transcript, TEXT, n_runs=n_runs)
    print(_table(figures))
    json_file.parent.mkdir(parents=True, exist_ok=True)
    json_file.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
    print(f"\nfigures: {json_file}")
    return 0


def _default_engine(settings: Settings) -> str:
    fetched = sources(settings, None)
    return DefaultEngine(settings, offered(settings), lambda name: name not in fetched or fetched[name].is_here()).id


def _transcript_beside(clip_file: Path) -> Transcript | None:
    facts_file = clip_file.with_suffix(".json")
    if not facts_file.exists():
        return None
    facts = json.loads(facts_file.read_text(encoding="utf-8"))
    return Transcript.of(facts.get("transcript"), facts.get("language"))


def _table(figures: dict) -> str:
    alone, http, machine = figures["alone"], figures["over_http"], figures["machine"]
    rows = [
        (
            "open the engine, and warm up",
            _ms({"p50": figures["open_and_warm_up_seconds"]}) + f"   (open {figures['open_seconds'] * 1000:.0f})",
        )
    ]
    rows += [
        (f"extract {how}", _ms(spread) + f"   (first {spread['first'] * 1000:.0f})") for how, spread in alone["extract_seconds"].items()
    ]
    rows += [
        (
            "first chunk, engine alone",
            _ms(alone["first_chunk_seconds"]) + f"   ({alone['first_chunk_audio_seconds'] * 1000:.0f} ms of audio)",
        ),
        ("TTFP warm, over HTTP", _ms(http["warm"]["server_ttfp_seconds"])),
        ("TTFP cold, over HTTP", _ms(http["cold"]["server_ttfp_seconds"])),
        ("first byte warm, at the client", _ms(http["warm"]["client_first_byte_seconds"])),
        ("first byte cold, at the client", _ms(http["cold"]["client_first_byte_seconds"])),
        ("the server's own share", _ms(http["server_own_share_seconds"])),
        ("RTF", f"{alone['rtf']['p50']:.4f}   p95 {alone['rtf']['p95']:.4f}"),
        ("prompt", f"{alone['prompt_bytes'] / 1000:.0f} kB"),
        ("memory: engine alone, peak", f"{alone['process_peak_bytes'] / 2**20:.0f} MiB"),
        ("memory: headless server", f"{(http['server_memory_bytes'] or 0) / 2**20:.0f} MiB"),
        ("server ready after", f"{http['ready_seconds']:.2f} s"),
    ]
    head = f"{figures['engine']} on {figures['device']}: {machine['processor']}, {machine['cores']} cores, load {machine['load_average']}"
    clip = f"clip {alone['clip_seconds']:.1f} s, text {alone['text_characters']} characters = {alone['audio_seconds']:.1f} s of audio; ms"
    return "\n".join([head, clip, *(f"  {name:<32} {value}" for name, value in rows)])


def _ms(spread: dict[str, float]) -> str:
    """A spread in milliseconds."""
    text = f"p50 {spread['p50'] * 1000:8.1f}"
    return text + f"   p95 {spread['p95'] * 1000:8.1f}" if "p95" in spread else text
