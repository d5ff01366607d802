"""Three requests as walks through the files of the project: speech, creation of a voice, a decode step; and the blocks of the READMEs.

`python -m tests.house.walks` prints each walk, room by room in the order in which rooms and files are entered; `--write` puts those of
speech and of the decode step into the READMEs.
"""

import base64
import contextlib
import http.client
import json
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import ModuleType

import numpy as np
import uvicorn
from starlette.types import ASGIApp

from engines.kit.alignment.phone_recognizer import SAMPLE_RATE
from engines.kit.alignment.word_alignment import align_words
from studio.server import api_only, behind_guards, configured, listen, page_and_api
from studio.service import Studio
from studio.settings import Settings
from studio.speakers.demo import demo_recording
from tests.engines.qwen3_tts.checkpoints import opened as qwen3_tts
from tests.engines.voxcpm2 import opened as voxcpm2
from tests.house.page_visit import PageVisit
from tests.house.readme_map import READMES
from tests.house.source_files import ROOT
from tests.house.walk import Walk
from tests.processes.threaded_server import served_in_a_thread

__all__ = ["BLOCKS", "BUDGETS", "WALKS", "block_of", "creation", "current_block", "decode_step", "patch_step", "speech"]

ENGINE, VOICE = "espeak", "Demo"
VOICES = ROOT / "assets/voices"
TEXT = "The north wind and the sun were arguing about which of them was stronger when a traveller came along. They agreed."
ROUTE = "studio/api/routes/speech.py"  # what is entered before it guards it

N_STREAMS = 8
ADVANCES_BEFORE = 3  # one to read the beginnings, one for the first frame, one to its next piece of audio


# --- speech


def speech() -> Walk:
    """`POST /v1/audio/speech` of a stored, warm voice to the first chunk at the client: raw samples of the embedded engine."""
    walk = Walk()
    with walk.followed(), _studio() as studio:
        studio.enroll(demo_recording())
        with _served(studio, api_only) as port:
            _first_chunk(port)  # which learns the voice, and opens what is opened once
            _come_to_rest(studio)
            _first_chunk(port, walk)
    return walk


def _first_chunk(port: int, walk: Walk | None = None) -> None:
    """Of a speech that goes on; then the client leaves."""
    body = {"input": TEXT, "voice": VOICE, "response_format": "pcm", "stream": True, "stream_format": "audio"}
    with contextlib.closing(http.client.HTTPConnection("127.0.0.1", port, timeout=60)) as connection:
        with walk.under_way() if walk is not None else contextlib.nullcontext():
            connection.request("POST", "/v1/audio/speech", json.dumps(body), {"Content-Type": "application/json"})
            answer = connection.getresponse()
            first = answer.read1(1)
        answer.close()
        assert answer.status == http.client.OK and first


# --- creation


def creation() -> Walk:
    """From the microphone's recording to a prompt in the cache: what the page's scripts ask (assets/web/create/creating.js), without a
    browser.

    Each step as its script sends it, over HTTP: the recording is taken and judged, with the engines that would learn of it and its words;
    the voice gets its name, is made, shown in Speak (an event of Gradio's), learned by the engine, and looked at again. The page's timer
    ticks twice meanwhile, and what is new then is brought, to all tabs. What is kept of every phone is there, as after any voice.
    """
    walk, words = Walk(), json.loads((VOICES / "demo.json").read_text(encoding="utf-8"))["transcript"]
    align_words(np.zeros(SAMPLE_RATE, np.float32), SAMPLE_RATE, words, "en")
    data = base64.b64encode((VOICES / "demo.flac").read_bytes()).decode()
    with walk.followed(), _studio() as studio, _served(studio, page_and_api) as port, PageVisit(port) as page:
        with walk.under_way():
            taken = page.call("take_clip", {"name": "recording.flac", "type": "audio/flac", "data": data})
            region = {"draft": taken["draft"], "start": 0, "end": taken["milliseconds"]}
            seen = page.call("check_region", region | {"has_transcript": False, "seconds_before": 0})
            page.call("engine_rows", {"seconds": seen["seconds"], "has_transcript": False, "is_forbidden": False})
            page.call("judge_words", {"text": words, "seconds": seen["speech_seconds"]})
            page.call("judge_name", {"name": VOICE, "but": ""})
            page.tick()
            told = {"name": VOICE, "transcript": words, "language": "en", "reason": "own", "who": "Me", "made": None, "replace": False}
            voice = page.call("create_voice", region | told)["voice"]
            page.event("creating.created", {"voice": voice})
            page.call("extract_voice", {"voice": voice, "engine": ENGINE})
            page.call("extraction_states", {"voice": voice})
            page.call("clip_incompatibility", {"voice": voice})
            page.event("creating.created", {"voice": voice})
            assert page.tick()
        assert studio.stats().entries
    return walk


# --- a decode step


def decode_step() -> Walk:
    """One `advance` of eight streams of Qwen3-TTS, at toy size on the CPU, that makes a frame of each."""
    return _step(qwen3_tts, qwen3_tts.LONG, codec_chunk_frames=1)


