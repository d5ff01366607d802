"""token_limits: the smallest and the largest number of speech tokens for a piece of text."""

from engines.kit.decode.frame_limit import FrameLimit, frame_limit
from engines.text.spoken_length import spoken_seconds

__all__ = ["TOKENS_PER_SECOND", "token_limits"]

TOKENS_PER_SECOND = 25
# Speech tokens per text token: min_token_text_ratio and max_token_text_ratio of cosyvoice/llm/llm.py @ ace7c47. Its own loop does not keep
# the first: it bars the id that begins speech, not the one that ends it; only under vLLM it does.
LEAST_PER_TOKEN, MOST_PER_TOKEN = 2, 20
FASTEST = 2  # times the pace of a reading: Korean has two text tokens per syllable, of which four speech tokens are the usual length
LEAST_CAP_TOKENS = 2 * TOKENS_PER_SECOND  # one text token may be a name, or a laugh


def token_limits(n_text_tokens: int, text: str, *, asked: int, room: int, heeds_text: bool = True) -> tuple[int, FrameLimit]:
    """(tokens before which the speech does not end, those after which it is cut), the first no more than the other.

    n_text_tokens: of the text, what stands before it not counted. asked: the most that the request allows. room: that the engine can hold.
    heeds_text: False leaves the time that the text can take out of the second.
    """
    limit = frame_limit(
        text,
        frames_per_second=TOKENS_PER_SECOND,
        asked=asked,
        room=room,
        heeds_text=heeds_text,
        by_tokens=max(LEAST_CAP_TOKENS, MOST_PER_TOKEN * n_text_tokens),
    )
    fastest = int(spoken_seconds(text) / FASTEST * TOKENS_PER_SECOND)
    return min(LEAST_PER_TOKEN * n_text_tokens, fastest, limit.frames), limit
