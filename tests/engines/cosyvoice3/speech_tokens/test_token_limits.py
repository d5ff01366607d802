"""How few and how many tokens a text is spoken in."""

from engines.contract.speech_end import SpeechEnd
from engines.cosyvoice3.speech_tokens.token_limits import token_limits

TEXT = "The quick brown fox jumps over the lazy dog, and then it sleeps."
N_TOKENS = 15


def test_a_text_takes_two_to_twenty_tokens_for_each_of_its_own():
    least, limit = token_limits(N_TOKENS, TEXT, asked=9000, room=9000)
    assert (least, limit.frames) == (30, 300)
    assert limit.cut == SpeechEnd.capped_by_text(12.0)


def test_no_text_is_held_to_be_spoken_faster_than_twice_its_pace():
    least, limit = token_limits(24, "안녕하세요 반갑습니다.", asked=9000, room=9000)
    assert 10 <= least < 25, "of ten syllables, of 48 that two per token would be"
    assert limit.frames > 4 * least


def test_a_word_may_take_two_seconds():
    least, limit = token_limits(1, "No", asked=9000, room=9000)
    assert least <= 2 and limit.frames == 50


def test_less_may_be_asked_for_and_less_may_fit():
    for asked, room, cut in [(20, 900, SpeechEnd.capped_as_asked(0.8)), (900, 20, SpeechEnd.without_room(0.8))]:
        least, limit = token_limits(N_TOKENS, TEXT, asked=asked, room=room)
        assert (least, limit.frames, limit.cut) == (20, 20, cut)


def test_many_tokens_of_a_short_text_are_bound_by_the_time_that_it_takes_where_that_is_heeded():
    heeded, unheeded = (token_limits(400, "1", asked=9000, room=9000, heeds_text=heeds)[1].frames for heeds in (True, False))
    assert heeded < 400 and unheeded == 8000
