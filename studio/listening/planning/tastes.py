"""Tastes: by how much listeners and texts differ in which system they favor, as a plan reckons with it: of earlier tests, or as is usual.

A vote is thought to be what the system deserves + listener + text + (listener x system) + (text x system) + rest.

The usual ones of 1 to 5 lie between what this model, fitted by lme4, says of tests whose single votes are public. SDs of listener, text,
listener x system, text x system and rest:

* YourTTS (Casanova et al. 2022; files beside its code), 7 variants of one model. Naturalness, English: .60 .00 .06 .00 .47 (LibriTTS),
  .60 .03 .04 .02 .47 (VCTK); likeness: .64 .05 .04 .02 .69 and .50 .04 .05 .06 .62. Portuguese, 5 variants: .53 .25 .05 .27 .73.
* Nautilus (Fernandez Gallardo 2017), 8 codecs and filters, 12 German voices in place of texts: .23 .16 .30 .13 .43.

All favor variants of one model alike; systems that are unlike they do not. A plan does not say which it has, so it reckons with .2 each.
That raters differ by far is found elsewhere, too: by over 2 points of 5 between the extremes of a test (Rosenberg & Ramabhadran 2017, of 46
tests); and that errors which leave out who rates are too small, in replications (Camp et al. 2023; Finkelstein et al. 2023).
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace

from studio.listening.plan.plan import PAIRED, Method
from studio.listening.statistics.findings import Findings

__all__ = ["LISTENER_SD", "MUSHRA_POINTS", "REST_SD", "ROUNDING", "TASTE_SD", "TEXT_SD", "Tastes", "tastes_of", "usual_tastes"]

LISTENER_SD, TEXT_SD, TASTE_SD, REST_SD = 0.5, 0.25, 0.2, 0.75  # of a scale of 1 to 5
ROUNDING = 1 / 12  # variance that votes in steps of 1 have besides (Sheppard)
MUSHRA_POINTS = 25  # of 100, for one of 1 to 5
# Of a share of votes: who prefers by the difference of two such ratings has a share that varies by the density of the normal distribution
# in its middle x what is not rest, 0.4 x 0.25.
SHARE_SD = 0.1
LEAST_LISTENERS, LEAST_TEXTS = 5, 5  # of a test that says how others will differ
# Votes that usual tastes are worth beside those of earlier tests: small ones often show no tastes where there are some.
PRIOR_VOTES = 100


@dataclass(frozen=True)
class Tastes:
    """Variances, in points of the method's scale, of AB and ABX of shares. Of pairs listener_system and text_system are those of the pair's
    own votes, twice those of one system, and listener and text are 0. n_tests: earlier ones that they are from; 0 for usual tastes."""

    listener: float
    text: float
    listener_system: float
    text_system: float
    rest: float
    n_tests: int = 0


NAMES = tuple(each.name for each in fields(Tastes) if each.name != "n_tests")


def usual_tastes(method: Method) -> Tastes:
    """Where nobody has been asked yet."""
    if method in ("ab", "abx"):
        return Tastes(0.0, 0.0, SHARE_SD**2, SHARE_SD**2, 0.25 - 2 * SHARE_SD**2)
    if method in PAIRED:
        return Tastes(0.0, 0.0, 2 * TASTE_SD**2, 2 * TASTE_SD**2, 2 * REST_SD**2 + ROUNDING)
    points = MUSHRA_POINTS if method in ("mushra", "mushra-like") else 1
    listener, text, taste, rest = ((points * sd) ** 2 for sd in (LISTENER_SD, TEXT_SD, TASTE_SD, REST_SD))
    return Tastes(listener, text, taste, taste, rest)


def tastes_of(method: Method, earlier: Iterable[Findings]) -> Tastes:
    """Pooled over earlier tests of the method, weighted by their votes; the usual ones where none of them tells any.

    What systems are favored by, few tests tell well: the usual tastes count as those of one more test, of PRIOR_VOTES.
    """
    told = [(found.n_votes, components) for found in earlier if (components := _components_of(found))]
    n = sum(n_votes for n_votes, _ in told)
    usual = usual_tastes(method)
    if not n:
        return usual
    pooled = {name: sum(n_votes * components[name] for n_votes, components in told) / n for name in NAMES}
    for name in ("listener_system", "text_system"):
        pooled[name] = (n * pooled[name] + PRIOR_VOTES * getattr(usual, name)) / (n + PRIOR_VOTES)
    return replace(usual, **pooled, n_tests=len(told))


def _components_of(found: Findings) -> Mapping[str, float]:
    """By name, empty where the test says nothing of others, or not all of it."""
    if found.n_listeners < LEAST_LISTENERS or found.n_texts < LEAST_TEXTS:
        return {}
    told = {name: found.components.get(name, 0.0 if name in ("listener", "text") else math.nan) for name in NAMES}
    if found.method in ("ab", "cmos") and len(found.systems) > 2:  # whose model tells them of each system
        told |= {name: 2 * told[name] for name in ("listener_system", "text_system")}
    is_whole = all(math.isfinite(value) and value >= 0 for value in told.values()) and told["rest"] > 0
    return told if is_whole else {}
