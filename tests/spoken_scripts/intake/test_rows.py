"""Tables, and JSON of other programs."""

import json

import pytest

from studio.errors import ScriptFileUnusable
from studio.scripts.intake.read import read_script


def told(data: str | bytes) -> list[tuple[str, str]]:
    return [(line.who, line.text) for line in read_script(data).lines]


@pytest.mark.parametrize(
    "table",
    [
        "speaker,text\nAnna,Hi\nBen,Yes\n",
        "\ufeffSprecher;Text\r\nAnna;Hi\r\nBen;Yes\r\n",
        "sep=;\nRolle;Zeile\nAnna;Hi\nBen;Yes",
        "who\tline\nAnna\tHi\nBen\tYes",
        "角色,台词\nAnna,Hi\nBen,Yes",
        '"Character","Dialogue"\n"Anna","Hi"\n"Ben","Yes"',
        "Personnage;Réplique\nAnna;Hi\nBen;Yes".encode("cp1252"),
    ],
)
def test_a_table_is_read_by_the_names_of_its_columns(table):
    assert told(table) == [("Anna", "Hi"), ("Ben", "Yes")]


def test_columns_fill_lines_and_cast():
    read = read_script(
        "who,text,pause,start,end,instructions,speed,chapter,voice,model,mood\n"
        'Anna,"Hi, you",0.5,"00:00:01,500",2.5,softly,1.1,One,eva,fake,sad\nANNA,Bye,,,,,9,One,max,,\n'
        ",,,,,,,Two,,,\nBen,No,500 ms,,,,,Two,,,\n"
    )
    first, second, third, fourth, fifth = read.lines
    assert (first.text, first.kind, first.is_silent) == ("One", "heading", True)
    assert (second.text, second.pause_seconds, second.instructions, second.speed) == ("Hi, you", 0.5, "softly", 1.1)
    assert second.slot and (second.slot.start, second.slot.end) == (1.5, 2.5) and (third.who, third.speed) == ("Anna", None)
    assert (fourth.text, fifth.pause_seconds) == ("Two", 0.5)
    assert [(member.name, member.voice, member.model) for member in read.cast] == [("Anna", "eva", "fake"), ("Ben", None, None)]
    assert dict(read.notes) == {"note_voices_differ": {"names": "Anna"}, "note_columns": {"columns": "mood"}}


def test_a_table_without_texts_is_told_which_columns_it_has():
    with pytest.raises(ScriptFileUnusable) as refused:
        read_script("a,b\n1,2", as_format="csv")
    assert refused.value.values["sentence"] == "script_file_no_text_column" and refused.value.values["columns"] == "a, b"
    assert read_script("a,b\n1,2").taken_for == "text"


LISTS = (
    [{"speaker": "Anna", "text": "Hi"}, {"speaker": "Ben", "text": "Yes"}],
    [["Anna", "Hi"], ["Ben", "Yes"]],
    [{"Anna": "Hi"}, {"Ben": "Yes"}],
    {"segments": [{"speaker": "Anna", "text": " Hi"}, {"speaker": "Ben", "text": "Yes"}], "text": "Hi Yes"},
    {"chapters": [{"lines": [{"role": "Anna", "content": "Hi"}]}, {"lines": [{"role": "Ben", "content": "Yes"}]}]},
)


@pytest.mark.parametrize("value", LISTS)
def test_lists_of_lines_are_read_as_peers_write_them(value):
    assert told(json.dumps(value)) == [("Anna", "Hi"), ("Ben", "Yes")]


def test_an_object_in_each_line_is_read_too():
    assert told("\n".join(map(json.dumps, LISTS[0]))) == [("Anna", "Hi"), ("Ben", "Yes")] and told('["Hi", "Yes"]') == [
        ("", "Hi"),
        ("", "Yes"),
    ]


def test_our_own_script_comes_in_again():
    plain = {
        "format": "voice-studio-script",
        "version": 1,
        "head": {"title": "T"},
        "cast": [{"name": "A", "voice": "eva"}],
        "lines": [{"who": "A", "text": "Hi"}],
    }
    read = read_script(json.dumps(plain))
    assert (read.taken_for, read.head.title, read.cast[0].voice, read.lines[0].text) == ("script", "T", "eva", "Hi")


@pytest.mark.parametrize(("text", "sentence"), [("[1, 2]", "script_file_no_lines"), ("{}", "script_file_no_lines")])
def test_json_without_lines_is_refused(text, sentence):
    with pytest.raises(ScriptFileUnusable) as refused:
        read_script(text)
    assert refused.value.values["sentence"] == sentence
