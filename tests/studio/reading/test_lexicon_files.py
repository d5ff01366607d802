"""Files of dictionaries: PLS and CSV as they are written here and elsewhere; what is refused, and where."""

import pytest

from studio.errors import LexiconFileInvalid, LexiconFull
from studio.reading.lexicon.csv_table import read_csv, written_csv
from studio.reading.lexicon.entry import LexiconEntry
from studio.reading.lexicon.pls import PLS, read_pls, written_pls

FORMATS = {"pls": (read_pls, written_pls), "csv": (read_csv, written_csv)}
ENTRIES = tuple(
    entry.checked()
    for entry in (
        LexiconEntry("tomato", 'to, may"to', "təˈmeɪtoʊ", "en-us"),
        LexiconEntry("A&B <i>", ipa="eɪ̯'b"),
        LexiconEntry("=1+2", "'-x", language="de", case=True, whole_word=False),
        LexiconEntry("'=x", "@", language="zh-hant"),
        LexiconEntry("東京; 京都", "トーキョー", language="ja", case=True),
    )
)
SPEC = f"""<?xml version="1.0" encoding="UTF-8"?>
<!-- as section 4.9.3 of the recommendation has it -->
<lexicon version="1.0" xmlns="{PLS}" xmlns:dc="http://purl.org/dc/elements/1.1/" alphabet="ipa" xml:lang="en-US">
  <metadata><dc:title>Words</dc:title></metadata>
  <lexeme role="a:b">
    <grapheme>colour</grapheme><grapheme>color</grapheme>
    <phoneme>ˈkɑlɚ</phoneme>
    <phoneme prefer="true"> ˈkʌlɚ <!-- this --></phoneme>
    <example>What color?</example>
  </lexeme>
  <lexeme><grapheme>W3C</grapheme><alias><![CDATA[World Wide]]> Web
    Consortium</alias></lexeme>
  <lexeme><grapheme>W3C</grapheme><alias>other</alias></lexeme>
</lexicon>"""


@pytest.mark.parametrize("kind", FORMATS)
def test_what_is_exported_is_imported_as_it_was(kind):
    read, written = FORMATS[kind]
    assert read(written(ENTRIES)).entries == ENTRIES
    assert read(written(ENTRIES[:1])).entries == ENTRIES[:1] and read(written(())).entries == ()


def test_a_document_as_others_write_it_gives_an_entry_per_grapheme_and_tells_what_it_leaves():
    read = read_pls(SPEC.encode())
    forms = [(entry.written, entry.said, entry.ipa, entry.language) for entry in read.entries]
    assert forms == [
        ("colour", "", "ˈkʌlɚ", "en-us"),
        ("color", "", "ˈkʌlɚ", "en-us"),
        ("W3C", "World Wide Web Consortium", "", "en-us"),
    ]
    assert read.passed_over == ("line 7: another <phoneme>, 'ˈkɑlɚ'", "line 13: another entry for 'W3C'")
    assert read_pls(SPEC.replace('encoding="UTF-8"', 'encoding="utf-16"').encode("utf-16")).entries == read.entries
    assert b'xml:lang="en-us"' in written_pls(read.entries) and b'xml:lang="und"' in written_pls(ENTRIES)


def pls(lexeme: str, head: str = "", alphabet: str = "ipa") -> bytes:
    return f'{head}<lexicon version="1.0" xmlns="{PLS}" alphabet="{alphabet}" xml:lang="en">\n{lexeme}\n</lexicon>'.encode()


BOMB = '<!DOCTYPE lexicon [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]>\n'
FETCHES = '<!DOCTYPE lexicon SYSTEM "file:///etc/passwd">\n'
WORD = "<lexeme><grapheme>a</grapheme><alias>b</alias></lexeme>"


@pytest.mark.parametrize(
    "data,line,rule",
    [
        (pls("<lexeme><grapheme>&b;</grapheme></lexeme>", BOMB), 1, "no doctype"),
        (pls(WORD, FETCHES), 1, "no doctype"),
        (pls(WORD + "\n<lexeme>"), 4, "well-formed XML"),
        (pls("<lexeme><grapheme>&nbsp;</grapheme></lexeme>"), 2, "undefined entity"),
        (pls("<lexeme><alias>b</alias></lexeme>"), 2, "needs a <grapheme>"),
        (pls("<lexeme><grapheme>a</grapheme></lexeme>"), 2, "It is not told how “a” is said"),
        (pls("<lexeme><grapheme>a<b/></grapheme></lexeme>"), 2, "holds text alone"),
        (pls("<lexeme>" * 2), 2, "stands in <lexicon>"),
        (pls("<lexeme><grapheme>a</grapheme>\n<phoneme>{a</phoneme></lexeme>", alphabet="x-sampa"), 3, "'x-sampa'"),
        (pls(f"<lexeme><grapheme>{'a' * 201}</grapheme><alias>b</alias></lexeme>"), 2, "201 characters, and 200 are the limit"),
        (b"<html/>", 1, "no <lexicon> of"),
        (b'<?xml version="1.0" encoding="klingon"?><a/>', 1, "encoding"),
        (b"", 1, "no element found"),
        (b" " * (10 << 20) + b" ", 1, "10485761 bytes; it may have 10485760"),
    ],
)
def test_a_document_is_refused_by_line_and_rule(data, line, rule):
    with pytest.raises(LexiconFileInvalid) as refused:
        read_pls(data)
    assert refused.value.line == line and rule in refused.value.fact


@pytest.mark.parametrize(
    "data",
    [
        "written,said,case\r\nGPT,gee pee tee,TRUE\r\n",
        "\ufeffWritten;Said;Case\r\nGPT;gee pee tee;WAHR\r\n;;\r\n",
        "sep=;\nword;alias;case;\nGPT;gee pee tee;x;",
        'case\tsaid\twritten\nyes\t"gee\npee tee"\tGPT',
        "\n\nwritten,said,ipa,language,case,whole_word\nGPT,gee pee tee,,,1",
    ],
)
def test_a_table_is_read_as_spreadsheets_write_it(data):
    wanted = (LexiconEntry("GPT", "gee pee tee", case=True),)
    assert read_csv(data.encode()).entries == wanted
    assert read_csv(data.lstrip("\ufeff").encode("utf-16")).entries == wanted


@pytest.mark.parametrize(
    "data,line,rule",
    [
        (b"", 1, "names the columns"),
        (b"written,sound\na,b", 1, "'sound' is none of them"),
        (b"said,ipa\na,b", 1, "missing or twice"),
        (b"written,said\n\na,b,c", 3, "3 cells, the first row 2"),
        (b"written,said\na,", 2, "It is not told how “a” is said"),
        (b"written,said,case\na,b,perhaps", 2, "yes or no, not 'perhaps'"),
        (b"sep=,\nwritten,said\na,b\n,b", 4, "The entry has no word"),
        (b'written,said\na,"b\nc\n', 3, "no CSV"),
        ("written,said\nb,c\ncafé,b".encode("cp1252"), 3, "no UTF-8"),
    ],
)
def test_a_table_is_refused_by_line_and_rule(data, line, rule):
    with pytest.raises(LexiconFileInvalid) as refused:
        read_csv(data)
    assert refused.value.line == line and rule in refused.value.fact


def test_a_file_of_too_many_entries_is_refused_with_the_limit():
    rows = "written,said\n" + "".join(f"w{n},x\n" for n in range(5001))
    with pytest.raises(LexiconFull, match="5,001 entries, and 5,000 are the limit"):
        read_csv(rows.encode())
