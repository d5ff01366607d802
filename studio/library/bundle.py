"""Bundle: one speaker as one file, `.voice.zip`. It holds manifest, recording, consent and tags; on request also the prompts of engines.

Where a tensor stands for the recording, it lies there as a safetensors file that other tools can read, too.

The recording is 24-bit FLAC where that holds each float32 sample exactly (all recordings of up to 24 bits in one channel), else a float
WAV: the clip's digest is the same after import, so prompts that came along still belong to it. Every member's SHA-256 is in the manifest.
Prompts are the sender's word: they must be of this recording, which their digest says and nobody can prove.
"""

import hashlib
import io
import json
import re
from dataclasses import dataclass, replace

import numpy as np
import safetensors.numpy
import soundfile

from engines.clips.clip import Clip, Transcript, checked_joints
from engines.contract.prompt import SpeakerPrompt
from engines.errors import EngineError, OptionInvalid, PromptInvalid
from engines.plain_json import read_json
from studio.audio.decode import decode_clip
from studio.errors import BundleUnusable
from studio.library.bundle_archive import MOST_BUNDLE_BYTES, pack, refuse_pickle, unpack
from studio.prompt_key import PromptKey
from studio.speakers.consent import ConsentRecord
from studio.speakers.file import EMBEDDING
from studio.speakers.metadata import LAST_CREATED_AT, checked, whole_number
from studio.speakers.speaker import Enrollment, Speaker
from studio.speakers.tensor import TENSOR_TYPE, SpeakerTensor
from studio.storage.prompt_files import keys_of

__all__ = ["Bundle", "KnownPrompts", "file_name_of", "read_bundle", "write_bundle"]

FORMAT = "speaker-bundle/1"
FORMAT_OF_SEVERAL = "speaker-bundle/1.1"  # recordings: a studio that knows no joints says so, instead of calling them altered
FORMAT_OF_TENSOR = "speaker-bundle/1.2"  # a tensor in place of a recording
MANIFEST = "manifest.json"
TENSOR_FILE = "reference.safetensors"
MOST_MANIFEST_BYTES = 1 << 20
MOST_FLAC_HZ = 655_350  # RFC 9639, section 8.2
_FULL_SCALE_24 = np.float32(1 << 23)
KnownPrompts = list[tuple[PromptKey, SpeakerPrompt]]


@dataclass(frozen=True, eq=False)
class Bundle:
    """What a bundle holds, all of it checked. created_at: when the speaker was made where it comes from. file_bytes: of the bundle."""

    recording: Enrollment
    created_at: int
    prompts: KnownPrompts
    file_bytes: int

    @property
    def engines(self) -> tuple[str, ...]:
        """Whose prompts came along."""
        return tuple(sorted({key.engine for key, _ in self.prompts}))


def write_bundle(speaker: Speaker, prompts: KnownPrompts) -> bytes:
    """The file. Raises BundleUnusable for a speaker that is too long, ClipMissing."""
    tensor = speaker.tensor
    reference, content = _lossless(speaker.read_clip()) if tensor is None else (TENSOR_FILE, _tensor_file(tensor))
    members = {reference: content}
    for key, prompt in prompts:
        members[_prompt_name(key)] = prompt.to_bytes()
    words = speaker.transcript
    manifest = {
        "format": FORMAT_OF_TENSOR if tensor else FORMAT_OF_SEVERAL if speaker.joints else FORMAT,
        "name": speaker.name,
        "description": speaker.description,
        "tags": list(speaker.tags),
        "transcript": words.text if words else None,
        "language": words.language if words else None,
        "transcript_by": "transcriber" if words and words.by_transcriber else None,
        "created_at": speaker.created_at,
        "consent": {
            "statement": speaker.consent,
            "recording_sha256": speaker.source_digest,
            "record": json.loads(speaker.consent_record.to_json()) if speaker.consent_record else None,
        },
        "recording": {"file": reference, "digest": speaker.source_digest} | _about_recording(speaker),
        "prompts": [{"file": _prompt_name(key), "engine": key.engine} for key, _ in prompts],
        "sha256": {name: hashlib.sha256(data).hexdigest() for name, data in members.items()},
    }
    return pack({MANIFEST: json.dumps(manifest, ensure_ascii=False, indent=2).encode()} | members)


