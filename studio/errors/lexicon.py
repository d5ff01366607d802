"""Errors of a pronunciation dictionary: of an entry, of a file, of how much it holds."""

from engines.errors import CallerMistake

__all__ = ["LexiconEntryInvalid", "LexiconEntryUnknown", "LexiconFileInvalid", "LexiconFull", "LexiconOwnerUnknown"]


class LexiconEntryInvalid(CallerMistake):
    """parameter: the member of the entry that does not fit."""

    code = "lexicon_entry_invalid"

    def __init__(self, parameter: str, fact: str, hint: str, **values: object):
        super().__init__(fact, hint, **values)
        self.parameter = parameter


class LexiconEntryUnknown(CallerMistake):
    code = "lexicon_entry_unknown"
    parameter = "written"

    def __init__(self, written: str, language: str):
        where = f" for the language {language!r}" if language else ""
        super().__init__(f"The dictionary says nothing of {written[:80]!r}{where}.", "List it to see what there is.", name=written[:80])


class LexiconFileInvalid(CallerMistake):
    """A file that is no dictionary. line: where, from 1. rule: what the line does not keep, in a few words."""

    code = "lexicon_file_invalid"
    parameter = "file"

    def __init__(self, line: int, rule: str):
        super().__init__(f"Line {line} of the dictionary does not fit: {rule}.", "Correct it, then import it again.", line=line)
        self.line = line


class LexiconFull(CallerMistake):
    """n: entries there would be."""

    code = "lexicon_full"
    parameter = "entries"

    def __init__(self, n: int, most: int):
        super().__init__(f"The dictionary would have {n} entries; it may have {most}.", "Delete some first.", n=n, most=most)


class LexiconOwnerUnknown(CallerMistake):
    """Visitors are kept apart, and a request that would change a dictionary does not say whose it is."""

    code = "lexicon_owner_unknown"

    def __init__(self):
        fact = "This studio keeps its visitors apart, and the request does not say whose dictionary it would change."
        super().__init__(fact, "Use the page, or send a key of yours.")
