"""The file of a speaker that other tools made: safetensors with one tensor, in a form that an engine declares. No pickle is opened."""

from collections.abc import Iterable, Sequence

import numpy as np
import safetensors

from engines.contract.contract import EngineInfo
from engines.contract.prompt_form import MOST_VALUE, PromptForm
from engines.errors import EmbeddingUnusable
from studio.audio.decode import MOST_UPLOAD_BYTES
from studio.errors import StudioError
from studio.speakers.tensor import SpeakerTensor

__all__ = ["MOST_TENSOR_FILE_BYTES", "TensorFileUnusable", "read_tensor_file"]

MOST_TENSOR_FILE_BYTES = MOST_UPLOAD_BYTES  # as of a recording: 60 s of (frames, 3072) float32 at 12.5 frames per second
MEBIBYTE = 1 << 20
MOST_NAMED = 4  # tensors, in a refusal
MOST_NAME_CHARACTERS = 40
MOST_NAMED_SIZES = 8  # of one of them
MOST_TOLD_CHARACTERS = 200  # of what the parser says, which quotes the file
# safetensors' names of types; BF16, which NumPy does not know, is the upper half of a float32.
BF16 = "BF16"
FLOATS = {BF16: "<u2", "F16": "<f2", "F32": "<f4", "F64": "<f8"}
CODES = {f"{sign}{8 * n}": f"<{sign.lower()}{n}" for sign in "IU" for n in (1, 2, 4, 8)}
PICKLE, ZIP = b"\x80", b"PK\x03\x04"  # how files begin that torch.save writes


class TensorFileUnusable(StudioError, EmbeddingUnusable):
    """A file that is no voice that an engine here takes. sentence: which fact it is, with its values."""

    parameter = "speaker_prompt"


def read_tensor_file(data: bytes, engines: Iterable[EngineInfo]) -> SpeakerTensor:
    """The one tensor of a file that has a form of these engines: by its name, else as the only one that fits only one form.

    Raises TensorFileUnusable.
    """
    takers = [(form, info.title) for info in engines for form in info.prompt_forms]
    if not takers:
        raise TensorFileUnusable(sentence="tensor_untaken_here")
    if len(data) > MOST_TENSOR_FILE_BYTES:
        raise TensorFileUnusable(sentence="tensor_file_too_large", most_bytes=MOST_TENSOR_FILE_BYTES)
    forms = tuple(dict.fromkeys(form for form, _ in takers))
    fitting, name, values = _chosen(_stored(data, forms), forms, _told(takers))
    form = fitting[0]
    return SpeakerTensor.of(_checked(values, name, fitting), form.name, form.n_frames(values.shape))


def _told(takers: Iterable[tuple[PromptForm, str]]) -> tuple[str, ...]:
    """For people: which forms there are, and of which engines."""
    return tuple(dict.fromkeys(f"{title}: {form.described}" for form, title in takers))


def _stored(data: bytes, forms: Sequence[PromptForm]) -> list[tuple[str, dict]]:
    """Name, and {dtype, shape, data}, of each tensor, by name."""
    try:
        return sorted(safetensors.deserialize(data), key=lambda tensor: tensor[0])
    except safetensors.SafetensorError as error:
        if data.startswith(ZIP) or (data.startswith(PICKLE) and data[2:3] != b"\0"):  # the length of a safetensors header has zeros there
            raise _pickled(forms[0].name) from None
        raise TensorFileUnusable(detail=str(error)[:MOST_TOLD_CHARACTERS], sentence="tensor_file_damaged") from None


def _pickled(name: str) -> TensorFileUnusable:
    """Of what torch.save writes. name: of a form, as which the line that converts it calls its tensor."""
    line = (
        "import torch, safetensors.torch as s; "
        f's.save_file({{"{name}": torch.load("voice.pt", weights_only=True).contiguous()}}, "voice.safetensors")'
    )
    return TensorFileUnusable(sentence="tensor_file_pickled", line=line)


def _chosen(
    stored: list[tuple[str, dict]], forms: Sequence[PromptForm], told: tuple[str, ...]
) -> tuple[tuple[PromptForm, ...], str, np.ndarray]:
    """(forms, name, tensor). forms: of one name, which it has; engines may differ in how large their books are."""
    fitting = [(form, name, tensor) for name, tensor in stored for form in forms if _fits(form, **tensor)]
    chosen = [(form, name, tensor) for form, name, tensor in fitting if name == form.name] or fitting
    if len({(form.name, name) for form, name, _ in chosen}) == 1:
        _, name, tensor = chosen[0]
        return tuple(form for form, _, _ in chosen), name, _numbers(**tensor)
    held = ", ".join(_described(name, **tensor) for name, tensor in stored[:MOST_NAMED]) or "–"
    if chosen:
        raise TensorFileUnusable(sentence="tensor_ambiguous", held=held, forms=told)
    raise TensorFileUnusable(sentence="tensor_misfit", held=held, forms=told)


def _fits(form: PromptForm, dtype: str, shape: Sequence[int], data: bytes) -> bool:
    """Told by what the header says: NumPy has no tensors of more than 64 axes, nor of any size."""
    return dtype in (CODES if form.is_codes else FLOATS) and form.has_shape(shape)


def _described(name: str, dtype: str, shape: Sequence[int], data: bytes) -> str:
    sizes = [*map(str, shape[:MOST_NAMED_SIZES]), *(["…"] if len(shape) > MOST_NAMED_SIZES else [])]
    return f"{_named(name)} ({dtype}, {' × '.join(sizes) or 1})"


def _named(name: str) -> str:
    """For people: the beginning, without what would change the line that it stands in."""
    return "".join(letter if letter.isprintable() else "�" for letter in name[:MOST_NAME_CHARACTERS])


def _numbers(dtype: str, shape: Sequence[int], data: bytes) -> np.ndarray:
    values = np.frombuffer(data, (FLOATS | CODES)[dtype])
    widened = (values.astype(np.uint32) << 16).view(np.float32) if dtype == BF16 else values
    return widened.reshape(shape)


def _checked(values: np.ndarray, name: str, forms: Sequence[PromptForm]) -> np.ndarray:
    """Finite float32, or codes that all books of one of the forms have."""
    if forms[0].is_codes:
        if not any(form.holds(values) for form in forms):
            held = f"{_named(name)!r} holds codes from {values.min()} to {values.max()}"
            raise TensorFileUnusable(detail=held, sentence="tensor_codes_beyond")
        return values
    with np.errstate(over="ignore", invalid="ignore"):
        values = values.astype(np.float32)
    if not forms[0].holds(values):
        held = f"{_named(name)!r} holds values that are not numbers, or beyond {MOST_VALUE:.0f}"
        raise TensorFileUnusable(detail=held, sentence="embedding_not_finite")
    return values
