"""Samples: tests, votes and findings with names that would do harm, and what says sentences."""

from collections.abc import Mapping
from dataclasses import dataclass

from studio.listening.keep.test import FormCount
from studio.listening.plan.design import Item
from studio.listening.plan.plan import Plan, System
from studio.listening.statistics.findings import Assessor, Exclusion, Findings, PairFinding, SystemFinding
from studio.listening.vote.vote import Vote
from studio.words.line import Line
from studio.words.sentences import sentences_in

HOSTILE = (
    "<img src=x onerror=alert(1)>",
    "=HYPERLINK(0)",
    "$\\frac{$",
    "语音",
    "'@x",
    'a"b\r\nc',
    "&amp;</table><script>",
    "a\x00\x1b\x85b",
)


@dataclass(frozen=True)
class SampleTest:
    """As studio/listening/keep/test.py tells of one."""

    link: str
    plan: Plan
    items: tuple[Item, ...] = ()
    created: float = 1.7e9
    closed: float | None = 1.71e9
    frozen_hash: str = "ab" * 32
    is_unblinded: bool = True
    form_counts: tuple[FormCount, ...] = ()


def say(key: str, values: Mapping[str, object]) -> str:
    """English; where a sentence is not written yet, its key and values."""
    try:
        return sentences_in("en").words(f"tests.{key}", values)
    except KeyError:
        return " ".join((key, *map(str, values.values())))


def sample_test() -> SampleTest:
    systems = (System(id="one", label=HOSTILE[0]), System(id="two", label=HOSTILE[1]))
    plan = Plan(name=HOSTILE[6], method="mushra", systems=systems, texts=("Good morning.", HOSTILE[0]), seed=7)
    roles = (("one", "system"), ("two", "system"), ("reference", "reference"), ("lowpass-3.5", "lowpass-3.5"))
    items = [
        Item(f"i{number}", system, role, number % 2, f"{number:02x}" * 32, 2.5, 3.0, -1.25, -23.0, 12_000.0, build=HOSTILE[0])
        for number, (system, role) in enumerate(roles)
    ]
    return SampleTest("t" * 22, plan, tuple(items))


def mushra_findings() -> Findings:
    systems = [
        SystemFinding(name, label, role, 30, mean, mean - 4, mean + 4, mean, 1, {"L01": mean - 5, HOSTILE[0]: mean + 3})
        for name, label, role, mean in (
            ("reference", "reference", "reference", 94),
            ("one", HOSTILE[0], "system", 76),
            ("two", HOSTILE[2], "system", 72.4),
            ("three", HOSTILE[3] + HOSTILE[7], "system", 41),
            ("lowpass-3.5", "lowpass-3.5", "lowpass-3.5", 18),
        )
    ]
    pairs = [
        PairFinding(one, other, 30, p, p, share=wins / 30, share_low=0.3, share_high=0.9, share_low_all=0.2, share_high_all=0.95, wins=wins)
        for one, other, p, wins in (("one", "two", 0.56, 16), ("one", "three", 0.0001, 28), ("two", "three", 0.01, 25))
    ]
    listeners = (
        Assessor("L01", 36, True),
        Assessor(HOSTILE[0], 36, False, (Exclusion(HOSTILE[0], "hidden_reference", {"n": 3, "of": 8}),)),
    )
    verdict = (Line("verdict_pair_mushra", {"name": HOSTILE[0], "other": HOSTILE[6]}),)
    notes = (Line("note_reference_found", {"name": "reference", "mean": 94, "scale": 100}),)
    return Findings("mushra", 2, 2, 60, 7, 2000, tuple(systems), tuple(pairs), listeners, verdict, notes)


def mos_findings() -> Findings:
    systems = [SystemFinding(name, name, "system", 10, 3.4, 3.1, 3.7, 3.5, 1, {"L01": 3.2}, (0, 1, 3, 4, 2)) for name in ("one", "two")]
    pair = PairFinding("one", "two", 10, 0.2, 0.2, difference=0.31, low=-0.02, high=0.62, low_all=-0.02, high_all=0.62)
    return Findings("mos", 1, 2, 20, 7, 2000, tuple(systems), (pair,), (Assessor("L01", 20, True),), (Line("verdict_nothing"),))


def hostile_votes() -> tuple[Vote, ...]:
    """A vote for each name, which stands in every text of it; and numbers that binary fractions do not meet."""
    return tuple(
        Vote("mushra", name, number, "item", name, name, "", 100 / 3, None, number % 2 == 0, number, 2, 0.1, 1e-7, number == 3, name)
        for number, name in enumerate(HOSTILE)
    )
