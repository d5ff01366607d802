"""File type: what a file is by its first bytes, and by what its sender calls it. It decodes nothing.

The bytes decide whether a file is a recording. What the sender calls it is kept for lists, and obeyed where a list of types is the law, as
vLLM-Omni's (studio/settings/dialect.py).
"""

import re
from dataclasses import dataclass

from studio.errors import AudioTypeUnsupported, AudioUndecodable

__all__ = [
    "ALLOWED_TYPES",
    "BEGINNING_BYTES",
    "FILE_ENDINGS",
    "check_label",
    "check_mime",
    "stored_type",
    "unreadable",
]

_SUBTYPES = (
    "3gpp 3gpp2 aac aiff amr amr-wb basic caf flac m4a m4b matroska mp2 mp3 mp4 mpeg ogg opus vnd.wave wav wave webm x-aac x-aiff x-caf "
    "x-flac x-m4a x-m4b x-matroska x-ms-wma x-wav"
)
_VIDEO = "3gpp 3gpp2 matroska mp2t mp4 mpeg ogg quicktime webm x-flv x-m4v x-matroska x-ms-asf x-ms-wmv x-msvideo"
ALLOWED_TYPES = tuple(
    sorted([f"audio/{name}" for name in _SUBTYPES.split()] + [f"video/{name}" for name in _VIDEO.split()] + ["application/ogg"])
)
_BY_EXTENSION = {"aif": "aiff", "aifc": "aiff", "oga": "ogg", "mpga": "mpeg", "mka": "matroska", "wma": "x-ms-wma", "au": "basic"} | {
    name: name for name in _SUBTYPES.split()
}
# How files end that hold what is read, for choosers of files: a name keeps nothing out.
_ENDINGS = (
    "wav wave w64 flac mp3 mp2 mpga m4a m4b m4v mp4 mov qta 3gp 3gpp 3g2 ogg oga opus webm mka mkv aac aif aiff aifc au snd caf wma asf "
    "amr avi flv mpg mpeg ts"
)
FILE_ENDINGS = tuple(f".{ending}" for ending in _ENDINGS.split())
_UNTOLD = ("", "application/octet-stream", "binary/octet-stream")


@dataclass(frozen=True)
class _FileKind:
    """beginning: how such files begin. name: as people call them. mime_type: "" of what is not taken. is_sound: of recordings and notes."""

    beginning: bytes
    name: str
    mime_type: str = ""
    is_sound: bool = True


_KINDS = (
    _FileKind(rb"(RIFF|RF64|BW64|RIFX)....WAVE", "WAV", "audio/wav"),
    _FileKind(rb"riff\x2e\x91\xcf\x11", "WAV", "audio/wav"),  # Wave64
    _FileKind(rb"RIFF....AVI ", "AVI", "video/x-msvideo"),
    _FileKind(rb"FORM....AIF[FC]", "AIFF", "audio/aiff"),
    _FileKind(rb"\.snd", "AU", "audio/basic"),
    _FileKind(rb"caff", "CAF", "audio/x-caf"),
    _FileKind(rb"fLaC", "FLAC", "audio/flac"),
    _FileKind(rb"OggS", "OGG", "audio/ogg"),
    _FileKind(rb"\x1a\x45\xdf\xa3.{0,60}webm", "WebM", "audio/webm"),
    _FileKind(rb"\x1a\x45\xdf\xa3", "Matroska", "audio/matroska"),
    _FileKind(rb"\x30\x26\xb2\x75\x8e\x66\xcf\x11", "WMA", "audio/x-ms-wma"),
    _FileKind(rb"....ftyp(hei|mif|avi|msf)", "HEIC", is_sound=False),
    _FileKind(rb"....ftyp3g", "3GP", "audio/3gpp"),
    _FileKind(rb"....(ftypqt|moov|mdat|wide|free|skip)", "QuickTime", "video/quicktime"),
    _FileKind(rb"....ftyp", "MP4", "audio/mp4"),
    _FileKind(rb"#!AMR", "AMR", "audio/amr"),
    _FileKind(rb"FLV\x01", "FLV", "video/x-flv"),
    _FileKind(rb"\x00\x00\x01\xba", "MPEG", "video/mpeg"),
    _FileKind(rb"\x47.{187}\x47", "MPEG", "video/mp2t"),
    _FileKind(rb"ID3[\x02-\x04]", "MP3", "audio/mpeg"),
    _FileKind(rb"\xff[\xf0\xf1\xf8\xf9]", "AAC", "audio/aac"),
    _FileKind(rb"\xff[\xe2-\xe7\xf2-\xf7\xfa-\xff]", "MP3", "audio/mpeg"),
    _FileKind(rb"wvpk", "WavPack"),
    _FileKind(rb"TTA1", "TTA"),
    _FileKind(rb"MAC ", "APE"),
    _FileKind(rb"MP\+|MPCK", "Musepack"),
    _FileKind(rb"DSD |FRM8", "DSD"),
    _FileKind(rb"\x0b\x77", "AC-3"),
    _FileKind(rb"\x7f\xfe\x80\x01", "DTS"),
    _FileKind(rb"\.RMF|\.ra\xfd", "RealAudio"),
    _FileKind(rb"Creative Voice File", "VOC"),
    _FileKind(rb"MMMD", "MMF"),
    _FileKind(rb"MThd|RIFF....RMID", "MIDI"),
    _FileKind(rb"%PDF", "PDF", is_sound=False),
    _FileKind(rb"PK\x03\x04|PK\x05\x06", "ZIP", is_sound=False),
    _FileKind(rb"Rar!", "RAR", is_sound=False),
    _FileKind(rb"7z\xbc\xaf", "7z", is_sound=False),
    _FileKind(rb"\x1f\x8b\x08", "gzip", is_sound=False),
    _FileKind(rb"\xff\xd8\xff", "JPEG", is_sound=False),
    _FileKind(rb"\x89PNG", "PNG", is_sound=False),
    _FileKind(rb"GIF8", "GIF", is_sound=False),
    _FileKind(rb"RIFF....WEBP", "WebP", is_sound=False),
    _FileKind(rb"(II\*\0|MM\0\*)", "TIFF", is_sound=False),
    _FileKind(rb"\xd0\xcf\x11\xe0", "Office", is_sound=False),
    _FileKind(rb"\{\\rtf", "RTF", is_sound=False),
    _FileKind(rb"\s*<(?i:!doctype html|html|head|body)", "HTML", is_sound=False),
)
BEGINNING_BYTES = 512  # of a file, which tell what it is


