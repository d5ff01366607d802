"""Tags: what a file of sound says of itself, in the words that FFmpeg writes into each kind of file."""

import base64
import struct
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from studio.scripts.export.order import SoundFormat
from studio.scripts.keep.covers import Cover
from studio.scripts.script.cast import NARRATOR
from studio.scripts.script.script import Script

__all__ = ["Mark", "SoundTags", "chapter_comments", "metadata_of", "picture_comment", "tags_of", "track_language"]

GENRE = "Audiobook"
_AUDIOBOOK = "2"  # stik, the kind of medium in iTunes' atoms; 2 has been "Audiobook" since players knew the kind
_FRONT_COVER = 3  # ID3v2 APIC, which FLAC's picture block takes over

# ISO 639-1 and ISO 639-2/T, as MP4 and ID3 have it.
_CODES = (
    "aa:aar ab:abk ae:ave af:afr ak:aka am:amh an:arg ar:ara as:asm av:ava ay:aym az:aze ba:bak be:bel bg:bul bh:bih bi:bis bm:bam "
    "bn:ben bo:bod br:bre bs:bos ca:cat ce:che ch:cha co:cos cr:cre cs:ces cu:chu cv:chv cy:cym da:dan de:deu dv:div dz:dzo ee:ewe "
    "el:ell en:eng eo:epo es:spa et:est eu:eus fa:fas ff:ful fi:fin fj:fij fo:fao fr:fra fy:fry ga:gle gd:gla gl:glg gn:grn gu:guj "
    "gv:glv ha:hau he:heb hi:hin ho:hmo hr:hrv ht:hat hu:hun hy:hye hz:her ia:ina id:ind ie:ile ig:ibo ii:iii ik:ipk io:ido is:isl "
    "it:ita iu:iku ja:jpn jv:jav ka:kat kg:kon ki:kik kj:kua kk:kaz kl:kal km:khm kn:kan ko:kor kr:kau ks:kas ku:kur kv:kom kw:cor "
    "ky:kir la:lat lb:ltz lg:lug li:lim ln:lin lo:lao lt:lit lu:lub lv:lav mg:mlg mh:mah mi:mri mk:mkd ml:mal mn:mon mr:mar ms:msa "
    "mt:mlt my:mya na:nau nb:nob nd:nde ne:nep ng:ndo nl:nld nn:nno no:nor nr:nbl nv:nav ny:nya oc:oci oj:oji om:orm or:ori os:oss "
    "pa:pan pi:pli pl:pol ps:pus pt:por qu:que rm:roh rn:run ro:ron ru:rus rw:kin sa:san sc:srd sd:snd se:sme sg:sag si:sin sk:slk "
    "sl:slv sm:smo sn:sna so:som sq:sqi sr:srp ss:ssw st:sot su:sun sv:swe sw:swa ta:tam te:tel tg:tgk th:tha ti:tir tk:tuk tl:tgl "
    "tn:tsn to:ton tr:tur ts:tso tt:tat tw:twi ty:tah ug:uig uk:ukr ur:urd uz:uzb ve:ven vi:vie vo:vol wa:wln wo:wol xh:xho yi:yid "
    "yo:yor za:zha zh:zho zu:zul "
)
_LANGUAGES = {pair[:2]: pair[3:] for pair in _CODES.split()}


@dataclass(frozen=True)
class SoundTags:
    """ "" where something is not known. track, n_tracks: of files that are one work together; 0 of one alone. language: ISO 639-2."""

    title: str
    album: str
    author: str = ""
    narrators: str = ""
    year: str = ""
    description: str = ""
    language: str = ""
    track: int = 0
    n_tracks: int = 0


@dataclass(frozen=True)
class Mark:
    """A chapter of a file, seconds."""

    title: str
    start: float
    end: float


def tags_of(script: Script, title: str = "", track: int = 0, n_tracks: int = 0) -> SoundTags:
    """title: of the file, where it is another than the script's. Narrators are the voices of the cast, that of the narrator first."""
    head = script.head
    cast = sorted(script.cast, key=lambda member: member.name != NARRATOR)
    return SoundTags(
        title or head.title,
        head.title,
        head.author,
        ", ".join(dict.fromkeys(_on_one_line(member.voice) for member in cast if member.voice)),
        head.year,
        head.description,
        track_language(head.language),
        track,
        n_tracks,
    )


def track_language(code: str | None) -> str:
    """ISO 639-2 of a code such as "de" or "de-AT"; "" where there is none."""
    first = (code or "").replace("_", "-").split("-")[0].lower()
    return first if len(first) == 3 else _LANGUAGES.get(first, "")


def metadata_of(tags: SoundTags, format: SoundFormat) -> dict[str, str]:
    """FFmpeg's names -> values; what is empty is left out."""
    found = {
        "title": tags.title,
        "artist": tags.author,
        "album": tags.album,
        "album_artist": tags.author,
        "composer": tags.narrators,
        "genre": GENRE,
        "date": tags.year,
        "comment": tags.description,
        "track": f"{tags.track}/{tags.n_tracks}" if tags.track else "",
    }
    if format in ("m4b", "aac"):
        found |= {"description": tags.description, "media_type": _AUDIOBOOK}
    else:
        found["language"] = tags.language
    return {name: _on_one_line(value) if name != "comment" else value for name, value in found.items() if value}


def chapter_comments(marks: Iterable[Mark]) -> Mapping[str, str]:
    """Vorbis comments of chapters, which players of FLAC and Ogg read (CHAPTER000, CHAPTER000NAME)."""
    found = {}
    for number, mark in enumerate(marks):
        ms = round(mark.start * 1000)
        found[f"CHAPTER{number:03d}"] = f"{ms // 3_600_000:02d}:{ms // 60_000 % 60:02d}:{ms // 1000 % 60:02d}.{ms % 1000:03d}"
        found[f"CHAPTER{number:03d}NAME"] = mark.title
    return found


def picture_comment(cover: Cover, width: int, height: int) -> Mapping[str, str]:
    """The Vorbis comment of a picture: FLAC's picture block (RFC 9639, section 8.8) in base64, for Ogg, whose muxer writes no pictures."""
    kind = cover.media_type.encode()
    head = struct.pack(">II", _FRONT_COVER, len(kind)) + kind + struct.pack(">I", 0)
    block = head + struct.pack(">IIIII", width, height, 24, 0, len(cover.image)) + cover.image
    return {"METADATA_BLOCK_PICTURE": base64.b64encode(block).decode()}


def _on_one_line(text: str) -> str:
    return " ".join(text.split())
