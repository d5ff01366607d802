"""eSpeak NG through ctypes: text to samples, phones, words and IPA. The only file that touches the C library.

The library (GPL-3.0) and its data come in the wheel of PyPI's `espeakng-loader` and are loaded at run time. It keeps all of its
state in globals, so every call runs to completion under one process-wide lock. Two things make its output a function of the text
alone: its noise generator is seeded before every call, and our voice variant switches off the pitch flutter of its Klatt
synthesizer, whose phase is a counter that is never reset (espeak-ng 1.52.0, klatt.c, flutter()).
"""

import ctypes
import re
import threading
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import soxr

from engines.errors import EngineFailed, EngineUnavailable
from engines.kit.phonemes.espeak_data import EspeakData
from engines.kit.phonemes.espeak_inventory import inventory_of, table_names
from engines.kit.phonemes.ipa import PHONES_BEGIN, PHONES_END
from engines.kit.signal.spectrum import SAMPLE_RATE

__all__ = ["SILENCE", "TIE", "EspeakSpeech", "inventory", "ipa", "load", "speak"]

WORDS_PER_MINUTE = 175
SILENCE = "_"  # the name of a phone
_ESPEAK_RATE = 22_050  # Hz
_UNCERTAIN_SAMPLES = 1_024  # of what soxr makes of a speech cut short: its filter, and the block of its FFT in which the cut lies
_SYNCHRONOUS = 2  # espeak_AUDIO_OUTPUT: the callback runs inside espeak_Synth, in the calling thread
_BUFFER_MS = 60
_PHONE_EVENTS_IN_IPA = 0x0003
_DO_NOT_EXIT = 0x8000
_UTF8 = 1
_END_PAUSE = 0x1000
# espeakPHONEMES, for a text that has phones between PHONES_BEGIN and PHONES_END: "[[" and "]]" around them are obeyed. Else neither that
# nor espeakSSML (0x10): markup in a text is spoken.
_OBEY_PHONES = 0x100
_OPENING, _CLOSING = "[[", "]]"
_TYPED = "(("  # for brackets that were typed: as silent
_QUOTE = "\ue002"  # stands for a quote in mnemonics, or whoever cuts the text would take it for one of the text's
_EITHER = re.compile(f"([{PHONES_BEGIN}{PHONES_END}])")
_RATE, _VOLUME, _PITCH, _RANGE = 1, 2, 3, 4  # espeak_PARAMETER
_EVENT_WORD, _EVENT_PHONE = 1, 7
_SECONDARY, _PRIMARY = 1, 2
_WITHOUT_STRESS = {ord("ˈ"): None, ord("ˌ"): None}
TIE = "^"  # between the letters of one sound
_TIED_IPA = 0x02 | 0x80 | ord(TIE) << 8  # phonememode: IPA; a character to tie with, and which
_SWITCH = re.compile(r"\([^)]*\)")  # "(en)": what follows is said as in English
_VARIANT = "studio"
# Klatt 4 is the most intelligible variant as a source of conversion; pitch as in eSpeak's default voice.
_VARIANT_FILE = f"language variant\nname {_VARIANT}\npitch 82 118\nklatt 4\nflutter 0\n"


@dataclass(frozen=True)
class EspeakSpeech:
    """What eSpeak said.

    text: what was to be said, with its phones (ipa.py) in mnemonics. samples: (T,) float32 at SAMPLE_RATE, up to full scale.
    phones: (first sample, IPA name) in order; SILENCE among them. stresses: of each phone, 0 none, 1 secondary, 2 primary.
    words: (first sample, character position from 1, length) in order.
    complete: False where the speech was cut short on purpose; what is there equals the beginning of the whole.
    """

    text: str
    samples: np.ndarray
    phones: tuple[tuple[int, str], ...]
    stresses: tuple[int, ...]
    words: tuple[tuple[int, int, int], ...]
    complete: bool


