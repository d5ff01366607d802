"""How much speech a text may become: no reading is ever cut, and the end says which bound it was."""

import pytest

from engines.kit.decode.frame_limit import frame_limit
from engines.text.spoken_length import most_spoken_seconds, spoken_seconds

READINGS = {  # texts, and seconds that a slow reader takes for them, with pauses
    "Yes.": 1.5,
    "The birch canoe slid on the smooth planks, and nobody said a word about it for the rest of the day.": 13.0,
    "1234567890": 10.0,  # digit by digit
    "It costs 1,234,567.89 dollars.": 16.0,
    "今天天气很好，我们一起去公园散步吧。": 9.0,
    "오늘은 날씨가 좋아서 우리는 함께 공원에 갔습니다.": 9.0,
    "こんにちは、きょうはいいてんきですね。": 8.0,
    "नमस्ते, आप कैसे हैं?": 5.0,
    "WWW, HTTP, USB": 12.0,  # spelled
}


@pytest.mark.parametrize("text", READINGS)
def test_no_reading_comes_near_the_cap_not_even_at_half_the_pace(text):
    assert most_spoken_seconds(text) > 2 * READINGS[text] * (0.5 if len(text) < 20 else 1)
    assert most_spoken_seconds(text) >= 8 * spoken_seconds(text)


def test_a_short_text_is_bounded_by_seconds_and_not_by_eleven_minutes():
    assert frame_limit("Hello.", frames_per_second=12.5, asked=8191, room=16_000).frames < 15 * 12.5


def test_the_smallest_bound_holds_and_the_end_says_which_it_was():
    text, rate = "Hello there, this is a sentence.", {"frames_per_second": 12.5}
    by_text, as_asked, room = (
        frame_limit(text, asked=8191, room=16_000, **rate),
        frame_limit(text, asked=9, room=16_000, **rate),
        frame_limit(text, asked=8191, room=20, **rate),
    )
    assert (as_asked.frames, room.frames) == (9, 20)
    assert [limit.cut.reason for limit in (by_text, as_asked, room)] == ["capped", "capped", "no_room"]
    assert "a text of this length" in by_text.cut.warning and f"{by_text.frames / 12.5:.1f} s" in by_text.cut.warning
    assert "0.7 s, the most that was asked for" in as_asked.cut.warning
    assert "no room" in room.cut.warning


def test_a_text_that_is_not_heeded_bounds_nothing():
    limit = frame_limit("Hi.", frames_per_second=12.5, asked=8191, room=16_000, heeds_text=False)
    assert (limit.frames, limit.cut.reason) == (8191, "capped")
