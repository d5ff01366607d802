"""Refinement: how far an engine has come that goes on learning a speaker beside speech, step by step. See Engine.refine.

A prompt says in its facts where that stopped: LEARNED_STEPS of LEARNED_OF. One of an engine that does not refine has neither.
"""

from dataclasses import dataclass

from engines.contract.prompt import SpeakerPrompt

__all__ = ["LEARNED_OF", "LEARNED_STEPS", "Refinement", "RefinementStep", "refinement_of"]

LEARNED_STEPS, LEARNED_OF = "learned_steps", "learned_of"


@dataclass(frozen=True)
class Refinement:
    """step: the last that went into a prompt; 0 for what `extract` gives. of: how many there are."""

    step: int
    of: int

    @property
    def is_complete(self) -> bool:
        return self.step >= self.of


@dataclass(frozen=True)
class RefinementStep:
    """One step that was made, `step` of `of`. prompt: a better one to speak with from now on; None where this step gave none."""

    step: int
    of: int
    prompt: SpeakerPrompt | None = None


def refinement_of(prompt: SpeakerPrompt) -> Refinement | None:
    """What the prompt's facts say of it; None where they say nothing, or what cannot be: they may come from anybody's file."""
    step, of = prompt.facts.get(LEARNED_STEPS), prompt.facts.get(LEARNED_OF)
    if not isinstance(step, int) or not isinstance(of, int) or not 0 <= step <= of:
        return None
    return Refinement(step, of)
