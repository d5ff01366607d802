"""Where in a text stood what was made of it."""

from engines.text.spoken_pieces import speakable
from engines.text.text_places import TextPlaces, speakable_places


def test_a_text_that_stays_as_long_is_letter_for_letter():
    assert speakable_places("one\u0007two", speakable("one\u0007two")).of(4, 7) == (4, 7)


def test_joined_accents_are_the_letters_that_were_typed():
    text = "cafe\u0301 noir"
    spoken = speakable(text)
    assert speakable_places(text, spoken).of(*spoken_span(spoken, "café")) == (0, 5)
    assert speakable_places(text, spoken).of(*spoken_span(spoken, "noir")) == (6, 10)
    hangul = "\u1112\u1161\u11ab 글"
    assert speakable_places(hangul, speakable(hangul)).of(0, 1) == (0, 3)


def test_what_was_replaced_is_all_of_what_stood_there_and_steps_follow_each_other():
    first = TextPlaces.of_parts([(0, 4, "say "), (4, 20, "XY"), (20, 25, " now!")])
    assert (first.of(0, 3), first.of(4, 5), first.of(7, 10)) == ((0, 3), (4, 20), (21, 24))
    second = first.then(TextPlaces.of_parts([(0, 4, "say "), (4, 6, "Z"), (6, 11, " now!")]))
    assert (second.of(4, 5), second.of(6, 9)) == ((4, 20), (21, 24))


def spoken_span(text, part):
    return text.index(part), text.index(part) + len(part)
