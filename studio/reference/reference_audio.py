"""Reference audio of a request or an upload: a URL or bytes to a Clip within bounds. For worker threads: it decodes, reads and fetches."""

import base64
from collections.abc import Callable

from engines.clip import Clip
from engines.clip_quality import check_audible
from studio.audio.decode import decode_clip
from studio.errors import RequestInvalid
from studio.reference.local_audio import read_local_audio
from studio.settings import Settings

__all__ = ["LEAST_CLIP_SECONDS", "MOST_CLIP_SECONDS", "Fetch", "clip_of_url", "decode_reference"]

LEAST_CLIP_SECONDS = 1.0  # both inclusive
MOST_CLIP_SECONDS = 30.0
SHOWN_CHARACTERS = 40  # of a URL, in a message

Fetch = Callable[[str], bytes]  # the body at an http(s) URL, as RemoteAudio.fetch


def clip_of_url(ref_audio: object, settings: Settings, fetch: Fetch) -> Clip:
    """The Clip behind a data URL, or an http(s) or file URL where settings allow it. Raises RequestInvalid and what decoding raises."""
    clip = decode_reference(_bytes_of(_one_url(ref_audio), settings, fetch), "ref_audio")
    if not settings.strict_compat:  # vLLM-Omni takes silence, too
        check_audible(clip)
    return clip


def decode_reference(data: bytes, param: str, *, filename: str = "", mime_type: str = "") -> Clip:
    """The clip in a file, if it is from 1 to 30 s long. Raises RequestInvalid and what `decode_clip` raises."""
    clip = decode_clip(data, filename=filename, mime_type=mime_type, most_seconds=MOST_CLIP_SECONDS)
    if clip.seconds < LEAST_CLIP_SECONDS:
        raise _refusal(
            f"Reference audio too short ({clip.seconds:.1f}s). At least 1s of clear speech is required.",
            "clip_too_short",
            "Record 3-15 s.",
            param,
        )
    return clip


def _one_url(ref_audio: object) -> str:
    if isinstance(ref_audio, list) and all(isinstance(entry, str) for entry in ref_audio):
        if len(ref_audio) > 1:
            raise _refusal("A list of several 'ref_audio' is not supported by the current TTS model.", "ref_audio_single", "Send one.")
        ref_audio = ref_audio[0]
    if not isinstance(ref_audio, str):
        raise _refusal("'ref_audio' must be a string or list of strings", "ref_audio_type")
    return ref_audio.strip()


def _bytes_of(url: str, settings: Settings, fetch: Fetch) -> bytes:
    scheme = url.partition(":")[0].casefold() if ":" in url else ""
    if scheme == "data":
        return _payload(url)
    if scheme in ("http", "https"):
        if settings.allow_remote_audio:
            return fetch(url)
        raise _refusal(
            "Remote reference audio (http/https) is not enabled on this server.",
            "remote_audio_disabled",
            "Send the recording as a base64 data URL (data:audio/wav;base64,...), or upload it as a voice. "
            "Whoever runs the server can set STUDIO_ALLOW_REMOTE_AUDIO=1.",
        )
    if scheme == "file":
        if settings.allowed_local_media is not None:
            return read_local_audio(url, settings.allowed_local_media)
        raise _refusal(
            "Cannot load local files without `--allowed-local-media-path`.",
            "local_audio_disabled",
            "Send the recording as a base64 data URL, or upload it as a voice. "
            "Whoever runs the server can set STUDIO_ALLOWED_LOCAL_MEDIA to a folder.",
        )
    raise _refusal("ref_audio must be a URL (http/https), base64 data URL (data:...), or file URI (file://...)", "ref_audio_scheme_unknown")


def _payload(url: str) -> bytes:
    head, comma, payload = url.partition(",")
    if not comma:
        shown = head if len(head) <= SHOWN_CHARACTERS else head[:SHOWN_CHARACTERS] + "..."
        raise _refusal(f"Invalid data URL '{shown}': missing ',' separator.", "data_url_invalid")
    if not head.casefold().endswith(";base64"):
        raise _refusal("Only base64 data URLs are supported for now.", "data_url_invalid")
    try:
        return base64.b64decode(payload, validate=True)
    except ValueError:  # binascii.Error is one, too
        hint = "Encode the file with standard base64: padded, without line breaks."
        raise _refusal("Non-base64 digit found", "data_url_invalid", hint) from None


def _refusal(message: str, code: str, hint: str = "", param: str = "ref_audio") -> RequestInvalid:
    return RequestInvalid(code, message, param, hint)
