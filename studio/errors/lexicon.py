"""Errors of a pronunciation dictionary: of an entry, of a file, of how much it holds."""

from engines.errors import CallerMistake
from studio.errors.studio_error import StudioError

__all__ = ["LexiconEntryInvalid", "LexiconEntryUnknown", "LexiconFileInvalid", "LexiconFull", "LexiconOwnerUnknown"]


class LexiconEntryInvalid(StudioError, CallerMistake):
    """parameter: the member of the entry that does not fit. sentence: which fact it is, with its values."""

    code = "lexicon_entry_invalid"

    def __init__(self, parameter: str, *, hint: str = "", detail: str = "", **values: object):
        super().__init__(hint=hint, detail=detail, **values)
        self.parameter = parameter


class LexiconEntryUnknown(StudioError, CallerMistake):
    """language: of the entry; "" where it is of all."""

    code = "lexicon_entry_unknown"
    status = 404
    parameter = "written"

    def __init__(self, written: str, language: str):
        super().__init__(
            hint="List it to see what there is.",
            sentence="lexicon_entry_unknown_in" if language else "lexicon_entry_unknown",
            name=written[:80],
            language=language,
        )


class LexiconFileInvalid(StudioError, CallerMistake):
    """A file that is no dictionary. line: where, from 1. rule: what the line does not keep, in a few words."""

    code = "lexicon_file_invalid"
    parameter = "file"

    def __init__(self, line: int, rule: str):
        super().__init__(detail=rule, line=line)
        self.line = line


class LexiconFull(StudioError, CallerMistake):
    """n: entries there would be."""

    code = "lexicon_full"
    status = 409
    parameter = "entries"

    def __init__(self, n: int, most: int):
        super().__init__(n=n, most=most)


class LexiconOwnerUnknown(StudioError, CallerMistake):
    """Visitors are kept apart, and a request that would change a dictionary does not say whose it is."""

    code = "lexicon_owner_unknown"
    status = 403
