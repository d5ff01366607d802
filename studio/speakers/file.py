"""The file of one speaker: safetensors with the metadata keys of vLLM-Omni 0.30.0. So each server reads the files of the other.

Beside those keys ours carry generation_id, clip_digest (or embedding_digest), seconds, language, tags, the joints of several recordings,
ref_text_by where a machine wrote the words, a consent_record where there is one, the workspace whose it is (without one it is everybody's)
and, once edited, a revision. A prompt that other tools made is "speaker_prompt", with prompt_form, prompt_frames and prompt_digest;
neither vLLM-Omni nor a studio of before knows such a file. For our own files the header is trusted once structure and size are right, and
samples and prompts are checked when they are read; a foreign file is read whole.
"""

import hashlib
import json
import math
import os
import re
import stat
from dataclasses import dataclass, replace
from io import BufferedReader
from pathlib import Path
from typing import TypedDict

import numpy as np

from engines.clips.clip import Clip, Transcript, checked_joints
from engines.errors import CallerMistake, ClipUnusable, OptionInvalid
from engines.plain_json import read_json
from studio.speakers.consent import ConsentRecord
from studio.speakers.metadata import LAST_CREATED_AT, MOST_REVISIONS, checked, whole_number
from studio.speakers.speaker import MOST_RECORDINGS, Speaker
from studio.speakers.tensor import SpeakerTensor
from studio.workspace import EVERYBODY

__all__ = ["EMBEDDING", "SpeakerFile", "SpeakerFileBad", "header_bytes", "read_source", "read_speaker"]

BY_TRANSCRIBER = "transcriber"  # who wrote the words, where that was no person
MOST_HEADER_BYTES = 1 << 20
MOST_FILE_BYTES = 512 << 20  # 10 minutes of 192 kHz mono are 461 MB
MOST_CHANNELS = 32
MOST_EMBEDDING = 4096  # elements, vLLM-Omni's bound
MOST_FRAMES = 1_000_000  # of a prompt; what an engine takes, its PromptForm says
AUDIO, EMBEDDING, PROMPT = "audio", "speaker_embedding", "speaker_prompt"  # names of tensors
DTYPES = {"F32": np.dtype("<f4"), "I16": np.dtype("<i2")}  # the latter of a prompt alone
# A FIFO of that name must not hold us; Windows has none, and would translate line ends.
_OPEN_FLAGS = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
_SPARE_BYTES = 8  # so that a later created_at with more digits still fits into the room of the first header


class SpeakerFileBad(Exception):
    """Not a speaker that can be served; the text says why, without paths."""


@dataclass(frozen=True)
class SpeakerFile:
    """What a file says. ours: it names its generation; a foreign one (vLLM-Omni's) gets its generation id from its content."""

    speaker: Speaker
    ours: bool


@dataclass(frozen=True)
class _Header:
    metadata: dict[str, str]
    tensor: str  # AUDIO, EMBEDDING or PROMPT
    dtype: np.dtype
    shape: tuple[int, ...]
    data_start: int


