"""Dialogues and plays: who says what in each way of writing it, and what only looks like a name."""

import pytest

from studio.scripts.intake.read import read_script


def lines(text: str, name: str = "") -> list[tuple[str, str]]:
    """(who, text) of all lines; "-" for a silent one."""
    return [("-" if line.is_silent else line.who, line.text) for line in read_script(text, name).lines]


TURNS = {
    "colon": ("ANNA: Hello!\nBen: Hi.\nAnna: Bye.", [("ANNA", "Hello!"), ("Ben", "Hi."), ("ANNA", "Bye.")]),
    "bold": ("**Anna:** Hi\n\n**Ben**: You *too*", [("Anna", "Hi"), ("Ben", "You *too*")]),
    "brackets": ("[Anna] Hi\n[Ben]: Yes\n[Anna] No", [("Anna", "Hi"), ("Ben", "Yes"), ("Anna", "No")]),
    "numbered": ("Speaker 1: Hi\nSpeaker 2: Yes", [("Speaker 1", "Hi"), ("Speaker 2", "Yes")]),
    "small letters": ("anna: hey\nben: hey\nanna: lol\nben: no", [("anna", "hey"), ("ben", "hey"), ("anna", "lol"), ("ben", "no")]),
    "Russian": ("Анна: Привет!\nБорис: Здравствуй.", [("Анна", "Привет!"), ("Борис", "Здравствуй.")]),
    "Japanese": ("太郎：こんにちは。\n花子：はい。", [("太郎", "こんにちは。"), ("花子", "はい。")]),
    "quotes": ("太郎「こんにちは」\n花子「やあ」", [("太郎", "「こんにちは」"), ("花子", "「やあ」")]),
    "own line": (
        "JACK.\nCharming day.\n\nLADY BRACKNELL.\nPray sit.\n\n[Exit JACK.]\n\nJACK\nYes.",
        [("JACK", "Charming day."), ("LADY BRACKNELL", "Pray sit."), ("-", "[Exit JACK.]"), ("JACK", "Yes.")],
    ),
    "full stop": (
        "NORA. Hide the tree.\n\nHELMER. Is that my lark?\n\nNORA. Yes, it is. It is\nindeed.",
        [("NORA", "Hide the tree."), ("HELMER", "Is that my lark?"), ("NORA", "Yes, it is. It is indeed.")],
    ),
    "narrated": ("Anna: Hi.\n\nThey left.\n\nBen: Bye.", [("Anna", "Hi."), ("", "They left."), ("Ben", "Bye.")]),
    "going on": ("ANNA: It is late and\nnobody came.\nBEN: Yes.", [("ANNA", "It is late and nobody came."), ("BEN", "Yes.")]),
}


@pytest.mark.parametrize(("text", "turns"), TURNS.values(), ids=TURNS)
def test_everybody_says_what_is_theirs(text, turns):
    assert lines(text) == turns


NO_NAMES = (
    "Note: buy milk.\nWarning: it is hot.",
    "Apples: 3\nPears: 4\nPlums: 5\nNuts: 9",
    "See http://example.org\nand ftp://example.org",
    "12:30 is late.\n13:00 is later.",
    "张三说：“你好。”\n李四问：“谁？”",
    "He said: hello.\nShe said: no.",
    "Mr. Smith came.\n\nMr. Jones left.\n\nMr. Brown stayed.",
    "Remember: it is a story. It has many words.\n\nAnd here it goes on.\n\nAnd here too.",
)


@pytest.mark.parametrize("text", NO_NAMES)
def test_what_only_looks_like_a_name_is_text(text):
    assert {who for who, _ in lines(text)} == {""}


def test_how_it_is_said_becomes_an_instruction_and_what_happens_a_silent_line():
    read = read_script(
        "ANNA (whispering): Come in. (She turns.) Sit down.\nBEN: (softly) I told him (twice) to go. [laugh]\n(Silence.)\n"
        "ANNA: [The bell rings.]"
    )
    assert [(line.who, line.text, line.instructions, line.is_silent) for line in read.lines] == [
        ("ANNA", "Come in.", "whispering", False),
        ("ANNA", "(She turns.)", None, True),
        ("ANNA", "Sit down.", None, False),
        ("BEN", "I told him (twice) to go. [laugh]", "softly", False),
        ("", "(Silence.)", None, True),
        ("ANNA", "[The bell rings.]", None, True),
    ]
    assert read.notes == (("note_directions", {"n": 3}),)


def test_acts_are_chapters_and_a_first_line_alone_is_the_title():
    read = read_script("The Bear\n\nACT I\n\nANNA: Hi.\n\n# Later\n\nBEN: No.\n\nANNA: Oh.")
    assert [line.text for line in read.lines if line.kind == "heading"] == ["The Bear", "ACT I", "Later"]
    assert read.head.title == "The Bear"


def test_a_continued_name_is_the_same_member_and_what_was_left_out_is_told():
    read = read_script("ANNA\nHi there.\n\nBEN\nYes.\n\nANNA (CONT'D)\nSo.")
    assert [member.name for member in read.cast] == ["ANNA", "BEN"] and dict(read.notes)["note_left_out"] == {"words": "(CONT'D)"}


FOUNTAIN = """Title: The Tree
Author: Me
Draft: 2

INT. HOUSE - DAY #1#

Anna sits.

ANNA
(smiling)
Hello.
(beat)
You!

@McBride (V.O.)
Yes /* never */ sir.

> CUT TO:

EXT. GARDEN - NIGHT

[[a note]]
"""


def test_a_screenplay_has_scenes_and_says_what_is_spoken():
    read = read_script(FOUNTAIN)
    assert (read.taken_for, read.head.title, read.head.author, read.head.description) == ("screenplay", "The Tree", "Me", "draft: 2")
    spoken = [(line.who, line.text, line.instructions) for line in read.lines if not line.is_silent]
    assert spoken == [("ANNA", "Hello.", "smiling"), ("ANNA", "You!", "beat"), ("McBride", "Yes", None)]
    assert [line.text for line in read.lines if line.kind == "heading"] == ["INT. HOUSE - DAY", "EXT. GARDEN - NIGHT"]
    assert {"/* never */", "[[a note]]", "> CUT TO:", "Anna sits."} <= {line.text for line in read.lines if line.is_silent}
