"""checked_edit and edited_words: what of a change is refused, in which order changes stand, and what is said after them, where."""

import random

import pytest

from engines.contract.editing import EditKind, EditOperation, EditSpan, RecordingEdit, checked_edit, edited_words
from engines.contract.options import Option
from engines.errors import EditInvalid, EditUnsupported, OptionInvalid

WORDS = "The voice and then the world."
KINDS = (
    EditKind("replace", "stretch", "", takes_text=True, changes_words=True),
    EditKind("remove", "stretch", "", changes_words=True),
    EditKind("insert", "point", "", takes_text=True, changes_words=True),
    EditKind("pause", "point", "", options=(Option("level", "int", 2, "", minimum=1, maximum=3),)),
    EditKind("pitch", "stretch", "", options=(Option("semitones", "choice", "5", "", choices=("-5", "5")),)),
    EditKind("denoise", "whole", ""),
)


def change(words: str, *operations: EditOperation) -> RecordingEdit:
    return checked_edit("An engine", KINDS, words, operations)


# --- what is refused


def test_an_engine_that_changes_nothing_says_so():
    with pytest.raises(EditUnsupported):
        checked_edit("An engine", (), WORDS, [EditOperation("remove", 0, 3)])


@pytest.mark.parametrize(
    ("words", "operations", "sentence"),
    [
        (" ", [EditOperation("remove", 0, 1)], "edit_words_missing"),
        (WORDS, [], "edit_empty"),
        (WORDS, [EditOperation("remove", 0, 3)] * 51, "edit_too_many"),
        (WORDS, [EditOperation("sing", 0, 3)], "edit_kind_unknown"),
        (WORDS, [EditOperation("pause", 3, 4)], "edit_place_point"),
        (WORDS, [EditOperation("pause", 30, 30)], "edit_place_point"),
        (WORDS, [EditOperation("remove", 3, 4)], "edit_place_stretch"),
        (WORDS, [EditOperation("remove", 3, 30)], "edit_place_stretch"),
        (WORDS, [EditOperation("remove", -3, 3)], "edit_place_stretch"),
        (WORDS, [EditOperation("replace", 0, 3, " ?")], "edit_text_missing"),
        (WORDS, [EditOperation("remove", 4, 9), EditOperation("pitch", 8, 13)], "edit_overlap"),
        (WORDS, [EditOperation("remove", 4, 9), EditOperation("pause", 6, 6)], "edit_overlap"),
        (WORDS, [EditOperation("pause", 3, 3), EditOperation("insert", 3, 3, "a")], "edit_overlap"),
    ],
)
def test_what_cannot_be_done_is_refused_with_its_sentence(words, operations, sentence):
    with pytest.raises(EditInvalid) as refused:
        change(words, *operations)
    assert refused.value.values["sentence"] == sentence


def test_values_are_those_of_the_kind():
    with pytest.raises(OptionInvalid):
        change(WORDS, EditOperation("pause", 3, 3, values={"level": 4}))
    with pytest.raises(OptionInvalid):
        change(WORDS, EditOperation("remove", 0, 3, values={"level": 1}))
    assert dict(change(WORDS, EditOperation("pause", 3, 3)).operations[0].values) == {"level": 2}
    for given in (-5, "-5"):  # as JSON may have it
        assert dict(change(WORDS, EditOperation("pitch", 0, 3, values={"semitones": given})).operations[0].values) == {"semitones": "-5"}


def test_changes_stand_by_their_place_and_neighbors_may_touch():
    checked = change(
        WORDS, EditOperation("pitch", 4, 9), EditOperation("denoise", 7, 2), EditOperation("pause", 4, 4), EditOperation("remove", 0, 4)
    )
    assert [(one.kind, one.start, one.end) for one in checked.operations] == [
        ("remove", 0, 4), ("denoise", 0, len(WORDS)), ("pause", 4, 4), ("pitch", 4, 9),
    ]  # fmt: skip


# --- what is said after them