def header_bytes(speaker: Speaker, values: np.ndarray, room: int = 0) -> bytes:
    """All of a speaker's file before its data: samples (T,) of the clip, or the values of its tensor.

    room: length that the header had before, to write another created_at over it. Raises OptionInvalid for words that do not fit.
    """
    tensor = AUDIO if speaker.tensor is None else PROMPT if speaker.tensor.form else EMBEDDING
    dtype = next(name for name, dtype in DTYPES.items() if dtype == values.dtype)
    described = {"dtype": dtype, "shape": list(values.shape), "data_offsets": [0, values.nbytes]}
    text = json.dumps({"__metadata__": _metadata(speaker), tensor: described}, ensure_ascii=False).encode()
    if len(text) > MOST_HEADER_BYTES // 2:
        raise OptionInvalid("transcript", sentence="words_too_long", n_bytes=len(text), most_bytes=MOST_HEADER_BYTES // 2)
    length = room - 8 if room else -(-(len(text) + _SPARE_BYTES) // 8) * 8
    return length.to_bytes(8, "little") + text.ljust(length)


def read_speaker(path: Path) -> SpeakerFile:
    """The speaker in a file, without its samples and without `read_clip`. Raises SpeakerFileBad, OSError."""
    with _opened(path) as file:
        header = _read_header(file)
        ours = "generation_id" in header.metadata
        generation_id = _generation_id(header) if ours else hashlib.file_digest(_rewound(file), "sha256").hexdigest()[:32]
        speaker = _speaker(header, generation_id, ours, file)
    return SpeakerFile(speaker, ours)


def read_source(path: Path, speaker: Speaker) -> Clip | SpeakerTensor:
    """What the file of that speaker holds: its clip, channels averaged, or its tensor. Raises SpeakerFileBad, OSError."""
    with _opened(path) as file:
        header = _read_header(file)
        source = _clip(file, header) if speaker.tensor is None else _tensor(file, header)
    if source.digest != speaker.source_digest:
        raise SpeakerFileBad("its samples do not match their digest")
    return source


def _metadata(speaker: Speaker) -> dict[str, str]:
    words = speaker.transcript
    tensor = speaker.tensor
    form = tensor.form if tensor is not None else ""
    prompt, embedding = (tensor, None) if form else (None, tensor)
    values = {
        "name": speaker.name,
        "voice_name_lower": speaker.name.lower(),
        "consent": speaker.consent,
        "created_at": speaker.created_at,
        "mime_type": speaker.mime_type,
        "original_filename": speaker.filename,
        "file_size": None if tensor is not None else speaker.file_bytes,  # vLLM-Omni then lists the size of this file
        "sample_rate": speaker.sample_rate,
        "ref_text": words.text if words else None,
        "embedding_source": "direct" if tensor is not None else "audio",
        "embedding_dim": embedding.shape[0] if embedding is not None else None,
        "speaker_description": speaker.description,
        "generation_id": speaker.generation_id,
        "clip_digest": speaker.clip_digest,
        "embedding_digest": embedding.source_digest if embedding is not None else None,
        "prompt_form": form or None,
        "prompt_frames": prompt.n_frames if prompt is not None else None,
        "prompt_digest": prompt.source_digest if prompt is not None else None,
        "seconds": speaker.seconds,
        "joints": json.dumps(speaker.joints) if speaker.joints else None,
        "language": words.language if words else None,
        "ref_text_by": BY_TRANSCRIBER if words and words.by_transcriber else None,
        "tags": json.dumps(list(speaker.tags)) if speaker.tags else None,
        "consent_record": speaker.consent_record.to_json() if speaker.consent_record else None,
        "revision": speaker.revision or None,
        "speech_seconds": speaker.speech_seconds,
        "workspace": speaker.workspace or None,
    }
    return {name: str(value) for name, value in values.items() if value is not None}


def _opened(path: Path) -> BufferedReader:
    descriptor = os.open(path, os.O_RDONLY | _OPEN_FLAGS)
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode):
        os.close(descriptor)
        raise SpeakerFileBad("it is not a regular file")
    return os.fdopen(descriptor, "rb")


def _rewound(file: BufferedReader) -> BufferedReader:
    file.seek(0)
    return file


def _read_header(file: BufferedReader) -> _Header:
    n_bytes = os.fstat(file.fileno()).st_size
    if n_bytes > MOST_FILE_BYTES:
        raise SpeakerFileBad(f"it has {n_bytes} bytes; the limit is {MOST_FILE_BYTES}")
    length = int.from_bytes(file.read(8), "little")
    if length > MOST_HEADER_BYTES:
        raise SpeakerFileBad(f"its header claims {length} bytes; the limit is {MOST_HEADER_BYTES}")
    text = file.read(length)
    if len(text) < max(length, 2):
        raise SpeakerFileBad(f"it is truncated: {n_bytes} bytes")
    try:
        header = read_json(text)
        metadata = header.pop("__metadata__", {})
        if not all(isinstance(part, str) for pair in metadata.items() for part in pair):
            raise TypeError
        ends = {8 + length + described["data_offsets"][1] for described in header.values()}
        tensor = next((name for name in (AUDIO, PROMPT) if name in header), EMBEDDING)
        described = header[tensor]
        stated, shape, (start, end) = described["dtype"], tuple(described["shape"]), described["data_offsets"]
        dtype = DTYPES.get(stated) if tensor == PROMPT or stated == "F32" else None
        n_bytes_each = dtype.itemsize if dtype else 0
        whole = all(type(number) is int and number >= 0 for number in (*shape, start, end))
        whole = whole and (dtype is None or end - start == n_bytes_each * math.prod(shape))
    except KeyError:
        raise SpeakerFileBad("it holds neither audio nor a speaker embedding") from None
    except (ValueError, TypeError, AttributeError, IndexError):
        raise SpeakerFileBad("its header is not that of a safetensors file") from None
    if dtype is None:
        raise SpeakerFileBad(f"its samples are {stated!r:.20}, not F32")
    if not whole or max(ends) != n_bytes:
        raise SpeakerFileBad(f"its size does not match its header: {n_bytes} bytes, {max(ends)} announced")
    return _Header(metadata, tensor, dtype, shape, 8 + length + start)


def _speaker(header: _Header, generation_id: str, ours: bool, file: BufferedReader) -> Speaker:
    metadata = header.metadata
    tensor, values = None, _Recording()
    if header.tensor == AUDIO:
        values = _of_audio(header, ours, file)
    else:
        tensor = _stated_prompt(header) if header.tensor == PROMPT else _embedding(header, ours, file)
    digest = values.get("clip_digest", "") if tensor is None else tensor.digest
    if not metadata.get("name"):
        raise SpeakerFileBad("it names no speaker")
    speaker = Speaker(
        name=metadata["name"],
        generation_id=generation_id,
        consent=metadata.get("consent", ""),
        created_at=_whole_number(metadata, "created_at", LAST_CREATED_AT, default="" if ours else "0"),
        transcript=_transcript(metadata) if ours else Transcript.of(metadata.get("ref_text"), metadata.get("language")),
        description=metadata.get("speaker_description"),
        tags=_tags(metadata) if ours else (),
        mime_type=metadata.get("mime_type", "audio/wav"),
        filename=metadata.get("original_filename", ""),
        file_bytes=_file_bytes(metadata),
        revision=_whole_number(metadata, "revision", MOST_REVISIONS, default="0") if ours else 0,
        speech_seconds=_speech_seconds(metadata) if ours else None,
        consent_record=ConsentRecord.from_json(metadata.get("consent_record"), digest),
        workspace=_workspace(metadata),
        tensor=tensor,
        **values,
    )
    try:
        return checked(speaker, is_new=False)
    except CallerMistake as error:
        raise SpeakerFileBad(error.fact) from None


class _Recording(TypedDict, total=False):
    """What a Speaker has of its recording."""

    clip_digest: str
    seconds: float
    sample_rate: int
    joints: tuple[int, ...]


def _of_audio(header: _Header, ours: bool, file: BufferedReader) -> _Recording:
    rate = _sample_rate(header)
    n_samples = header.shape[0] if header.shape else 0
    mono = len(header.shape) == 1
    if n_samples == 0 or not (mono or (not ours and len(header.shape) == 2 and 1 <= header.shape[1] <= MOST_CHANNELS)):
        raise SpeakerFileBad(f"its audio has shape {header.shape}; wanted are (T,) or (T, C) with at most {MOST_CHANNELS} channels")
    joints = _joints(header) if ours else ()
    digest = header.metadata.get("clip_digest", "") if ours else _clip(file, header).digest
    if not re.fullmatch(r"[0-9a-f]{64}", digest):
        raise SpeakerFileBad("it states no digest of its clip")
    return {"clip_digest": digest, "seconds": n_samples / rate, "sample_rate": rate, "joints": joints}


def _embedding(header: _Header, ours: bool, file: BufferedReader) -> SpeakerTensor:
    if len(header.shape) != 1 or not 1 <= header.shape[0] <= MOST_EMBEDDING:
        raise SpeakerFileBad(f"its speaker embedding has shape {header.shape}; wanted is (D,) with at most {MOST_EMBEDDING} elements")
    values = _values(file, header)
    if not np.isfinite(values).all():
        raise SpeakerFileBad("its speaker embedding holds values that are not numbers")
    embedding = SpeakerTensor.of(values)
    if ours and header.metadata.get("embedding_digest") != embedding.source_digest:
        raise SpeakerFileBad("its speaker embedding does not match its digest")
    return embedding


def _stated_prompt(header: _Header) -> SpeakerTensor:
    """As the header of one of our own files has it; its values can be read by who knows where the file is."""
    form, digest = header.metadata.get("prompt_form", ""), header.metadata.get("prompt_digest", "")
    n_frames = _whole_number(header.metadata, "prompt_frames", MOST_FRAMES)
    if len(header.shape) != 2 or n_frames not in header.shape or not n_frames:
        raise SpeakerFileBad(
            f"its prompt has shape {header.shape} and {n_frames} frames; wanted is a table with a row or a column for each"
        )
    if not re.fullmatch(r"[!-~]{1,64}", form) or not re.fullmatch(r"adopted:[0-9a-f]{64}", digest):
        raise SpeakerFileBad("it does not state what prompt it holds")
    return SpeakerTensor(form, header.shape, n_frames, digest, _unread)


def _unread() -> np.ndarray:
    raise LookupError("nobody has said where the values of this tensor are")


def _tensor(file: BufferedReader, header: _Header) -> SpeakerTensor:
    stated = _stated_prompt(header) if header.tensor == PROMPT else None
    return SpeakerTensor.of(_values(file, header), stated.form if stated else "", stated.n_frames if stated else 0)


def _clip(file: BufferedReader, header: _Header) -> Clip:
    if header.tensor != AUDIO:
        raise SpeakerFileBad("it holds no audio")
    samples = _values(file, header)
    if len(header.shape) == 2:
        with np.errstate(invalid="ignore"):  # what is not a number stays none, and is refused below
            samples = samples.mean(axis=1, dtype=np.float64).astype(np.float32)
    samples.flags.writeable = False  # so that the clip shares them
    try:
        return Clip(samples, _sample_rate(header), _joints(header))
    except (ClipUnusable, ValueError):
        raise SpeakerFileBad("its audio holds samples that are not numbers, or has the wrong shape") from None


def _values(file: BufferedReader, header: _Header) -> np.ndarray:
    """The tensor in its shape; an array of its own."""
    file.seek(header.data_start)
    values = np.empty(header.shape, header.dtype)
    if not values.size or file.readinto(values.data.cast("B")) != values.nbytes:
        raise SpeakerFileBad("it is truncated or empty")
    return values


def _generation_id(header: _Header) -> str:
    if not re.fullmatch(r"[0-9a-f]{32}", header.metadata["generation_id"]):  # it becomes a folder's name
        raise SpeakerFileBad("its generation id is not 32 hexadecimal digits")
    return header.metadata["generation_id"]


def _sample_rate(header: _Header) -> int:
    rate = _whole_number(header.metadata, "sample_rate", 768_000)
    if rate < 1_000:  # the bounds of Clip
        raise SpeakerFileBad(f"its sample rate is {rate} Hz; wanted are 1000 to 768000")
    return rate


def _whole_number(metadata: dict[str, str], name: str, most: int, default: str = "") -> int:
    try:
        return whole_number(name, metadata.get(name, default), most)
    except OptionInvalid as error:
        raise SpeakerFileBad(error.fact) from None


def _speech_seconds(metadata: dict[str, str]) -> float | None:
    """None also for what is no number of seconds: then the words are taken as they are."""
    try:
        seconds = float(metadata.get("speech_seconds", ""))
    except ValueError:
        return None
    return seconds if math.isfinite(seconds) and seconds >= 0 else None


def _workspace(metadata: dict[str, str]) -> str:
    workspace = metadata.get("workspace", EVERYBODY)
    if not re.fullmatch(r"[!-~]{0,300}", workspace):  # printable ASCII, as studio/workspace.py names them
        raise SpeakerFileBad("it names no workspace that there can be")
    return workspace


def _joints(header: _Header) -> tuple[int, ...]:
    """() for a foreign file, whatever it has under that key."""
    if "generation_id" not in header.metadata:
        return ()
    try:
        joints = checked_joints(read_json(header.metadata.get("joints", "[]")), header.shape[0])
    except ValueError:
        joints = None
    if joints is None or len(joints) >= MOST_RECORDINGS:
        raise SpeakerFileBad(f"its joints are not those of 2 to {MOST_RECORDINGS} recordings")
    return joints


def _file_bytes(metadata: dict[str, str]) -> int:
    """0 where nothing sensible is stated: the size of the file that was uploaded is only listed."""
    text = metadata.get("file_size", "0")
    return int(text) if re.fullmatch(r"[0-9]{1,15}", text) else 0


def _transcript(metadata: dict[str, str]) -> Transcript | None:
    words = Transcript.of(metadata.get("ref_text"), metadata.get("language"))
    return words and replace(words, by_transcriber=metadata.get("ref_text_by") == BY_TRANSCRIBER)


def _tags(metadata: dict[str, str]) -> tuple[str, ...]:
    try:
        tags = read_json(metadata.get("tags", "[]"))
    except ValueError:
        tags = None
    if not isinstance(tags, list):
        raise SpeakerFileBad("its tags are no list")
    return tuple(tags)
