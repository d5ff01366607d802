"""Answers about a pronunciation dictionary: the forms of the JSON."""

from pydantic import BaseModel, ConfigDict, Field

from studio.reading.lexicon.entry import MOST_FORM_CHARACTERS, LexiconEntry
from studio.reading.lexicon.lexicon import MOST_ENTRIES

__all__ = [
    "LexiconAnswer",
    "LexiconEntryAnswer",
    "LexiconEntryBody",
    "LexiconImportAnswer",
]

_Form = Field("", max_length=MOST_FORM_CHARACTERS)


class LexiconEntryBody(BaseModel):
    """How a word is said: in other letters, in IPA, or both; the IPA is used where an engine takes it (`phones` of its model)."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{"said": "tuh-mah-toe", "ipa": "təˈmɑːtəʊ"}]})
    said: str = _Form
    ipa: str = _Form
    case: bool = Field(False, description="Whether it is meant in these capitals alone.")
    whole_word: bool = Field(True, description="Whether it is not meant inside of longer words.")


class LexiconEntryAnswer(BaseModel):
    """An entry. language: "" for all."""

    written: str
    said: str
    ipa: str
    language: str
    case: bool
    whole_word: bool

    @classmethod
    def of(cls, entry: LexiconEntry) -> "LexiconEntryAnswer":
        """As it is kept."""
        return cls.model_validate(entry, from_attributes=True)


class LexiconAnswer(BaseModel):
    """The dictionary, in the order in which its entries were made. most: how many it may have.

    set_aside: whether an earlier one was damaged, and lies in quarantine.
    """

    entries: list[LexiconEntryAnswer]
    most: int = MOST_ENTRIES
    set_aside: bool


class LexiconImportAnswer(BaseModel):
    """imported: entries of the file; n_entries: of the dictionary now. passed_over: what of the file is in no entry, with its line."""

    imported: int
    n_entries: int
    passed_over: list[str]
