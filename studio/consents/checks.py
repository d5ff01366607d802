"""Checks of a recorded consent: its words, by the transcriber, and who speaks in it, by the encoder of likeness."""

from engines.clips.clip import Clip
from engines.errors import EngineError, LanguageUnsupported
from studio.analysis.estimators import Estimators
from studio.analysis.transcriber import Transcriber
from studio.consents.consent_file import WordsCheck
from studio.consents.consent_words import EXAMPLES, says_consent
from studio.errors import ConsentOfAnother, ConsentUnsaid

__all__ = ["LEAST_ALIKE", "LEAST_LIKENESS", "check_words", "likeness_to_consent"]

# Cosines of Resemblyzer's embeddings: five people of Debian's Asterisk prompts, a sentence of 3 to 7 s beside two others joined, 455 pairs
# of one person and 1,635 of two. Of one person the least has 0.69, by telephone or with noise at 15 dB 0.56; 1.1 % have less than 0.75.
# Of two people 10 % have less than 0.55, half less than 0.64, and 3 % 0.75 or more. So only who is clearly another is refused.
LEAST_LIKENESS = 0.55
LEAST_ALIKE = 0.75


def check_words(transcriber: Transcriber, clip: Clip, language: str) -> WordsCheck:
    """language: the BCP 47 tag of what is said. Blocks for some seconds. Raises ConsentUnsaid where something else is heard."""
    if not transcriber.is_here:
        return WordsCheck(is_checked=False, why="no_transcriber")
    try:
        words = transcriber.write(clip, language)
    except LanguageUnsupported:
        return WordsCheck(is_checked=False, why="language_unknown")
    except EngineError:
        return WordsCheck(is_checked=False, why="transcriber_failed")
    heard = words.text if words else ""
    is_said = says_consent(heard, language)
    if is_said is None:
        return WordsCheck(is_checked=False, heard=heard, why="language_unknown")
    if not is_said:
        raise ConsentUnsaid(heard, EXAMPLES[language.partition("-")[0].casefold()])
    return WordsCheck(is_checked=True, heard=heard)


def likeness_to_consent(estimators: Estimators, consent: Clip, clip: Clip) -> float | None:
    """None where it cannot be told. Raises ConsentOfAnother where it is too small for one person."""
    found = estimators.estimates(consent.samples, consent.sample_rate, reference=clip, measures=("likeness",)).likeness
    if found is not None and found < LEAST_LIKENESS:
        raise ConsentOfAnother(found, LEAST_LIKENESS)
    return found