def read_bundle(data: bytes) -> Bundle:
    """What is in the file; nothing is stored. Raises BundleUnusable, what `checked` does, and what decoding raises."""
    members = unpack(data)
    manifest = _manifest(members.pop(MANIFEST, None))
    _check_hashes(manifest, members)
    try:
        recording = checked(_recording(manifest, members))
        created_at = _created_at(manifest["created_at"])
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise BundleUnusable(detail="the manifest lacks what a speaker needs", sentence="bundle_damaged") from error
    others = {name: content for name, content in members.items() if name != recording.filename}
    if unknown := [name for name in others if not name.endswith(".safetensors")]:
        raise BundleUnusable(detail="it is neither recording nor prompt", sentence="bundle_with_strange_file", name=unknown[0][:80])
    digest = recording.source_digest if recording.tensor is None else recording.tensor.source_digest
    prompts = [_prompt(name, content, digest) for name, content in others.items()]
    return Bundle(replace(recording, file_bytes=len(members[recording.filename])), created_at, prompts, len(data))


def file_name_of(speaker: Speaker) -> str:
    """For a download: ASCII letters, digits, "_", "-"."""
    return f"{re.sub(r'[^a-zA-Z0-9_-]+', '_', speaker.name)[:80].strip('_') or 'speaker'}.voice.zip"


def _lossless(clip: Clip) -> tuple[str, bytes]:
    """(member name, content) that decodes to the same samples."""
    if clip.sample_rate <= MOST_FLAC_HZ and _fits_24_bits(clip.samples):
        scaled = clip.samples * _FULL_SCALE_24  # libsndfile takes 24 bits from the top of an int32
        return "reference.flac", _audio_file(scaled.astype(np.int32) << 8, clip.sample_rate, "FLAC", "PCM_24")
    return "reference.wav", _audio_file(clip.samples, clip.sample_rate, "WAV", "FLOAT")


def _tensor_file(tensor: SpeakerTensor) -> bytes:
    return safetensors.numpy.save({tensor.form or EMBEDDING: tensor.read()})


def _about_recording(speaker: Speaker) -> dict[str, object]:
    if speaker.tensor is not None:
        return {"form": speaker.tensor.form, "frames": speaker.tensor.n_frames}
    about: dict[str, object] = {"seconds": speaker.seconds, "sample_rate": speaker.sample_rate}
    return about | ({"joints": list(speaker.joints)} if speaker.joints else {})


def _fits_24_bits(samples: np.ndarray) -> bool:
    """Whether integers say the same. A zero with a sign is another float, and another digest, than a zero without."""
    scaled = samples * _FULL_SCALE_24
    whole = (scaled == np.rint(scaled)).all() and not (np.signbit(samples) & (samples == 0)).any()
    return bool(whole and scaled.min() >= -_FULL_SCALE_24 and scaled.max() < _FULL_SCALE_24)


def _audio_file(samples: np.ndarray, sample_rate: int, container: str, subtype: str) -> bytes:
    file = io.BytesIO()
    soundfile.write(file, samples, sample_rate, format=container, subtype=subtype)
    return file.getvalue()


def _manifest(content: bytes | None) -> dict:
    if content is None or len(content) > MOST_MANIFEST_BYTES:
        raise BundleUnusable(detail=f"it holds no {MANIFEST}")
    try:
        manifest = read_json(content)
        stated = manifest["format"]
    except (ValueError, TypeError, KeyError) as error:
        raise BundleUnusable(detail="the manifest cannot be read", sentence="bundle_damaged") from error
    if stated not in (FORMAT, FORMAT_OF_SEVERAL, FORMAT_OF_TENSOR):
        taken = f"it reads {FORMAT!r} to {FORMAT_OF_TENSOR!r}"
        raise BundleUnusable(detail=taken, sentence="bundle_of_another_format", format=str(stated)[:40])
    return manifest


def _check_hashes(manifest: dict, members: dict[str, bytes]) -> None:
    for name, content in members.items():
        refuse_pickle(name, content)
    stated = manifest.get("sha256")
    found = {name: hashlib.sha256(content).hexdigest() for name, content in members.items()}
    if stated != found:
        stated = stated if isinstance(stated, dict) else {}
        wrong = sorted(name for name in {*stated, *found} if stated.get(name) != found.get(name))
        name = wrong[0][:80] if wrong else MANIFEST
        raise _altered("its SHA-256 differs", name)


