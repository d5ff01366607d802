"""EPUB: order, chapters, what is not said, and archives of strangers."""

import io
import struct
import zipfile

import pytest

from studio.errors import ScriptFileUnusable
from studio.scripts.intake.books import epub_archive
from studio.scripts.intake.read import read_script
from tests.spoken_scripts.intake.books import PNG, epub, page, zipped


def said(data: bytes) -> list[str]:
    return [line.text for line in read_script(data).lines if not line.is_silent]


def headings(data: bytes) -> list[tuple[str, bool]]:
    return [(line.text, line.is_silent) for line in read_script(data).lines if line.kind == "heading"]


TWO = {"two.xhtml": "<p>Second.</p>", "one.xhtml": "<h1>CHAPTER I</h1><h2>The Door</h2><p>First.</p>"}


def test_metadata_spine_and_cover_are_the_books():
    cover = '<item id="pic" href="c.png" media-type="image/png" properties="cover-image"/>'
    read = read_script(epub(TWO, items=cover, files={"OPS/c.png": PNG}))
    assert (read.taken_for, read.head.title, read.head.author, read.head.language, read.head.year) == (
        "epub",
        "The Cave",
        "A. Writer",
        "en",
        "1901",
    )
    assert read.cover == PNG and [member.name for member in read.cast] == [""]
    assert [line.text for line in read.lines] == ["Second.", "CHAPTER I. The Door", "First."]
    older = '<meta name="cover" content="pic"/>'
    item = '<item id="pic" href="c.png" media-type="image/png"/>'
    assert read_script(epub(TWO, metadata=older, items=item, files={"OPS/c.png": PNG}), "the_cave.epub").cover == PNG
    assert read_script(epub(TWO, metadata=""), "the_cave.epub").head.title == "the cave"


@pytest.mark.parametrize(
    "toc",
    [
        {"nav": '<li><a href="one.xhtml#b">Beta</a></li><li><a href="two%20.xhtml">Gamma</a></li>'},
        {
            "ncx": '<navPoint><navLabel><text>Beta</text></navLabel><content src="one.xhtml#b"/></navPoint>'
            '<navPoint><navLabel><text>Gamma</text></navLabel><content src="two%20.xhtml"/></navPoint>'
        },
    ],
    ids=["EPUB 3", "EPUB 2"],
)
def test_chapters_are_those_of_the_table_of_contents(toc):
    pages = {"one.xhtml": "<p>Before.</p><h3 id='b'>Beta</h3><p>b</p><h4>Within</h4><p>c</p>", "two .xhtml": "<p>no heading here</p>"}
    assert headings(epub(pages, **toc)) == [("Beta", False), ("Gamma", True)]
    assert said(epub(pages, **toc)) == ["Before.", "Beta", "b", "Within", "c", "no heading here"]


def test_what_is_only_shown_is_not_said_and_told():
    body = (
        "<p>A<a epub:type='noteref' href='#n'>1</a> cat<sup><a href='#n'>2</a></sup> <img alt='a cat' src='x'/>in 3<sup>2</sup>"
        " m&nbsp;hats, see <a href='#n'>4</a>.</p><p>漢<ruby>字<rp>(</rp><rt>じ</rt></ruby></p><span epub:type='pagebreak'>12</span>"
        "<aside epub:type='footnote' id='n'><p>1 A note.</p></aside><p>One<br/>two</p><math><mi>x</mi></math>"
        "<table><tr><td>a</td><td>b</td></tr></table><p>so\u00adft</p><p>* * *</p><script>no()</script><p/>"
    )
    read = read_script(epub({"a.xhtml": body}))
    assert [line.text for line in read.lines if not line.is_silent] == [
        "A cat in 3² m hats, see 4.",
        "漢字",
        "One\ntwo",
        "a, b",
        "soft",
    ]
    assert [line.text for line in read.lines if line.is_silent] == ["1 A note."]
    assert dict(read.notes) == {"note_footnotes": {"n": 2}, "note_pictures": {"n": 1}, "note_formulas": {"n": 1}}
    assert read.lines[-1].pause_seconds, "what parts scenes is a silence"


