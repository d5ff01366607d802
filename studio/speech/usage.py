"""Usage: token counts, for clients that expect them. Engines count tokens differently, so these are units that every request has.

Text tokens: Unicode characters of `input`. Audio tokens: frames of 80 ms, begun ones counted (12.5 per second, the rate of the Qwen3
codec), of the reference audio sent with the request, of recorded speech that is to be converted, and of the audio made.
"""

import math
from dataclasses import dataclass

from studio.speech.speech import Speech

__all__ = ["AUDIO_TOKENS_PER_SECOND", "Usage"]

AUDIO_TOKENS_PER_SECOND = 12.5


@dataclass(frozen=True)
class Usage:
    """What one request took and gave, in the units above."""

    text_tokens: int
    audio_tokens: int
    output_tokens: int

    @classmethod
    def of(cls, speech: Speech) -> "Usage":
        """Of what was heard so far."""
        request = speech.request
        audio_tokens = _frames(request.reference_seconds) + _frames(request.source_seconds or 0.0)
        return cls(request.n_characters, audio_tokens, _frames(speech.seconds))

    def headers(self) -> dict[str, str]:
        """The five headers of whole answers."""
        n_input = self.text_tokens + self.audio_tokens
        counts = {
            "input-tokens": n_input,
            "output-tokens": self.output_tokens,
            "total-tokens": n_input + self.output_tokens,
            "input-text-tokens": self.text_tokens,
            "input-audio-tokens": self.audio_tokens,
        }
        return {f"x-vllm-omni-{name}": str(count) for name, count in counts.items()}

    def members(self) -> dict[str, object]:
        """The `usage` object of events."""
        n_input = self.text_tokens + self.audio_tokens
        return {
            "input_tokens": n_input,
            "output_tokens": self.output_tokens,
            "total_tokens": n_input + self.output_tokens,
            "input_token_details": {"text_tokens": self.text_tokens, "audio_tokens": self.audio_tokens},
        }


def _frames(seconds: float) -> int:
    return math.ceil(round(seconds * AUDIO_TOKENS_PER_SECOND, 6))
