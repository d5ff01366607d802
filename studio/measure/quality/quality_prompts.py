"""Recordings of people on whom nothing here was trained: prompts of Debian's asterisk-core-sounds-*-g722. Each package holds one person.

They are for measuring: some of them are under share-alike licenses, and no weights are made from them.
"""

import zlib
from collections.abc import Sequence
from pathlib import Path

import av
import numpy as np

from engines.clips.clip import Clip
from studio.measure.quality.quality_speakers import ClonedSpeaker, joined, of_length

__all__ = ["PROMPT_PEOPLE", "prompt_speaker", "read_g722"]

SOUNDS = Path("/usr/share/asterisk/sounds")
SAMPLE_RATE = 16_000  # Hz, of G.722 (ITU-T, 64 kbit/s)
BYTES_PER_SECOND = 8_000
# Folder -> who speaks there. The packages name one woman for English and for Spanish.
PROMPT_PEOPLE = {
    "en_US_f_Allison": "Allison Smith",
    "es_MX_f_Allison": "Allison Smith",
    "fr_CA_f_June": "June Wallack",
    "it_IT_m_Carlo": "Carlo Flora",
    "ru_RU_f_IvrvoiceRU": "ivrvoice.ru",
}
# Sentences: single words are shorter, menus longer. No beep, music or pause has such a length, except for tones behind some jokes and
# messages. "spy-" is spelled letter by letter.
LEAST_SECONDS, MOST_SECONDS = 3.0, 7.0
NOT_SENTENCES = ("spy-", "tt-", "vm-intro")
OTHER_SECONDS = 60.0


def prompt_speaker(folder: str, seconds: float, sounds: Path = SOUNDS) -> ClonedSpeaker:
    """Whom the folder's prompts are of. A third of its sentences is for comparison, a minute of them; the words are nobody's to know.

    seconds: of the clip. Raises FileNotFoundError where the package is not installed.
    """
    paths = _sentences(sounds / folder)
    if len(paths) < 2:
        raise FileNotFoundError(f"{sounds / folder} has no prompts; they are in Debian's asterisk-core-sounds-{folder[:2]}-g722")
    clip, _ = joined([(sound, None) for sound in _read_enough([path for n, path in enumerate(paths) if n % 3], seconds)], seconds)
    other = of_length(_read_enough(paths[::3], OTHER_SECONDS), OTHER_SECONDS)
    return ClonedSpeaker(folder, clip, None, other, PROMPT_PEOPLE.get(folder, folder))


def read_g722(path: Path) -> Clip:
    """Raw G.722 of 64 kbit/s. Raises OSError, av.FFmpegError."""
    with av.open(str(path), format="g722") as container:
        blocks = [frame.to_ndarray().reshape(-1) for frame in container.decode(audio=0)]
    return Clip(np.concatenate(blocks).astype(np.float32) / 32768, SAMPLE_RATE)


def _sentences(folder: Path) -> list[Path]:
    """In an order that is the same everywhere, and has nothing to do with what they say."""
    paths = [path for path in folder.glob("*.g722") if not path.stem.startswith(NOT_SENTENCES)]
    long_enough = [path for path in paths if LEAST_SECONDS <= path.stat().st_size / BYTES_PER_SECOND <= MOST_SECONDS]
    return sorted(long_enough, key=lambda path: (zlib.crc32(path.stem.encode()), path.stem))


def _read_enough(paths: Sequence[Path], seconds: float) -> list[Clip]:
    """The first of them, somewhat more than the seconds; all where they are fewer."""
    read: list[Clip] = []
    for path in paths:
        read.append(read_g722(path))
        if sum(sound.seconds for sound in read) > seconds + MOST_SECONDS:
            break
    return read
