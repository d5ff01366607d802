"""What vLLM-Omni 0.30.0 refuses before its model is asked, recorded from its own code in `vllm_omni_refusals.json`.

What runs is its request schema (`vllm_omni/entrypoints/openai/protocol/audio.py`) and the handlers of vLLM 0.30.0 for schema failures and
HTTP errors (`vllm/entrypoints/serve/exception_handling`), unchanged, behind routes of the same paths and parameters; nothing else of
either package is executed. Their SHA-256 begin with d71e86e4632fed6d (`audio.py`) and ed14c81cc5685c75 (`handlers/validation.py`). To
record them again, with the two wheels unpacked into one folder (`pip install --no-deps --target FOLDER vllm-omni==0.30.0 vllm==0.30.0`):

    PYTHONPATH=FOLDER python -m tests.api.contract.vllm_omni_refusals
"""

import asyncio
import importlib.util
import json
import logging
import re
import sys
import types
from collections.abc import Callable
from pathlib import Path

import httpx
from fastapi import Depends, FastAPI, File, Form, Request, UploadFile
from fastapi.exceptions import HTTPException, RequestValidationError

__all__ = ["CASES", "RECORDED", "Case", "recorded", "sent"]

RECORDED = Path(__file__).with_suffix(".json")
SPEECH, BATCH, VOICES = "/v1/audio/speech", "/v1/audio/speech/batch", "/v1/audio/voices"
REFERENCE = {"audio_path": "data:,", "text": "words"}
STREAMS = [{"stream": True}, {"stream_format": "audio"}, {"stream_format": "sse"}]

Case = tuple[str, str, object]  # method, path, what is sent: JSON, (content type, text) as it is, or form fields


def _spoken(**fields: object) -> Case:
    return ("POST", SPEECH, {"input": "hi"} | fields)


def _batch(*items: dict[str, object], **defaults: object) -> Case:
    return ("POST", BATCH, {"items": list(items)} | defaults)


CASES: list[Case] = [
    *(("POST", SPEECH, body) for body in ({}, [], "x", {"input": 5}, {"input": None}, {"input": ["a"]}, {"input": {"a": 1}})),
    *(("POST", path, ("application/json", text)) for path in (SPEECH, BATCH) for text in ("{", "", '{"input": "x"', "nonsense", "{}x")),
    *(("POST", path, (kind, "{}")) for path in (SPEECH, BATCH) for kind in ("text/plain", "application/x-www-form-urlencoded")),
    *(_spoken(response_format=format) for format in ("aac", "ogg", "AAC", 5, None, "x" * 300, ["aac"])),
    *(_spoken(response_format=format, **stream) for format in ("mp3", "opus", "flac", "aac") for stream in STREAMS),
    *(_spoken(speed=speed) for speed in (0.1, 4.01, 0, -1, "fast", [1.0], {"a": 1})),
    *(_spoken(sample_rate=rate) for rate in (0, -8000, 1.5, "x", "y" * 201)),
    *(_spoken(stream=flag) for flag in ("maybe", 3, None)),
    *(_spoken(stream_format=format) for format in ("wav", 5)),
    *(_spoken(task_type=kind) for kind in ("base", "voicedesign", 1)),
    *(_spoken(voice=voice) for voice in (5, {"x": 1}, ["alice"], True, {"id": 5})),
    *(_spoken(speaker=voice) for voice in (5, {"x": 1})),
    *(_spoken(**{name: 5}) for name in ("model", "instructions", "language", "ref_text", "ref_audio_2", "ambient_sound")),
    *(_spoken(max_new_tokens=most) for most in (0, 2**63, "x", 1.5)),
    *(_spoken(seed=seed) for seed in (2**63, -(2**63) - 1, "x")),
    *(_spoken(initial_codec_chunk_frames=frames) for frames in (-1, 2**63)),
    *(_spoken(extra_params=given) for given in ("x", [1])),
    _spoken(ref_audio=[]),
    _spoken(ref_audio="data:audio/wav;base64,", speaker_embedding=[0.5]),
    _spoken(duration_seconds=-1),
    _spoken(x_vector_only_mode="maybe"),
    _spoken(non_streaming_mode=7),
    _spoken(word_timestamps="maybe"),
    _spoken(voice="alice", speaker="bob", speed=9),
    ("POST", SPEECH, {"voice": "alice", "speaker": 5}),
    *(
        _spoken(references=given)
        for given in ([REFERENCE] * 2, [], {}, "x", ["x"], [{}], [{"text": "a"}], [{"audio_path": None}], [{"audio_path": 5}])
    ),
    _spoken(references=[REFERENCE], ref_audio="data:other"),
    _spoken(response_format="aac", speed=9, stream="maybe", seed="x", task_type="base", max_new_tokens=0, sample_rate=0, model=5),
    (
        "POST",
        SPEECH,
        dict.fromkeys(("response_format", "sample_rate", "speed", "stream_format", "stream", "task_type", "max_new_tokens"), "?" * 250)
        | {"voice": 5, "model": 5, "seed": "x", "extra_params": "x", "word_timestamps": "maybe"},
    ),
    ("POST", BATCH, {}),
    ("POST", BATCH, {"items": 5}),
    _batch(),
    _batch({}),
    _batch({"input": 5}),
    _batch({"input": "hi"}, {"input": "ho", "response_format": "aac"}),
    _batch({"input": "hi"}, response_format="aac"),
    _batch({"input": "hi"}, response_format=None),
    _batch({"input": "hi", "speed": 9}, {"input": "ho", "response_format": "ogg"}),
    _batch({"input": "hi", "task_type": "base", "max_new_tokens": 0}),
    _batch({"input": "hi"}, sample_rate=0),
    *(("POST", VOICES, fields) for fields in ({"name": "alice"}, {"consent": "c"}, {"name": "", "consent": ""})),
    *(("GET", path, None) for path in ("/v1/nothing", "/v1", "/v1/audio/speech/nothing", "/nothing")),
    *(("PUT", path, None) for path in (SPEECH, BATCH, VOICES)),
    ("HEAD", VOICES, None),
    ("GET", SPEECH, None),
    ("DELETE", VOICES, None),
]