def test_pages_beside_the_text_are_silent_or_told():
    pages = {
        "t.xhtml": '<section epub:type="titlepage"><h1>The Cave</h1></section>',
        "c.xhtml": "<p>Copyright</p>",
        "toc.xhtml": "".join(f'<p><a href="a.xhtml">Part number {n}</a></p>' for n in range(6)),
        "a.xhtml": "<p>Text.</p>",
        "n.xhtml": "<p>Answers.</p>",
    }
    nav = '<li><a href="a.xhtml">Alpha</a></li>'
    landmarks = page(
        f'<nav epub:type="toc"><ol>{nav}</ol></nav><nav epub:type="landmarks"><a epub:type="copyright-page" href="c.xhtml">C</a></nav>'
    )
    read = read_script(epub(pages, nav=nav, linear={"n.xhtml": "no"}, files={"OPS/nav.xhtml": landmarks}))
    assert [line.text for line in read.lines if not line.is_silent] == ["Text."]
    assert {"The Cave", "Copyright", "Part number 5"} <= {line.text for line in read.lines}
    assert dict(read.notes) == {"note_front": {"n": 2}, "note_contents": {"n": 6}, "note_beside": {"n": 1}}


def encrypted(method: str) -> dict[str, str]:
    told = f'<enc:EncryptedData><enc:EncryptionMethod Algorithm="{method}"/></enc:EncryptedData>'
    return {"META-INF/encryption.xml": f"<encryption>{told}</encryption>"}


def test_a_book_of_a_shop_is_refused_and_scrambled_fonts_are_not():
    assert said(epub(TWO, files=encrypted("http://www.idpf.org/2008/embedding")))
    with pytest.raises(ScriptFileUnusable) as refused:
        read_script(epub(TWO, files=encrypted("http://www.w3.org/2001/04/xmlenc#aes128-cbc")))
    assert refused.value.values["sentence"] == "script_file_encrypted"


def bomb() -> bytes:
    return epub({"a.xhtml": "<p>x</p>"}, files={"OPS/a.xhtml": " " * (epub_archive._LEAST_RATIO_BYTES * 2)})


def lying() -> bytes:
    """Says that an entry is small."""
    data = bytearray(epub({"a.xhtml": "<p>" + "word " * 500 + "</p>"}))
    size = struct.pack("<L", len(page("<p>" + "word " * 500 + "</p>")))
    return bytes(data.replace(size, struct.pack("<L", 10)))


def locked() -> bytes:
    data = bytearray(epub(TWO))
    at = data.rfind(b"PK\x01\x02", 0, data.rfind(b"OPS/one.xhtml"))
    data[at + 8] |= 1
    return bytes(data)


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (bomb(), "script_file_bomb"),
        (lying(), "script_file_damaged"),
        (locked(), "script_file_encrypted"),
        (zipped({"a.txt": "x"}), "script_file_no_epub"),
        (zipped({"word/document.xml": "x"}), "script_file_document"),
        (epub(TWO)[:-40], "script_file_damaged"),
        (epub({"a.xhtml": "<img src='a.png'/>"}), "script_file_no_words"),
        (zipped({"META-INF/container.xml": "<container/>"}), "script_file_no_epub"),
        (b"PK\x03\x04", "script_file_damaged"),
    ],
)
def test_archives_that_are_no_book_are_refused_in_words(data, sentence):
    with pytest.raises(ScriptFileUnusable) as refused:
        read_script(data)
    assert refused.value.values["sentence"] == sentence


def test_entries_are_found_by_name_and_nothing_outside_is():
    archive = epub_archive.EpubArchive(zipped({"OPS/Text/A b.xhtml": "x", "OPS/book.opf": "y"}))
    assert archive.find("Text/A%20b.xhtml#c", "OPS/book.opf") == archive.find("../TEXT/a b.xhtml", "OPS/x/y") == "OPS/Text/A b.xhtml"
    assert archive.find("../../etc/passwd", "OPS/book.opf") == archive.find("http://example.org/x", "OPS/book.opf") == ""


def test_too_many_entries_are_no_book(monkeypatch):
    monkeypatch.setattr(epub_archive, "MOST_ENTRIES", 3)
    with pytest.raises(ScriptFileUnusable):
        epub_archive.EpubArchive(epub(TWO))


def test_entities_are_not_expanded_and_broken_pages_are_read():
    laughs = '<?xml version="1.0"?><!DOCTYPE html [<!ENTITY a "lol"><!ENTITY b "&a;&a;">]><html><body>'
    laughs += "<p>&b; unclosed <b>bold<p>next &hellip;</body>"
    read = read_script(epub({"a.xhtml": ""}, files={"OPS/a.xhtml": laughs}))
    assert [line.text for line in read.lines] == ["&b; unclosed bold", "next …"]


def test_pages_say_their_encoding():
    latin = '<?xml version="1.0" encoding="iso-8859-1"?><html><body><p>café</p></body></html>'.encode("latin-1")
    assert said(epub({"a.xhtml": ""}, files={"OPS/a.xhtml": latin})) == ["café"]


def test_a_script_with_its_sounds_is_no_book():
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("script.json", '{"format": "voice-studio-script", "version": 1, "lines": [{"text": "Hi"}], "cast": []}')
    assert read_script(file.getvalue()).taken_for == "script"