class _EventId(ctypes.Union):
    _fields_ = [("number", ctypes.c_int), ("name", ctypes.c_char_p), ("string", ctypes.c_char * 8)]


class _Event(ctypes.Structure):
    _fields_ = [
        ("type", ctypes.c_int),
        ("unique_identifier", ctypes.c_uint),
        ("text_position", ctypes.c_int),
        ("length", ctypes.c_int),
        ("audio_position", ctypes.c_int),
        ("sample", ctypes.c_int),
        ("user_data", ctypes.c_void_p),
        ("id", _EventId),
    ]


_Callback = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_short), ctypes.c_int, ctypes.POINTER(_Event))


class _VoiceFacts(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("languages", ctypes.c_char_p), ("identifier", ctypes.c_char_p)]


class _Library:
    """The one loaded library, its data folder, the voice it was last set to, and the inventories of all voices that were asked for."""

    def __init__(self):
        try:
            import espeakng_loader

            self._c = ctypes.CDLL(espeakng_loader.get_library_path())
            self._packaged_data = Path(espeakng_loader.get_data_path())
        except (ImportError, OSError) as error:
            raise EngineUnavailable(
                command="pip install espeakng-loader", sentence="engine_library_absent", detail=f"eSpeak NG cannot be loaded: {error}"
            ) from error
        self._data = EspeakData(self._packaged_data, (_VARIANT, _VARIANT_FILE))
        self._declare()
        rate = self._c.espeak_Initialize(_SYNCHRONOUS, _BUFFER_MS, self._data.path, _PHONE_EVENTS_IN_IPA | _DO_NOT_EXIT)
        if rate != _ESPEAK_RATE:
            detail = f"espeak_Initialize of eSpeak NG returned {rate}, and {_ESPEAK_RATE} is expected"
            raise EngineUnavailable(sentence="engine_library_absent", detail=detail)
        self._voice = ""
        self._inventories: dict[str, Mapping[str, str]] = {}

    def inventory(self, voice: str) -> Mapping[str, str]:
        if voice not in self._inventories:
            self._set_voice(voice)
            mnemonics = table_names(self._packaged_data, self._c.espeak_GetCurrentVoice().contents.identifier.decode())
            self._obey_phones()
            found = inventory_of(mnemonics, lambda phones: self._ipa(f"{_OPENING}{phones}{_CLOSING}", voice))
            self._inventories[voice] = {name: mnemonic.replace('"', _QUOTE) for name, mnemonic in found.items()}
        return self._inventories[voice]

    def ipa(self, text: str, voice: str) -> str:
        if PHONES_BEGIN in text:
            self._obey_phones()
        return self._ipa(_for_library(text.replace(_OPENING, _TYPED))[0], voice)

    def _ipa(self, text: str, voice: str) -> str:
        self._set_voice(voice)
        # Of a text that ends close behind a full stop the library keeps the last letters for the next call, unless a blank follows.
        rest, clauses = ctypes.c_char_p(f"{text} ".replace("\0", " ").encode()), []
        while rest.value:  # which the library moves behind the clause that it has read
            clauses.append((self._c.espeak_TextToPhonemes(ctypes.byref(rest), _UTF8, _TIED_IPA) or b"").decode("utf-8", "ignore"))
        return " ".join(_SWITCH.sub("", " ".join(clauses)).replace("_", "").split())

    def speak(self, text: str, voice: str, most_samples: int | None, end_pause: bool) -> EspeakSpeech:
        # What was said before leaves a fade-out or a half-done frame behind, with which the next speech would begin; one vowel clears it.
        self._synthesize("a.", voice, None, False)
        return self._synthesize(text, voice, most_samples, end_pause)

    def _synthesize(self, text: str, voice: str, most_samples: int | None, end_pause: bool) -> EspeakSpeech:
        blocks: list[np.ndarray] = []
        phones: list[tuple[int, str]] = []
        stresses: list[int] = []
        words: list[tuple[int, int, int]] = []
        n_samples, most = 0, None if most_samples is None else _to_rate(most_samples + _UNCERTAIN_SAMPLES, SAMPLE_RATE, _ESPEAK_RATE)

        @_Callback
        def receive(samples, count, events):
            nonlocal n_samples
            for event in _until_end(events):
                if event.type == _EVENT_PHONE:
                    _add_phone(phones, stresses, event)
                elif event.type == _EVENT_WORD:
                    words.append((_to_rate(event.sample), _place(event.text_position, places), event.length))
            if samples and count > 0:
                # not numpy's as_array: it makes two types of ctypes per length, which are kept for ever
                blocks.append(np.frombuffer(ctypes.string_at(samples, count * np.dtype(np.int16).itemsize), np.int16))
                n_samples += count
            return int(most is not None and n_samples >= most)  # 1 stops the synthesis

        self._set_voice(f"{voice}+{_VARIANT}")
        self._c.espeak_ng_SetRandSeed(1)
        self._c.espeak_SetSynthCallback(receive)
        for_library, places = _for_library(text)
        data = for_library.encode() + b"\0"
        flags = _UTF8 | (_OBEY_PHONES if places else 0) | (_END_PAUSE if end_pause else 0)
        status = self._c.espeak_Synth(data, len(data), 0, 1, 0, flags, None, None)
        if status != 0:
            raise EngineFailed(sentence="engine_broke", detail=f"espeak_Synth of eSpeak NG returned {status}")
        spoken = np.concatenate(blocks) if blocks else np.zeros(0, np.int16)
        samples = soxr.resample(spoken.astype(np.float32) / 32768, _ESPEAK_RATE, SAMPLE_RATE, quality="HQ")
        complete = most is None or n_samples < most
        certain = samples if complete else samples[: max(0, len(samples) - _UNCERTAIN_SAMPLES)]
        return EspeakSpeech(text, certain, tuple(phones), tuple(stresses), tuple(words), complete)

    def _obey_phones(self) -> None:
        """The library keeps the flags of its last speech for what it is asked for next."""
        self._synthesize(f"{PHONES_BEGIN}a{PHONES_END}", "en-us", None, False)

    def _set_voice(self, voice: str) -> None:
        if voice == self._voice:
            return
        self._voice = ""
        if self._c.espeak_SetVoiceByName(voice.encode()) != 0:
            raise EngineFailed(sentence="engine_broke", detail=f"eSpeak NG has no voice {voice!r}")
        for parameter, value in ((_RATE, WORDS_PER_MINUTE), (_VOLUME, 100), (_PITCH, 50), (_RANGE, 50)):
            self._c.espeak_SetParameter(parameter, value, 0)  # after every change of voice: a voice has a tempo of its own
        self._voice = voice

    def _declare(self) -> None:
        c = self._c
        c.espeak_Initialize.argtypes = [ctypes.c_int, ctypes.c_int, ctypes.c_char_p, ctypes.c_int]
        c.espeak_Synth.argtypes = [
            ctypes.c_char_p,
            ctypes.c_size_t,
            ctypes.c_uint,
            ctypes.c_int,
            ctypes.c_uint,
            ctypes.c_uint,
            ctypes.c_void_p,
            ctypes.c_void_p,
        ]
        c.espeak_SetVoiceByName.argtypes = [ctypes.c_char_p]
        c.espeak_SetParameter.argtypes = [ctypes.c_int, ctypes.c_int, ctypes.c_int]
        c.espeak_SetSynthCallback.argtypes = [_Callback]
        c.espeak_SetSynthCallback.restype = None
        c.espeak_ng_SetRandSeed.argtypes = [ctypes.c_long]
        c.espeak_TextToPhonemes.argtypes = [ctypes.POINTER(ctypes.c_char_p), ctypes.c_int, ctypes.c_int]
        c.espeak_TextToPhonemes.restype = ctypes.c_char_p
        c.espeak_GetCurrentVoice.restype = ctypes.POINTER(_VoiceFacts)


