"""What the page says before a voice is made agrees with what the words do to the pace of everything that is spoken."""

import pytest

from engines.advice.clip_advice import wish_verdicts
from engines.omnivoice import PACKAGE
from engines.omnivoice.text.duration import LEAST_WEIGHT, MOST_WEIGHT, weight_per_frame

FRAMES_PER_SECOND = 25
TEXTS = (
    "A good reader says about this many words while ten seconds go by, with a short pause after every part.",
    "一位好的朗读者在十秒钟内大约会读出这么多的汉字，并且在每个句子之后停顿一下。",
    "यह एक छोटा सा वाक्य है जिसे कोई धीरे धीरे पढ़ता है।",
)


@pytest.mark.parametrize("text", TEXTS)
def test_the_advice_begins_where_the_weight_per_frame_leaves_what_is_usual(text):
    for bound, case in ((LEAST_WEIGHT, "words_slow"), (MOST_WEIGHT, "words_fast")):
        for times in (0.9, 1.1):
            frames = weight_per_frame(text, 1) / (bound * times)
            is_outside = not LEAST_WEIGHT <= weight_per_frame(text, 1) / frames <= MOST_WEIGHT
            said = [line.case for line in wish_verdicts(PACKAGE.info, 8.0, text, frames / FRAMES_PER_SECOND)]
            assert said == ([case] if is_outside else [])