@pytest.mark.parametrize(
    ("words", "operation", "after"),
    [
        (WORDS, EditOperation("replace", 4, 9, "cat"), "The cat and then the world."),
        (WORDS, EditOperation("replace", 4, 13, "cat"), "The cat then the world."),
        (WORDS, EditOperation("remove", 10, 14), "The voice then the world."),
        (WORDS, EditOperation("remove", 23, 28), "The voice and then the."),
        (WORDS, EditOperation("insert", 28, 28, "too"), "The voice and then the world too."),
        (WORDS, EditOperation("insert", 0, 0, "Hear"), "Hear The voice and then the world."),
        (WORDS, EditOperation("insert", 9, 9, ", too"), "The voice, too and then the world."),
        ("It is  fine .", EditOperation("remove", 0, 2), "is fine."),
        ("It is  fine .", EditOperation("pause", 2, 2), "It is  fine ."),
        ("We don't know", EditOperation("replace", 3, 6, "can"), "We can't know"),
        ("The dog's ball", EditOperation("replace", 4, 7, "cat"), "The cat's ball"),
        ("a well-known man", EditOperation("replace", 2, 6, "ill"), "a ill-known man"),
        ("我有两个苹果", EditOperation("replace", 2, 3, "三"), "我有三个苹果"),
        ("我有两个苹果", EditOperation("replace", 2, 3, "3"), "我有 3 个苹果"),
        ("你好，世界。", EditOperation("insert", 3, 3, "新"), "你好，新世界。"),
        ("добрый день", EditOperation("insert", 6, 6, "вам"), "добрый вам день"),
        ("добрый день", EditOperation("replace", 7, 11, "вечер"), "добрый вечер"),
        ("안녕 세상", EditOperation("replace", 3, 5, "친구"), "안녕 친구"),
        ("こんにちは世界", EditOperation("insert", 5, 5, "やあ"), "こんにちはやあ世界"),
        ("สวัสดีโลก", EditOperation("insert", 6, 6, "ชาว"), "สวัสดีชาวโลก"),
    ],
)
def test_blanks_and_marks_stand_as_in_any_text(words, operation, after):
    assert edited_words(change(words, operation), KINDS).text == after


def test_spans_say_what_each_stretch_became_and_none_stands_for_a_change_of_all():
    changed = change(
        WORDS, EditOperation("replace", 0, 3, "Our big"), EditOperation("pitch", 4, 9), EditOperation("remove", 10, 14),
        EditOperation("pause", 18, 18), EditOperation("denoise", 0, 0),
    )  # fmt: skip
    after = edited_words(changed, KINDS)
    assert after.text == "Our big voice then the world."
    assert after.spans == (EditSpan(0, 3, 0, 7), EditSpan(4, 9, 8, 13), EditSpan(10, 14, 13, 13), EditSpan(18, 18, 18, 18))


def test_whatever_is_changed_all_else_is_said_alike_and_what_is_new_stands_where_its_span_is():
    """Blanks apart. Drawn changes of a text with marks, joints and two scripts."""
    draw, words, n_changed = random.Random(1), 'Jess\'s "well-known" cat, 你好，世界 3 don’t - stop …', 0
    for _ in range(500):
        places = sorted(draw.sample(range(len(words) + 1), draw.randint(1, 7)))
        operations = []
        while places:
            kind, start = draw.choice(KINDS), places.pop(0)
            end = places.pop(0) if kind.place == "stretch" and places else start
            operations.append(
                EditOperation(kind.name, start, end, draw.choice(["a", "新", "it's", "- so", " big cat "]) if kind.takes_text else "")
            )
        try:
            changed = change(words, *operations)
        except EditInvalid:
            continue
        after, at, other_at = edited_words(changed, KINDS), 0, 0
        stretches = [one for one in changed.operations if one.kind != "denoise"]
        for one, span in zip(stretches, after.spans, strict=True):
            new = one.text if one.kind in ("replace", "insert") else "" if one.kind == "remove" else words[one.start : one.end]
            assert (span.start, span.end) == (one.start, one.end)
            assert bare(after.text[other_at : span.other_start]) == bare(words[at : one.start])
            assert bare(after.text[span.other_start : span.other_end]) == bare(new)
            at, other_at = one.end, span.other_end
        assert bare(after.text[other_at:]) == bare(words[at:])
        n_changed += len(stretches)
    assert n_changed > 300


def bare(text: str) -> str:
    return "".join(text.split())