_lock = threading.Lock()
_library: _Library | None = None


def load() -> None:
    """Load the library and its data once per process. Raises EngineUnavailable."""
    _loaded()


def _loaded() -> "_Library":
    global _library  # noqa: PLW0603 the C library is a process-wide singleton whatever we do
    with _lock:
        if _library is None:
            _library = _Library()
        return _library


def speak(text: str, voice: str, *, most_samples: int | None = None, end_pause: bool = False) -> EspeakSpeech:
    """Say the text at 175 words per minute: the same samples for the same text, whatever was said before.

    text: may have mnemonics of phones between PHONES_BEGIN and PHONES_END (ipa.py), a word each, as `inventory` has them with "|" between.
    voice: an eSpeak voice such as "en-us". most_samples: stop soon after that many at SAMPLE_RATE. end_pause: end with the pause
    that the text's last punctuation mark asks for.
    """
    library = _loaded()
    with _lock:
        return library.speak(text, voice, most_samples, end_pause)


def ipa(text: str, voice: str) -> str:
    """What eSpeak would say, without saying it: words of IPA with a blank between them, stress marks, and TIE within a sound.

    Punctuation is gone, and so are eSpeak's notes that a word is said as in another language. voice: as for `speak`.
    """
    library = _loaded()
    with _lock:
        return library.ipa(text, voice)