async def sent(client: httpx.AsyncClient, case: Case) -> httpx.Response:
    method, path, content = case
    if isinstance(content, tuple):
        return await client.request(method, path, content=content[1], headers={"content-type": content[0]})
    if path == VOICES and content is not None:
        return await client.request(method, path, files={name: (None, text) for name, text in content.items()})
    return await client.request(method, path, json=content) if method == "POST" else await client.request(method, path)


def recorded() -> list[dict[str, object]]:
    """In the order of CASES: status, allow (header) and body, where vLLM-Omni refuses; status alone where it does not."""
    return json.loads(RECORDED.read_text(encoding="utf-8"))


# --- recording


def _standing_for(name: str, **members: object) -> None:
    module = types.ModuleType(name)
    module.__path__ = []
    vars(module).update(members)
    sys.modules[name] = module


def _module(folder: Path, name: str) -> types.ModuleType:
    spec = importlib.util.spec_from_file_location(name, (folder / name.replace(".", "/")).with_suffix(".py"))
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def _handlers(folder: Path) -> tuple[Callable, Callable]:
    """(of schema failures, of HTTP errors)."""
    from pydantic import BaseModel

    class ErrorInfo(BaseModel):  # as in vllm/entrypoints/serve/engine/protocol.py, whose base class needs the rest of vllm
        message: str
        type: str
        param: str | None = None
        code: int

    class ErrorResponse(BaseModel):
        error: ErrorInfo

    handling = "vllm.entrypoints.serve.exception_handling"
    for package in (
        "vllm",
        "vllm.entrypoints",
        "vllm.entrypoints.serve",
        "vllm.entrypoints.serve.engine",
        handling,
        f"{handling}.handlers",
    ):
        _standing_for(package)
    sys.modules["regex"] = re  # its patterns here are ones that `re` knows, too
    _standing_for("vllm.logger", init_logger=logging.getLogger)
    _standing_for("vllm.exceptions", VLLMValidationError=type("VLLMValidationError", (ValueError,), {}))
    _standing_for("vllm.entrypoints.serve.engine.protocol", ErrorInfo=ErrorInfo, ErrorResponse=ErrorResponse)
    _module(folder, f"{handling}.utils")
    of_schema = _module(folder, f"{handling}.handlers.validation").validation_exception_handler
    return of_schema, _module(folder, f"{handling}.handlers.http").http_exception_handler


def _vllm_omni(folder: Path) -> FastAPI:
    """An app with its schema and its handlers."""
    of_schema, of_http = _handlers(folder)
    protocol = _module(folder, "vllm_omni.entrypoints.openai.protocol.audio")
    app = FastAPI()
    app.state.args = types.SimpleNamespace(log_error_stack=False)
    app.exception_handler(HTTPException)(of_http)
    app.exception_handler(RequestValidationError)(of_schema)

    async def validate_json_request(raw_request: Request) -> None:  # vllm/entrypoints/serve/utils/api_utils.py
        if raw_request.headers.get("content-type", "").lower().split(";", maxsplit=1)[0] != "application/json":
            raise RequestValidationError(errors=["Unsupported Media Type: Only 'application/json' is allowed"])

    json_only = [Depends(validate_json_request)]

    @app.post(SPEECH, dependencies=json_only)
    async def create_speech(request: protocol.OpenAICreateSpeechRequest, raw_request: Request) -> dict[str, str]:
        return {}

    @app.post(BATCH, dependencies=json_only)
    async def create_speech_batch(request: protocol.BatchSpeechRequest, raw_request: Request) -> dict[str, str]:
        return {}

    @app.get(VOICES)
    async def list_voices(raw_request: Request) -> dict[str, str]:
        return {}

    @app.post(VOICES)
    async def upload_voice(
        *,
        raw_request: Request,
        audio_sample: UploadFile | None = File(None),
        speaker_embedding: str | None = Form(None),
        consent: str = Form(...),
        name: str = Form(...),
        ref_text: str | None = Form(None),
        speaker_description: str | None = Form(None),
    ) -> dict[str, str]:
        return {}

    @app.delete(VOICES + "/{name}")
    async def delete_voice(name: str, raw_request: Request) -> dict[str, str]:
        return {}

    return app


async def _record(folder: Path) -> list[dict[str, object]]:
    answers = []
    async with httpx.AsyncClient(transport=httpx.ASGITransport(_vllm_omni(folder)), base_url="http://omni") as client:
        for case in CASES:
            answer = await sent(client, case)
            told = {"status": answer.status_code}
            if answer.status_code != httpx.codes.OK:
                told |= {"allow": answer.headers["allow"]} if "allow" in answer.headers else {}
                told |= {"body": answer.json()} if answer.content else {}
            answers.append(told)
    return answers


def main() -> None:
    folder = next(Path(entry) for entry in sys.path if Path(entry, "vllm_omni").is_dir())
    answers = asyncio.run(_record(folder))
    lines = ",\n".join(json.dumps(answer, ensure_ascii=False) for answer in answers)
    RECORDED.write_text(f"[\n{lines}\n]\n", encoding="utf-8")


if __name__ == "__main__":
    main()
