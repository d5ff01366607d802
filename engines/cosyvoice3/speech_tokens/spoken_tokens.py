"""SpokenTokens: the tokens of the language model that become sound: all but those of a long silence."""

from collections.abc import Iterable

__all__ = ["SpokenTokens"]

# Codes of silence and breath, and how many in a row are heard: cosyvoice/cli/model.py @ ace7c47, CosyVoice3Model and llm_job.
SILENT = frozenset((1, 2, 28, 29, 55, 248, 494, 2241, 2242, 2322, 2323))
MOST_SILENT = 5  # 0.2 s


class SpokenTokens:
    """Of one stream, whose tokens come piece by piece. The language model goes on from all of them.

    n_silent: of the silence that the tokens so far end in, those that were not passed too.
    """

    def __init__(self) -> None:
        self.n_silent = 0

    def push(self, tokens: Iterable[int]) -> list[int]:
        """Those of the tokens that are heard."""
        passed = []
        for token in tokens:
            self.n_silent = self.n_silent + 1 if token in SILENT else 0
            if self.n_silent <= MOST_SILENT:
                passed.append(token)
        return passed