def check_mime(mime_type: str, filename: str) -> str:
    """The type in lower case without parameters; guessed from the file's extension where it says nothing. Raises AudioTypeUnsupported."""
    bare = _bare(mime_type)
    if bare in _UNTOLD:
        return "audio/" + _BY_EXTENSION.get(_extension(filename), "wav")
    if bare not in ALLOWED_TYPES:
        raise AudioTypeUnsupported(bare, ALLOWED_TYPES)
    return bare


def check_label(mime_type: str, filename: str, file_types: tuple[str, ...]) -> str:
    """The type, one of these to the letter; guessed where none is told. Raises AudioTypeUnsupported."""
    if mime_type in _UNTOLD[:2]:
        named = {"mp3": "audio/mpeg", "m4a": "audio/mp4"} | {kind.partition("/")[2]: kind for kind in file_types}
        return named.get(_extension(filename), "audio/wav")
    if mime_type not in file_types:
        raise AudioTypeUnsupported(mime_type, file_types)
    return mime_type


def stored_type(mime_type: str, filename: str, data: bytes) -> str:
    """The type under which a recording is listed: the one told, where there are such recordings; else what its bytes are.

    data: BEGINNING_BYTES of it at least, or all.
    """
    bare, kind = _bare(mime_type), _kind_of(data)
    if bare in ALLOWED_TYPES:
        return bare
    return kind.mime_type if kind and kind.mime_type else check_mime("", filename)


def unreadable(data: bytes) -> AudioUndecodable:
    """Why no decoder reads it: what it is, as far as its first bytes tell."""
    kind = _kind_of(data)
    if kind is None:
        if _is_text(data):
            return AudioUndecodable("it is text", sentence="audio_is_text")
        return AudioUndecodable("it is damaged, or no recording")
    if kind.mime_type:
        reason = f"it is {kind.name}, damaged or not whole"
        return AudioUndecodable(reason, sentence="audio_damaged", format=kind.name)
    if kind.is_sound:
        return AudioUndecodable(f"{kind.name} files are not taken", sentence="audio_format_untaken", format=kind.name)
    return AudioUndecodable(f"it is {kind.name}, not a recording", sentence="audio_is_other", format=kind.name)


def _kind_of(data: bytes) -> _FileKind | None:
    beginning = data[:BEGINNING_BYTES]
    return next((kind for kind in _KINDS if re.match(kind.beginning, beginning, re.DOTALL)), None)


def _bare(mime_type: str) -> str:
    return mime_type.partition(";")[0].strip().lower()


def _extension(filename: str) -> str:
    return filename.rpartition(".")[2].lower()


def _is_text(data: bytes) -> bool:
    beginning = data[:BEGINNING_BYTES].decode("utf-8", "replace").rstrip("\ufffd")  # the cut may go through a character
    return bool(beginning) and all(
        character.isprintable() or character in "\t\r\n\f\ufeff" for character in beginning.replace("\ufffd", "\0")
    )
