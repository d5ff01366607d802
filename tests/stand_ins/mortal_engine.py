"""MortalEngine: a fake engine elsewhere, whose replicas die in the middle of what they speak, as the door of a cluster has it."""

from collections.abc import Generator, Mapping, Sequence
from dataclasses import replace
from itertools import islice

import numpy as np

from engines.contract.options import Value
from engines.contract.prompt import SpeakerPrompt
from engines.contract.speech_end import ENDED, SpeechEnd
from studio.running.one_take import OneTake, SpeakerLost
from tests.stand_ins.fake_engine import INFO, FakeEngine

ELSEWHERE = replace(INFO, runs="elsewhere")
TAKES = 3


class MortalEngine(FakeEngine):
    """deaths: after how many chunks the first replica of a speech dies, the second, and so on; the one after them lives."""

    def __init__(self, deaths: Sequence[int] = ()):
        super().__init__(ELSEWHERE)
        self.deaths = tuple(deaths)
        self.n_takes = 0

    def stream(self, text: str, prompt: SpeakerPrompt, options: Mapping[str, Value]) -> Generator[np.ndarray, None, SpeechEnd]:
        deaths = iter(self.deaths)

        def take() -> Generator[np.ndarray, None, SpeechEnd]:
            self.n_takes += 1
            chunks = super(MortalEngine, self).stream(text, prompt, options)
            death = next(deaths, None)
            yield from islice(chunks, death)
            if death is not None:
                chunks.close()
                raise SpeakerLost("killed")
            return ENDED

        return OneTake().spoken(take, TAKES)
