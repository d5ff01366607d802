"""Screening: by which rules a listener counts, chosen with the plan, before anybody has listened."""

from pydantic import BaseModel, ConfigDict, Field

__all__ = ["UNPLANNED", "USUAL", "Screening"]


class Screening(BaseModel):
    """Limits. None, or false: that rule is not asked. What a field is by default changes nothing, and stays: frozen plans leave it out.

    Shares are of the questions of one listener, 0 to 1. Beside these rules stand those of ITU-R BS.1534-3 for MUSHRA.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    hears_whole: bool = Field(default=False, description="Whether each sound is heard to its end once before it can be judged.")
    most_early: float | None = Field(
        default=None,
        ge=0,
        le=1,
        description="Share of questions answered before their sounds can have been heard, by the server's clock.",
    )
    headphones: bool = Field(default=False, description="Whether the headphone check has to be passed.")
    most_gold_missed: float | None = Field(default=1 / 3, ge=0, le=1, description="Share of obviously bad sounds not noticed.")
    most_traps_missed: float | None = Field(default=1 / 3, ge=0, le=1, description="Share of questions that said what to answer.")
    least_agreement: float | None = Field(
        default=None,
        ge=-1,
        le=1,
        description="Correlation with the mean of all others over the same sounds, where the panel agrees at all.",
    )
    most_alike: float | None = Field(
        default=None, ge=0, le=1, description="Share of questions with the same answer, or of pairs with the same slot ahead."
    )
    duplicates: bool = Field(default=False, description="Whether who took part twice, or gave somebody's answers again, counts once.")
    min_answered: float = Field(default=0.0, ge=0, le=1, description="Share of their questions that a listener has answered.")


UNPLANNED = Screening()  # of tests whose plan says nothing
# Of new tests. ITU-T P.808 (gold, traps, all of a clip heard); correlation below .25: CrowdMOS (Ribeiro et al., ICASSP 2011).
USUAL = Screening(hears_whole=True, most_early=0.1, least_agreement=0.25, most_alike=0.95, duplicates=True, min_answered=0.5)
