r"""A real vLLM-Omni 0.30.0 speech server without weights: its command line, app, router and speech handlers, before a model of tones.

Only `build_async_omni`, by which that server gets its models, is replaced: `tone_model.py` answers. Routes, schemas, uploads, storage,
adapters (Qwen3-TTS Base, Fish), WAV and SSE writers, refusals, keys and uvicorn are the package's own. Imported where vllm-omni is.

Its environment (PyPI, Python 3.11) needs no GPU and no library of CUDA; vLLM's compiled parts are not loaded:

    python -m venv VENV
    VENV/bin/pip install torch==2.11.0 torchaudio==2.11.0 torchvision==0.26.0 "fastapi>=0.133,<0.137" "transformers>=5.13,<5.15" \
        "mcp>=2,<3" uvloop uvicorn aiohttp httpx python-multipart pillow msgspec prometheus-fastapi-instrumentator cloudpickle pyzmq \
        janus aenum omegaconf psutil cachetools blake3 py-cpuinfo regex sentencepiece protobuf tiktoken mistral_common msgpack six \
        partial-json-parser jsonschema pyyaml python-json-logger pybase64 cbor2 ijson setproctitle openai openai-harmony anthropic \
        opentelemetry-sdk prettytable watchfiles model-hosting-container-standards gguf scipy opencv-python-headless einops av \
        soundfile soxr
    VENV/bin/pip install --no-deps vllm==0.30.0 vllm-omni==0.30.0 "xgrammar>=0.2.1,<1" "llguidance<1.8" outlines_core==0.2.14 \
        lm-format-enforcer==0.11.3 lark==1.2.2 interegular compressed-tensors==0.17.0 apache-tvm-ffi==0.1.11 depyf==0.20.0 astor dill \
        diffusers==0.40.0 accelerate==1.12.0

    VENV/bin/python -m tests.parity.remote.official --port 8091 --folder FOLDER [--rules fish_speech] [--key KEY] [--first-seconds 0.05]

It prints the package's log; FOLDER gets the voices that are uploaded and events.jsonl, what the model was asked for. To import all of vLLM
takes ten seconds and more: with --several alone it does that once, and is then a server for each line of JSON that it reads, a list of
these arguments; it answers with the process id.
"""

import argparse
import asyncio
import json
import os
import signal
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path

__all__ = ["UPSTREAM", "main"]

UPSTREAM = "PyPI vllm-omni 0.30.0"


def main() -> None:
    """Serve until it is told to stop."""
    os.environ["HF_HUB_OFFLINE"] = "1"  # read when the package is imported; the model has no folder at the hub
    if sys.argv[1:] == ["--several"]:
        _serve_each_line()
    else:
        _serve(_arguments(sys.argv[1:]))


def _serve_each_line() -> None:
    from vllm_omni.entrypoints.openai import api_server  # noqa: F401 - so that the children need not

    from tests.parity.remote import tone_model  # noqa: F401

    children = []
    for line in sys.stdin:
        process = os.fork()
        if not process:
            os.dup2(os.open(os.devnull, os.O_RDONLY), sys.stdin.fileno())
            asked = _arguments(json.loads(line))
            asked.folder.mkdir(parents=True, exist_ok=True)
            log = os.open(asked.folder / "log", os.O_CREAT | os.O_APPEND | os.O_WRONLY)
            os.dup2(log, 1)
            os.dup2(log, 2)
            _serve(asked)
            return
        children.append(process)
        print(process, flush=True)
    for process in children:
        with suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)


def _serve(asked: argparse.Namespace) -> None:
    asked.folder.mkdir(parents=True, exist_ok=True)
    # Both are read when the server is made: where voices are kept, and how many of them.
    os.environ["SPEAKER_SAMPLES_DIR"] = str(asked.folder / "speakers")
    os.environ["SPEAKER_MAX_UPLOADED"] = str(asked.most_voices)
    from vllm_omni.entrypoints.openai import api_server

    from tests.parity.remote.tone_model import Pace, ToneModel

    model = ToneModel(asked.rules, asked.folder, Pace(asked.first_seconds, asked.extract_seconds, asked.chunk_seconds, asked.speed))

    @asynccontextmanager
    async def tones(*_: object, **__: object) -> AsyncIterator[ToneModel]:
        yield model

    api_server.build_async_omni = tones
    arguments = _official_arguments(asked)
    address, socket = api_server.setup_openai_server(arguments, reuse_port=False)
    clients = {"client_count": asked.api_servers} if asked.api_servers > 1 else None
    asyncio.run(api_server.omni_run_server_worker(address, socket, arguments, client_config=clients))


def _arguments(given: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0], formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--folder", type=Path, required=True, help="where voices and events go; kept")
    parser.add_argument("--rules", choices=("qwen3_tts", "fish_speech"), default="qwen3_tts", help="whose adapter reads the requests")
    parser.add_argument("--name", default="tones", help="of the model, as it is served")
    parser.add_argument("--key", help="that requests below /v1 must carry")
    parser.add_argument("--most-voices", type=int, default=1000, help="that may be uploaded")
    parser.add_argument("--api-servers", type=int, default=1, help="that it believes to be one of")
    parser.add_argument("--first-seconds", type=float, default=0.05, help="from the request to the first audio")
    parser.add_argument("--extract-seconds", type=float, default=0.0, help="more, where a recording is new to the model")
    parser.add_argument("--chunk-seconds", type=float, default=0.16, help="of audio in a piece")
    parser.add_argument("--speed", type=float, default=4.0, help="seconds of audio per second, after the first")
    return parser.parse_args(given)


def _official_arguments(asked: argparse.Namespace) -> argparse.Namespace:
    """As the package's own command line reads them."""
    from vllm.utils.argparse_utils import FlexibleArgumentParser
    from vllm_omni.entrypoints.cli.serve import OmniServeCommand

    parser = FlexibleArgumentParser()
    OmniServeCommand().subparser_init(parser.add_subparsers())
    given = ["serve", asked.name, "--omni", "--host", "127.0.0.1", "--port", str(asked.port), "--served-model-name", asked.name]
    arguments = parser.parse_args(given + (["--api-key", asked.key] if asked.key else []))
    arguments.model, arguments.api_server_count = asked.name, asked.api_servers
    return arguments


if __name__ == "__main__":
    main()