def inventory(voice: str) -> Mapping[str, str]:
    """IPA of each phone of the voice, letters and marks apart and without a tie -> its mnemonic. Computed once for a voice, in 3 ms."""
    library = _loaded()
    with _lock:
        return library.inventory(voice)


def _for_library(text: str) -> tuple[str, list[int]]:
    """(the text as the library reads it, where in that, from 0, characters stand that the text has not); none where it has no phones."""
    if PHONES_BEGIN not in text:
        return text, []
    read, added, n_characters = [], [], 0
    for piece in _EITHER.split(text.replace(_OPENING, _TYPED).replace(_QUOTE, '"')):
        marks = {PHONES_BEGIN: _OPENING, PHONES_END: _CLOSING}
        if piece == PHONES_BEGIN and read and read[-1] and not read[-1][-1].isspace():
            marks[PHONES_BEGIN] = f" {_OPENING}"  # behind a bracket or a quote it reads none
        read.append(marks.get(piece, piece))
        added += range(n_characters + 1, n_characters + len(read[-1])) if piece in marks else ()
        n_characters += len(read[-1])
    return "".join(read), added


def _place(position: int, added: list[int]) -> int:
    """Of a position from 1 in the text as the library reads it that in the text."""
    return position - bisect_right(added, position - 1)


def _to_rate(n_samples: int, from_hz: int = _ESPEAK_RATE, to_hz: int = SAMPLE_RATE) -> int:
    return round(n_samples * to_hz / from_hz)


def _until_end(events):
    index = 0
    while events[index].type != 0:
        yield events[index]
        index += 1


def _add_phone(phones: list[tuple[int, str]], stresses: list[int], event: _Event) -> None:
    """Append the event's phone and its stress; neighboring silences count as one."""
    raw = ctypes.string_at(ctypes.addressof(event.id), 8).split(b"\0")[0]  # eight bytes need no terminator
    marked = raw.decode("utf-8", "ignore")
    name = marked.translate(_WITHOUT_STRESS).strip() or SILENCE
    if name.startswith("("):  # a switch of language, "(en)": no sound of its own
        return
    if not (name == SILENCE and phones and phones[-1][1] == SILENCE):
        phones.append((_to_rate(event.sample), name))
        stresses.append(_PRIMARY if "ˈ" in marked else _SECONDARY if "ˌ" in marked else 0)
