"""Readings: how texts are read in one workspace, the same at every door."""

from dataclasses import dataclass, replace

from engines.contract.contract import EngineInfo
from engines.errors import LanguageUnsupported
from engines.text.text_splitter import Granularity
from studio.lexicons.kept_lexicon import KeptLexicon
from studio.reading.language import asked_code
from studio.reading.parts import Reading
from studio.reading.reader import Manner, Reader
from studio.reading.telling import spoken_reading
from studio.settings import Settings
from studio.speech.body import SpeechFields

__all__ = ["Readings"]


@dataclass(frozen=True)
class Readings:
    """lexicon: the workspace's dictionary, read as it is when a text is."""

    settings: Settings
    lexicon: KeptLexicon

    def read(self, text: str, info: EngineInfo, language: str | None = None, *, directions: bool = True) -> Reading:
        """What that engine says of a text. language: its code, None where nobody says.

        Raises TextMissing, TextUnspeakable, NothingSpoken.
        """
        return spoken_reading(text, info, self.settings.most_text_characters, self._manner(language, directions))

    def reader(self, fields: SpeechFields, info: EngineInfo, granularity: Granularity) -> Reader:
        """For a text that comes in pieces. A language that the engine does not speak is refused when a sentence of it is to be spoken."""
        try:
            language = asked_code(fields.language, info)
        except LanguageUnsupported:
            language = None
        return Reader(info, self._manner(language, fields.directions is not False), granularity)

    def seen_from(self, workspace: str) -> "Readings":
        """The same, by that workspace's dictionary."""
        return replace(self, lexicon=self.lexicon.seen_from(workspace))

    def _manner(self, language: str | None, directions: bool) -> Manner:
        return Manner(language, directions, self.settings.strict_compat, self.lexicon.read())
