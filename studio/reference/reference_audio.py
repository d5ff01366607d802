"""Reference audio of a request: turns URLs into a Clip, within bounds. For worker threads: it decodes, reads and fetches."""

import re
from collections.abc import Callable, Sequence

from engines.clips.clip import Clip
from studio.audio.channels import SoundSource
from studio.audio.decode import decode_base64, large_decode_lock
from studio.errors import RecordingsTooMany, RequestInvalid
from studio.reference.local_audio import read_local_audio
from studio.settings import Settings
from studio.speakers.enrollment import api_rule, telling_which

__all__ = ["Fetch", "bytes_of_url", "sound_of_url"]

SHOWN_CHARACTERS = 40  # of a URL, in a message
BARE_BASE64 = re.compile(r"(?:[A-Za-z0-9+/_-]\s*){256}")  # how it begins; a name of a file is shorter

Fetch = Callable[[str], bytes]  # the body at an http(s) URL, as RemoteAudio.fetch


def sound_of_url(ref_audio: object, most_recordings: int, settings: Settings, fetch: Fetch) -> tuple[Clip, Sequence[SoundSource]]:
    """The Clip behind a data URL, or an http(s) or file URL where settings allow it, or in the bytes of a file, as the API's enrollment
    rule has it; and where in each file its sound was taken from.

    A list of several gives one Clip with joints. most_recordings: that the engine tells apart. Raises RequestInvalid, RecordingsTooMany,
    FetchesBusy, and what the rule does.
    """
    rule = api_rule(settings.dialect)
    urls, sounds = _urls(ref_audio, most_recordings), []
    for number, url in enumerate(urls, 1):
        with telling_which(number, len(urls)):
            sounds.append(rule.decode_sound(bytes_of_url(url, settings, fetch)))
    return rule.join([sound.clip for sound in sounds]), [sound.source for sound in sounds]


def _urls(ref_audio: object, most: int) -> list[str | bytes]:
    urls = ref_audio if isinstance(ref_audio, list) else [ref_audio]
    known = [url for url in urls if isinstance(url, str | bytes)]
    if len(known) < len(urls):
        raise _refusal("'ref_audio' must be a string or list of strings", "ref_audio_type")
    if len(urls) > most == 1:
        raise _refusal("A list of several 'ref_audio' is not supported by the current TTS model.", "ref_audio_single", "Send one.")
    if len(urls) > most:
        raise RecordingsTooMany(len(urls), most)
    return [url.strip() if isinstance(url, str) else url for url in known]


def bytes_of_url(url: str | bytes, settings: Settings, fetch: Fetch) -> bytes:
    """The file behind one of these. Raises RequestInvalid, FetchesBusy, AudioTooLarge."""
    if isinstance(url, bytes):
        return url
    scheme = url[: max(0, url.find(":"))].casefold()  # not by `partition`, which would copy the rest
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
    fact = "ref_audio must be a URL (http/https), base64 data URL (data:...), or file URI (file://...)"
    if not scheme and BARE_BASE64.match(url):
        hint = "This looks like base64 by itself: put 'data:audio/wav;base64,' in front of it."
        raise RequestInvalid("ref_audio_scheme_unknown", fact, "ref_audio", hint, sentence="ref_audio_bare_base64")
    raise _refusal(fact, "ref_audio_scheme_unknown", "Send the recording as a base64 data URL (data:audio/wav;base64,...).")


def _payload(url: str) -> bytes:
    comma = url.find(",")
    head = url if comma < 0 else url[:comma]
    if comma < 0:
        shown = head if len(head) <= SHOWN_CHARACTERS else head[:SHOWN_CHARACTERS] + "..."
        raise _refusal(f"Invalid data URL '{shown}': missing ',' separator.", "data_url_invalid")
    if not head.casefold().endswith(";base64"):
        raise _refusal("Only base64 data URLs are supported for now.", "data_url_invalid")
    try:
        with large_decode_lock(len(url)):
            return decode_base64(url, comma + 1)
    except ValueError:  # binascii.Error is one, too
        hint = "Encode the file with standard base64: padded, without line breaks."
        raise _refusal("Non-base64 digit found", "data_url_invalid", hint) from None


def _refusal(message: str, code: str, hint: str = "", **values: object) -> RequestInvalid:
    return RequestInvalid(code, message, "ref_audio", hint, **values)