def _recording(manifest: dict, members: dict[str, bytes]) -> Enrollment:
    file = manifest["recording"]["file"]
    source = _tensor(manifest, members) if manifest["format"] == FORMAT_OF_TENSOR else _clip(manifest, members)
    if source.digest != manifest["recording"]["digest"]:
        raise _altered("its samples differ", file)
    texts = {name: manifest.get(name) for name in ("description", "transcript", "language")}
    if not (isinstance(manifest["name"], str) and all(text is None or isinstance(text, str) for text in texts.values())):
        raise TypeError
    words = Transcript.of(texts["transcript"], texts["language"])
    consent = manifest["consent"]["statement"]
    if not (isinstance(consent, str) and consent.strip()):
        raise BundleUnusable(sentence="bundle_without_consent")
    return Enrollment(
        name=manifest["name"],
        consent=consent,
        clip=source if isinstance(source, Clip) else None,
        tensor=source if isinstance(source, SpeakerTensor) else None,
        consent_record=ConsentRecord.from_json(json.dumps(manifest["consent"].get("record")), source.digest),
        transcript=words and replace(words, by_transcriber=manifest.get("transcript_by") == "transcriber"),
        description=texts["description"] or None,
        tags=_tags(manifest.get("tags")),
        mime_type=TENSOR_TYPE if isinstance(source, SpeakerTensor) else "audio/flac" if file.endswith(".flac") else "audio/wav",
        filename=file,
    )


def _clip(manifest: dict, members: dict[str, bytes]) -> Clip:
    file = manifest["recording"]["file"]
    clip = decode_clip(members[file], filename=file, most_bytes=MOST_BUNDLE_BYTES)
    joints = manifest["recording"].get("joints")
    return Clip(clip.samples, clip.sample_rate, checked_joints(joints, len(clip.samples))) if joints else clip


def _tensor(manifest: dict, members: dict[str, bytes]) -> SpeakerTensor:
    """Raises BundleUnusable for what no studio wrote."""
    about = manifest["recording"]
    form, n_frames = about["form"], about["frames"]
    try:
        ((name, values),) = safetensors.numpy.load(members[about["file"]]).items()
        is_table = type(n_frames) is int and values.ndim == 2 and n_frames in values.shape and values.dtype in (np.float32, np.int16)
        if name != (form or EMBEDDING) or (form and not is_table) or not re.fullmatch(r"[!-~]{0,64}", form):
            raise ValueError(name)
        return SpeakerTensor.of(values, form, n_frames if form else 0)
    except (safetensors.SafetensorError, ValueError) as error:
        raise _altered("the numbers of the voice cannot be read", about["file"]) from error


def _created_at(stated: object) -> int:
    """Raises BundleUnusable."""
    try:
        return whole_number("created_at", stated, LAST_CREATED_AT)
    except OptionInvalid as error:
        raise BundleUnusable(detail=error.fact, sentence="bundle_damaged") from None


def _tags(stated: object) -> tuple[str, ...]:
    """Raises TypeError for what is no list."""
    if not isinstance(stated, list | None):
        raise TypeError
    return tuple(stated or ())


def _prompt(name: str, content: bytes, source_digest: str) -> tuple[PromptKey, SpeakerPrompt]:
    """Raises BundleUnusable for what is no prompt, another recording's, or under another's name."""
    try:
        prompt = SpeakerPrompt.from_bytes(content)
        key = next(key for key in keys_of(prompt) if _prompt_name(key) == name)
    except StopIteration:
        raise _altered("it is not the prompt that its name says", name) from None
    except (EngineError, PromptInvalid) as error:
        raise _altered(f"it is no speaker prompt: {error.fact}", name) from error
    except Exception as error:  # whatever a parser makes of a stranger's bytes
        raise _altered("it is no speaker prompt", name) from error
    if key.source_digest != source_digest:
        raise _altered("it was learned from another recording", name)
    return key, prompt


def _altered(how: str, name: str) -> BundleUnusable:
    return BundleUnusable(detail=how, sentence="bundle_altered", name=name[:80])


def _prompt_name(key: PromptKey) -> str:
    return f"{key.engine}-{key.digest}.safetensors"
