"""Hearing: the transcriber listens to the sounds of a test once they are made, and checks tell which words were lost.

It listens behind the rendering, never beside it, or it would slow down what that measures; nothing waits for it.
"""

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np

from engines.clips.clip import Clip
from engines.errors import LanguageUnsupported
from studio.analysis import packages
from studio.analysis.heard_words import WordDifferences, word_differences
from studio.analysis.transcriber import Transcriber
from studio.analysis.word_floor import word_floor
from studio.errors import TranscriberBusy
from studio.listening.keep.heard_words import HeardWords
from studio.listening.keep.sound_files import HEADER_BYTES
from studio.listening.plan import mends
from studio.listening.plan.design import Check, Item
from studio.listening.plan.materials import SAMPLE_RATE
from studio.listening.plan.plan import Plan
from studio.listening.plan.render_steps import label_of

__all__ = ["hear_all", "word_checks"]

MOST_TOLD = 8  # sounds with lost words, the worst
PATIENCE_SECONDS = 1.0  # before a transcriber that others keep busy is asked again
UNLIKE = 0.3  # of the words, heard otherwise in one sound: then more than a name is misheard
NO_TRANSCRIPT = 0.8  # of the words, in all sounds of a text: then it is what a file is called, and not what is said
MOST_CHARACTERS = 120  # of what was heard, in a sentence


def hear_all(
    plan: Plan,
    items: Sequence[Item],
    folder: Path,
    transcriber: Transcriber,
    *,
    on_progress: Callable[[int, int, str], None],
    is_stopped: Callable[[], bool],
) -> None:
    """Until all sounds of systems are heard, or it is stopped. Raises what the transcriber raises, OSError."""
    kept = HeardWords(folder, transcriber.name)
    words, wanted = kept.read(), _wanted(items)
    words = {item.sha256: words[item.sha256] for item in wanted if item.sha256 in words}
    for index, item in enumerate(wanted):
        on_progress(index, len(wanted), "")
        if item.sha256 not in words and not is_stopped():
            data = (folder / f"{item.id}.wav").read_bytes()[HEADER_BYTES:]
            heard = _heard(np.frombuffer(data, "<i2").astype(np.float32) / np.float32(32768), plan.language, transcriber, is_stopped)
            if heard is not None:
                words[item.sha256] = heard
                kept.write(words)


def word_checks(
    plan: Plan, items: Sequence[Item], folder: Path, transcriber: Transcriber, has_seed: Callable[[str | None], bool]
) -> tuple[Check, ...]:
    """Warnings: nobody listened, somebody listens still, or what was heard; then the sounds that lost words, the worst first.

    has_seed(engine): whether that engine says a text another way when it is asked again.
    """
    wanted = _wanted(items)
    if not wanted:
        return ()
    if not transcriber.is_here:
        return (Check("words_unheard", False, needed=False, values={"command": packages.HINT}),)
    heard = HeardWords(folder, transcriber.name).read()
    there = [item for item in wanted if item.sha256 in heard]
    if len(there) < len(wanted):
        return (Check("words_waiting", False, needed=False, values={"n": len(wanted), "done": len(there)}),)
    found = {item: _differences(plan.texts[item.text], heard[item.sha256], plan.language) for item in there}
    compared = {item: differences for item, differences in found.items() if item.text not in _names(plan, found)}
    if not compared:
        return (Check("words_names", True, needed=False),)
    floor = word_floor(transcriber.name, plan.language or "en")
    lost = sorted((item for item in compared if _is_lost(compared[item], floor)), key=lambda item: -_rate(compared[item]))
    again = {system.id for system in plan.systems if system.source == "speech" and has_seed(system.engine)}
    told = [_told(plan, item, compared[item], heard[item.sha256], item.system in again) for item in lost[:MOST_TOLD]]
    return (_summary(list(compared.values()), floor, not lost), *told)


def _wanted(items: Sequence[Item]) -> list[Item]:
    return [item for item in items if item.role == "system"]


def _heard(samples: np.ndarray, language: str | None, transcriber: Transcriber, is_stopped: Callable[[], bool]) -> str | None:
    """None where it was stopped."""
    if not np.any(samples):
        return ""
    clip = Clip(samples, SAMPLE_RATE)
    while not is_stopped():
        try:
            words = transcriber.write(clip, language)
        except TranscriberBusy:
            time.sleep(PATIENCE_SECONDS)
        except LanguageUnsupported:
            language = None
        else:
            return words.text if words else ""
    return None


@lru_cache(2048)
def _differences(said: str, heard: str, language: str | None) -> WordDifferences:
    return word_differences(said, heard, language)


def _rate(found: WordDifferences) -> float:
    return found.errors / max(1, found.n_words)


def _names(plan: Plan, found: Mapping[Item, WordDifferences]) -> set[int]:
    """Texts that are no transcripts, as far as files go: nothing of them is heard in any sound."""
    from_files = {system.id for system in plan.systems if system.source == "files"}
    spoken = {item.text for item in found if item.system not in from_files}
    like = {item.text for item, differences in found.items() if _rate(differences) < NO_TRANSCRIPT}
    return {item.text for item in found} - spoken - like


def _is_lost(found: WordDifferences, floor: float | None) -> bool:
    """More than the recognizer alone mishears: words that are missing, or so many others that it is another sentence."""
    expected = (floor or 0.0) * found.n_words
    return bool(found.lost and found.errors > expected) or found.errors > max(UNLIKE * found.n_words, 2 * expected)


def _summary(found: Collection[WordDifferences], floor: float | None, passed: bool) -> Check:
    errors, n = sum(one.errors for one in found), sum(one.n_words for one in found)
    values: dict[str, object] = {"errors": errors, "n": n, "percent": round(100 * errors / max(1, n), 1)}
    if floor is None:
        return Check("words", passed, needed=False, values=values)
    return Check("words_beside", passed, needed=False, values=values | {"floor": round(100 * floor)})


def _told(plan: Plan, item: Item, found: WordDifferences, heard: str, can_repeat: bool) -> Check:
    values: dict[str, object] = {"system": label_of(plan, "system", item.system), "text": item.text + 1}
    repeated = mends.said_again(plan, item.system, item.text) if can_repeat else ()
    mended = (*mends.without_texts(plan, {item.text}), *repeated)
    if found.lost and len(found.lost) < found.n_words:
        values |= {"n": len(found.lost), "words": " ".join(found.lost)[:MOST_CHARACTERS]}
        return Check("words_lost", False, False, values, mended)
    return Check("words_other", False, False, values | {"heard": heard[:MOST_CHARACTERS] or "…"}, mended)
