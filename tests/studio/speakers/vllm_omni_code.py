"""vLLM-Omni's own upload and restore code, run in a process of its own: `python vllm_omni_code.py <folder of vllm_omni> <verb>`.

What runs is `OmniOpenAIServingSpeech` of `vllm_omni/entrypoints/openai/serving_speech.py` and the speaker cache it holds, unchanged. All
else that they import from vllm and vllm_omni (engines, protocol classes, adapters) is replaced by empty classes: no upload and no restore
calls any of it. The folder of voices is SPEAKER_SAMPLES_DIR; a JSON argument comes on standard input, a JSON answer goes out.
"""

import asyncio
import base64
import contextlib
import hashlib
import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import io
import json
import logging
import sys
import types
from pathlib import Path
from types import SimpleNamespace

SPEECH, CACHE = "vllm_omni.entrypoints.openai.serving_speech", "vllm_omni.utils.speaker_cache"


class Stub(types.ModuleType):
    """A module in which every name is an empty class."""

    def __getattr__(self, name: str) -> object:
        if name.startswith("__"):
            raise AttributeError(name)
        if name == "init_logger":
            return logging.getLogger
        made = type(name, (), {})
        setattr(self, name, made)
        return made


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Real are the two modules named above; their packages are empty, so that nothing else of vllm_omni is executed."""

    def __init__(self, package: Path):
        self._package = package

    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] not in ("vllm", "vllm_omni"):
            return None
        if name in (SPEECH, CACHE):
            file = self._package.joinpath(*name.split(".")[1:]).with_suffix(".py")
            return importlib.util.spec_from_file_location(name, file)
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec):
        return Stub(spec.name)

    def exec_module(self, module):
        pass


def opened(package: Path):
    """Its speech service, after the part of its start that has to do with voices."""
    sys.meta_path.insert(0, Finder(package))
    kind = importlib.import_module(SPEECH).OmniOpenAIServingSpeech
    service = kind.__new__(kind)
    service._adapter = None  # no model: no built-in names
    service._tts_model_type = "cosyvoice3"
    service._init_speaker_storage()
    return service


async def upload(service, uploads: list[dict]) -> list[dict]:
    """uploads: name and consent with `embedding` (JSON text), or with `data` (base64), filename, content_type, ref_text, ..."""
    from fastapi import UploadFile
    from starlette.datastructures import Headers

    answers = []
    for given in uploads:
        if "embedding" in given:
            answers.append(await service.upload_voice_embedding(given["embedding"], given["consent"], given["name"]))
            continue
        headers = Headers({"content-type": given["content_type"]})
        file = UploadFile(io.BytesIO(base64.b64decode(given["data"])), filename=given["filename"], headers=headers)
        words = {"ref_text": given.get("ref_text"), "speaker_description": given.get("speaker_description")}
        answers.append(await service.upload_voice(file, given["consent"], given["name"], **words))
    return answers


def restored(service) -> dict[str, dict]:
    """What it knows of each voice, and what it would clone from: of audio its digest, shape and rate, of an embedding its values."""
    voices = {}
    for key, info in service.uploaded_speakers.items():
        known = {"metadata": {name: value for name, value in info.items() if name != "file_path"}, "file": Path(info["file_path"]).name}
        loaded = service._load_uploaded_audio(key)
        if loaded is not None:
            samples, rate = loaded
            known["audio"] = {
                "sha256": hashlib.sha256(samples.astype("<f4").tobytes()).hexdigest(), "shape": list(samples.shape), "rate": rate
            }  # fmt: skip
        known["embedding"] = service._get_uploaded_speaker_embedding(key)
        request = SimpleNamespace(voice=info["name"], ref_audio=None, ref_text=None)
        known["refused"] = service._apply_uploaded_speaker(request)
        known["request"] = {"ref_audio": bool(request.ref_audio), "ref_text": request.ref_text}
        voices[key] = known
    return voices


def run(package: Path, verb: str, argument: object) -> object:
    service = opened(package)
    if verb == "upload":
        return asyncio.run(upload(service, argument))
    if verb == "restore":
        return restored(service)
    if verb == "delete":
        return [asyncio.run(service.delete_voice(name)) for name in argument]
    raise SystemExit(f"unknown verb {verb}")


if __name__ == "__main__":
    with contextlib.redirect_stdout(sys.stderr):
        answer = run(Path(sys.argv[1]), sys.argv[2], json.load(sys.stdin))
    print(json.dumps(answer))
