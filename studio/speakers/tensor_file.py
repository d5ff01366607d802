"""The file of a speaker that other tools made: safetensors with one tensor of a form that an engine declares. No pickle is opened."""

from collections.abc import Iterable, Sequence

import numpy as np
import safetensors

from engines.contract import EngineInfo
from engines.errors import EmbeddingUnusable
from engines.prompt_form import PromptForm
from studio.audio.decode import MOST_UPLOAD_BYTES
from studio.speakers.tensor import SpeakerTensor

__all__ = ["MOST_TENSOR_FILE_BYTES", "TensorFileUnusable", "read_tensor_file"]

MOST_TENSOR_FILE_BYTES = MOST_UPLOAD_BYTES  # as of a recording: 60 s of (frames, 3072) float32 at 12.5 frames per second
MEBIBYTE = 1 << 20
MOST_NAMED = 4  # tensors, in a refusal
MOST_CODE = np.iinfo(np.int16).max
# safetensors' names of types; BF16, which NumPy does not know, is the upper half of a float32.
BF16 = "BF16"
DTYPES = {"F16": "<f2", "F32": "<f4", "F64": "<f8"} | {f"{sign}{8 * n}": f"<{sign.lower()}{n}" for sign in "IU" for n in (1, 2, 4, 8)}
PICKLE, ZIP = b"\x80", b"PK\x03\x04"  # how files begin that torch.save writes


class TensorFileUnusable(EmbeddingUnusable):
    """A file that is no voice that an engine here takes."""

    parameter = "speaker_prompt"


def read_tensor_file(data: bytes, engines: Iterable[EngineInfo]) -> SpeakerTensor:
    """The one tensor of a file that has a form of these engines: by its name, else as the only one that fits only one form.

    Raises TensorFileUnusable.
    """
    takers = [(form, info.title) for info in engines for form in info.prompt_forms]
    if not takers:
        hint = "Upload a recording of the voice instead."
        raise TensorFileUnusable("No engine here takes voices that other tools made.", hint, sentence="tensor_untaken_here")
    if len(data) > MOST_TENSOR_FILE_BYTES:
        fact = f"The file has more than {MOST_TENSOR_FILE_BYTES / MEBIBYTE:g} MiB, which is the limit."
        hint = "Keep the one tensor of the voice, as float16 or bfloat16."
        raise TensorFileUnusable(fact, hint, sentence="tensor_file_too_large", most_bytes=MOST_TENSOR_FILE_BYTES)
    forms = tuple(dict.fromkeys(form for form, _ in takers))
    form, name, values = _chosen(_stored(data, forms), forms, _told(takers))
    return SpeakerTensor.of(_checked(values, name, form), form.name, form.n_frames(values.shape))


def _told(takers: Iterable[tuple[PromptForm, str]]) -> tuple[str, ...]:
    """For people: which forms there are, and of which engines."""
    return tuple(dict.fromkeys(f"{title}: {form.described}" for form, title in takers))


def _stored(data: bytes, forms: Sequence[PromptForm]) -> list[tuple[str, dict]]:
    """Name, and {dtype, shape, data}, of each tensor."""
    try:
        return safetensors.deserialize(data)
    except safetensors.SafetensorError as error:
        if data.startswith(ZIP) or (data.startswith(PICKLE) and data[2:3] != b"\0"):  # the length of a safetensors header has zeros there
            raise _pickled(forms[0].name) from None
        hint = "Write it again, with save_file of safetensors.numpy or safetensors.torch."
        raise TensorFileUnusable(f"The file is no whole safetensors file: {error}.", hint, sentence="tensor_file_damaged") from None


def _pickled(name: str) -> TensorFileUnusable:
    """Of what torch.save writes. name: of a form, as which the line that converts it calls its tensor."""
    line = (
        "import torch, safetensors.torch as s; "
        f's.save_file({{"{name}": torch.load("voice.pt", weights_only=True).contiguous()}}, "voice.safetensors")'
    )
    fact = "The file is a Python pickle (.pt) or a zip. Opening a pickle runs what its maker wants, so it is not opened."
    return TensorFileUnusable(fact, f"Convert it with one line of Python: {line}", sentence="tensor_file_pickled", line=line)


def _chosen(stored: list[tuple[str, dict]], forms: Sequence[PromptForm], told: tuple[str, ...]) -> tuple[PromptForm, str, np.ndarray]:
    """(form, name, tensor)."""
    tensors = {name: _numbers(**tensor) for name, tensor in stored if tensor["dtype"] in (BF16, *DTYPES)}
    fitting = [(form, name, values) for name, values in tensors.items() for form in forms if form.fits(values)]
    chosen = [(form, name, values) for form, name, values in fitting if name == form.name] or fitting
    if len(chosen) == 1:
        return chosen[0]
    parts = (f"{name[:40]} ({tensor['dtype']}, {' × '.join(map(str, tensor['shape']))})" for name, tensor in stored[:MOST_NAMED])
    held = ", ".join(parts) or "–"
    if chosen:
        fact = f"The file holds more than one voice: {held}. One tensor is taken, of: {'; '.join(told)}."
        raise TensorFileUnusable(fact, "Keep one of them.", sentence="tensor_ambiguous", held=held, forms=told)
    fact = f"The file holds {held}, which is no voice that an engine here takes. Taken are: {'; '.join(told)}."
    hint = "Send the one tensor that a tool made for this model, in one of these shapes."
    raise TensorFileUnusable(fact, hint, sentence="tensor_misfit", held=held, forms=told)


def _numbers(dtype: str, shape: Sequence[int], data: bytes) -> np.ndarray:
    if dtype == BF16:
        return (np.frombuffer(data, "<u2").astype(np.uint32) << 16).view(np.float32).reshape(shape)
    return np.frombuffer(data, DTYPES[dtype]).reshape(shape)


def _checked(values: np.ndarray, name: str, form: PromptForm) -> np.ndarray:
    """Finite float32, or codes that their books have."""
    if form.is_codes:
        most = np.minimum(np.array(form.sizes)[:, None] - 1, MOST_CODE) if form.sizes else MOST_CODE
        if (values < 0).any() or (values > most).any():
            fact = f"The tensor {name[:40]!r} holds codes from {values.min()} to {values.max()}, and not all of their books have such."
            hint = "Send the codes without any offset, a row for each book."
            raise TensorFileUnusable(fact, hint, sentence="tensor_codes_beyond")
        return values
    with np.errstate(over="ignore", invalid="ignore"):
        values = values.astype(np.float32)
    if not np.isfinite(values).all():
        fact = f"The tensor {name[:40]!r} holds values that are not numbers, or that float32 cannot hold."
        raise TensorFileUnusable(fact, "Make it again.", sentence="embedding_not_finite")
    return values