def patch_step() -> Walk:
    """The same of VoxCPM2, which makes a patch of each."""
    return _step(voxcpm2, voxcpm2.TEXT, chunk_patches=1)


def _step(of: ModuleType, text: str, **options: int) -> Walk:
    """of: the engine's module of short ways to speak."""
    walk = Walk()
    with contextlib.closing(of.opened(width=N_STREAMS)) as engine, contextlib.ExitStack() as opened:
        streams = [of.spoken(engine, text, of.learned(), seed=seed, **options) for seed in range(N_STREAMS)]
        for stream in streams:
            opened.callback(stream.close)
        for _ in range(ADVANCES_BEFORE):
            list(engine.advance(streams))
        with walk.followed(), walk.under_way():
            results = list(engine.advance(streams))
        assert all(isinstance(result, np.ndarray) for result in results), results
    return walk


# --- a studio


@contextlib.contextmanager
def _studio() -> Iterator[Studio]:
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(speakers_dir=Path(folder), default_engine=ENGINE, warm_uploads=False)
        with contextlib.closing(Studio(settings)) as studio:
            studio.load()
            yield studio


@contextlib.contextmanager
def _served(studio: Studio, build: Callable[[Studio], ASGIApp]) -> Iterator[int]:
    """What is built, as the studio's server serves it, on the port that it gives."""

    def build_config() -> uvicorn.Config:  # inside of the loop: outside of one Gradio opens loops and leaves them open
        app = behind_guards(build(studio), studio.settings, listens_on="127.0.0.1")
        return configured(app, studio.settings, log_level="critical")

    with listen("127.0.0.1", 0) as listener, served_in_a_thread(build_config, listener):
        yield listener.getsockname()[1]


def _come_to_rest(studio: Studio) -> None:
    """Until nothing is made, told or written for the speech before."""
    (speaker,) = studio.speakers()
    while not studio._parts.supply.activity.last_speech(speaker.generation_id, ENGINE):
        time.sleep(0.002)
    while any(status.streaming or status.waiting for status in studio.engines()):
        time.sleep(0.002)
    studio.prompts.flush()


# --- what the READMEs say

WALKS: Mapping[str, Callable[[], Walk]] = {"speech": speech, "creation": creation, "decode_step": decode_step, "patch_step": patch_step}
# Files. Of a speech eight are how its text is read; of a creation ten are what a file holds: its type, tracks, channels and people.
BUDGETS = {"speech": 71, "creation": 100, "decode_step": 15}
BLOCKS = {"speech": "studio", "decode_step": "engines"}  # walk -> the README that tells of it
BEGIN, END = "<!-- walk: python -m tests.house.walks --write -->\n", "<!-- end of walk -->"


def rooms_of(walk: Walk) -> dict[str, list[str]]:
    """Room -> files, in the order in which they are entered; what stands before a route is a room of its own, "guards"."""
    files = list(walk.files)
    n_guards = files.index(ROUTE) if ROUTE in files else 0
    rooms: dict[str, list[str]] = {"guards": files[:n_guards]} if n_guards else {}
    for file in files[n_guards:]:
        rooms.setdefault(file.rpartition("/")[0], []).append(file)
    return rooms


def block_of(name: str, walk: Walk) -> str:
    """Of the README, between its marks: a row per room. Beyond the guards files stand by name: threads enter them in any order."""
    package = BLOCKS[name]
    lines = [f"{len(walk.files)} files.", "", "| room | files |", "|---|---|"]
    for room, files in rooms_of(walk).items():
        names = (
            [file.removeprefix(f"{package}/") for file in files] if room == "guards" else sorted(file.rpartition("/")[2] for file in files)
        )
        title = "the guards, in their order" if room == "guards" else f"`{room.removeprefix(f'{package}/')}/`"
        lines.append(f"| {title} | {', '.join(f'`{file}`' for file in names)} |")
    return "\n".join(lines) + "\n"


def current_block(name: str) -> str:
    return READMES[BLOCKS[name]].read_text(encoding="utf-8").split(BEGIN)[1].split(END)[0]


def _rewrite(name: str, walk: Walk) -> None:
    readme = READMES[BLOCKS[name]]
    before, rest = readme.read_text(encoding="utf-8").split(BEGIN)
    readme.write_text(before + BEGIN + block_of(name, walk) + END + rest.split(END)[1], encoding="utf-8")


def _report(name: str, walk: Walk) -> str:
    lines = [f"{name}: {len(walk.files)} files" + (f", of {BUDGETS[name]} at most" if name in BUDGETS else "")]
    for room, files in rooms_of(walk).items():
        lines.append(f"  {room}")
        lines += [f"    {file}  ({sum(walk.files[file].values())} calls)" for file in files]
    return "\n".join(lines)


if __name__ == "__main__":
    for walked, follow in WALKS.items():
        found = follow()
        print(_report(walked, found))
        if "--write" in sys.argv and walked in BLOCKS:
            _rewrite(walked, found)
