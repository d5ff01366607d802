"""A made-up evaluation: figures drawn from known differences between systems, with tastes of voices and texts. No sound is there."""

import hashlib
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from studio.evaluations.plan.cell import CellKey, CellMeasures, EvaluatedCell, KeptSound, SaidCell, SystemRun, VoiceRun
from studio.evaluations.plan.evaluation import Evaluation, EvaluationData, WordFloor
from studio.evaluations.plan.plan import EvaluationPlan, EvaluationSystem, EvaluationText, EvaluationVoice

__all__ = ["HOSTILE", "TEXTS", "Drawn", "drawn_evaluation"]

HOSTILE = "</td><script>alert(\"1\")</script> & '=2+3' \u202e"
RATE_HZ = 24_000
# (language, kind, text); "ar" is written from right to left, "zh" without spaces.
TEXTS: tuple[tuple[str, str, str], ...] = (
    ("en", "everyday", "The ferry leaves the harbor shortly before sunrise."),
    ("en", "numbers", "In 1987 the bridge cost 3.5 million dollars and took 14 months."),
    ("en", "names", "Siobhan Nguyen met Doctor Przybylski in Worcester."),
    ("en", "questions", "Why would anybody paint a lighthouse green?"),
    ("en", "twisters", "She sells sea shells by the sea shore, surely."),
    ("de", "everyday", "Die Fähre verlässt den Hafen kurz vor Sonnenaufgang."),
    ("de", "numbers", "Am 3. Oktober 1990 um 8:45 Uhr fuhren 27 Busse ab."),
    ("de", "questions", "Warum streicht jemand einen Leuchtturm grün?"),
    ("zh", "everyday", "渡轮在日出前不久离开港口。"),
    ("zh", "numbers", "这座桥在1987年花了350万元。"),
    ("ar", "everyday", "تغادر العبارة الميناء قبل شروق الشمس بقليل."),
)
# Figure -> its middle of the first system, what each further system has more, and the spreads of voices, texts, and single cells.
_FIGURES: Mapping[str, tuple[float, float, float, float, float]] = {
    "likeness": (0.72, -0.05, 0.04, 0.02, 0.03),
    "other_likeness": (0.21, 0.01, 0.02, 0.01, 0.02),
    "dnsmos": (3.9, -0.06, 0.1, 0.08, 0.1),
    "distillmos": (4.2, -0.2, 0.12, 0.1, 0.15),
    "lufs": (-18.5, 1.2, 0.4, 0.3, 0.5),
    "peak_db": (-2.1, 0.4, 0.3, 0.3, 0.4),
    "pitch_shift": (0.1, 0.4, 0.3, 0.2, 0.4),
    "pace": (1.02, 0.06, 0.05, 0.03, 0.04),
    "length": (0.98, -0.03, 0.03, 0.03, 0.03),
    "silence": (12.0, 2.0, 1.5, 2.0, 2.0),
    "longest_pause_ms": (210.0, 30.0, 20.0, 60.0, 50.0),
}


@dataclass(frozen=True)
class Drawn:
    """What is drawn. labels: of systems, the first is the best where gap is above 0. refused_every: one in so many cells of the last system
    is refused; 0 for none. n_toys: of the last systems. drift: what is added to the gaps, of a later run."""

    labels: Sequence[str] = ("Aria", "Kokoro")
    n_voices: int = 3
    n_texts: int = 12
    languages: Sequence[str] = ("en", "de", "zh")
    seeds: Sequence[int] = (0, 1)
    gap: float = 1.0
    drift: float = 0.0
    seed: int = 7
    refused_every: int = 0
    n_toys: int = 0
    is_hostile: bool = False
    machine: Mapping[str, str] = field(
        default_factory=lambda: {"processor": "Ryzen 7 5800X", "cores": "8", "memory": "32 GB", "studio": "0.3.0", "python": "3.12.3"}
    )


def drawn_evaluation(drawn: Drawn | None = None) -> EvaluationData:
    """The same wishes give the same figures."""
    drawn = drawn or Drawn()
    plan = _plan(drawn)
    draw = random.Random(drawn.seed)
    tastes = {
        (figure, id_): draw.gauss(0, spread)
        for figure, (_, _, of_voices, of_texts, _) in _FIGURES.items()
        for of, spread in ((plan.voices, of_voices), (plan.texts, of_texts))
        for id_ in [one.id for one in of]
    }
    cells = tuple(_cell(key, plan, drawn, tastes, draw) for key in plan.cells())
    evaluation = Evaluation(
        id=f"drawn-{drawn.seed}",
        plan=plan,
        created=1_790_000_000.0 + drawn.seed,
        changed=1_790_003_600.0 + drawn.seed,
        state="done",
        n_cells=len(cells),
        n_said=len(cells),
        n_measured=len(cells),
        n_bytes=sum(cell.said.sound.n_bytes for cell in cells if cell.said.sound),
        machine=drawn.machine,
    )
    voices = tuple(
        VoiceRun(system.id, voice.id, 0.9 + 0.4 * number + abs(draw.gauss(0, 0.1)), 2.0 + 0.5 * number)
        for number, system in enumerate(plan.systems)
        for voice in plan.voices
    )
    systems = tuple(
        SystemRun(
            system.id,
            f"{system.engine} 1.{number}, weights 9f31c2",
            400_000_000 * (1 + number),
            open_seconds=1.5 + number,
            is_toy=number >= len(plan.systems) - drawn.n_toys,
            licence=("Apache-2.0", "CC-BY-NC-4.0")[number % 2],
        )
        for number, system in enumerate(plan.systems)
    )
    floors = tuple(WordFloor(language, 0.041, 0.038 if language == "en" else None, 240) for language in drawn.languages)
    return EvaluationData(evaluation, cells, voices, systems, floors, "Whisper large-v3-turbo")


def _plan(drawn: Drawn) -> EvaluationPlan:
    chosen = [one for one in TEXTS if one[0] in drawn.languages]
    texts = []
    for number in range(drawn.n_texts):
        language, kind, text = chosen[number % len(chosen)]
        again = "" if number < len(chosen) else f" {number}"
        text = HOSTILE if drawn.is_hostile and number == 0 else text + again
        texts.append(EvaluationText(id=f"{language}-{number + 1:02d}", text=text, language=language, kind=kind))
    names = ("Ada", "Bruno", "Chloé", "戴伟", "دينا")
    return EvaluationPlan(
        title=HOSTILE if drawn.is_hostile else "Which engine for audiobooks",
        systems=tuple(
            EvaluationSystem(id=f"s{number + 1}", label=label, engine=f"engine{number + 1}", options={"steps": 8} if number else {})
            for number, label in enumerate((HOSTILE, *drawn.labels[1:]) if drawn.is_hostile else drawn.labels)
        ),
        voices=tuple(
            EvaluationVoice(
                id=f"v{number + 1}",
                label=HOSTILE if drawn.is_hostile and not number else names[number] if number < len(names) else f"Voice {number + 1}",
                name=f"voice{number + 1}",
                clip=hashlib.sha256(f"clip{number}".encode()).hexdigest(),
                words="The quick brown fox.",
                language="en",
                person=f"person{number + 1}",
            )
            for number in range(drawn.n_voices)
        ),
        texts=tuple(texts),
        seeds=tuple(drawn.seeds),
    )


def _cell(key: CellKey, plan: EvaluationPlan, drawn: Drawn, tastes: Mapping[tuple[str, str], float], draw: random.Random) -> EvaluatedCell:
    number = next(at for at, system in enumerate(plan.systems) if system.id == key.system)
    text = next(one for one in plan.texts if one.id == key.text)
    gap = (drawn.gap + drawn.drift) * number
    if drawn.refused_every and number == len(plan.systems) - 1 and draw.randrange(drawn.refused_every) == 0:
        refused = {"message": "Kokoro has no voice in Arabic.", "hint": "Choose another engine.", "reason_code": "language_unknown"}
        return EvaluatedCell(SaidCell(key, refused=refused))
    seconds = 1.0 + 0.06 * len(text.text.encode()) / (1 if text.language != "zh" else 1.5) * (1 + draw.gauss(0, 0.05))
    sha256 = hashlib.sha256("/".join(map(str, key)).encode()).hexdigest()
    sound = KeptSound(sha256, int(seconds * RATE_HZ * 1.1), RATE_HZ, seconds)
    said = SaidCell(
        key,
        sound,
        ttfp_seconds=(0.12 + 0.08 * gap + 0.001 * len(text.text)) * 2 ** draw.gauss(0, 0.15),
        rtf=(0.15 + 0.2 * gap) * 2 ** draw.gauss(0, 0.08),
        warning="A word was left out." if draw.random() < 0.01 else "",
    )
    values = {
        figure: middle + more * gap + tastes[figure, key.voice] + tastes[figure, key.text] + draw.gauss(0, spread)
        for figure, (middle, more, _, _, spread) in _FIGURES.items()
    }
    values["pitch_distance"] = abs(values["pitch_shift"])
    wrong = 0.02 + 0.05 * gap
    parts, joint = (list(text.text), "") if text.language == "zh" else (text.text.split(), " ")
    heard = [word if draw.random() > wrong else draw.choice(("", "uh", word + "s")) for word in parts]
    n_wrong = sum(one != other for one, other in zip(heard, parts, strict=True))
    values |= {"wrong_words": 100 * n_wrong / len(parts), "ttfp_ms": 1000 * (said.ttfp_seconds or 0.0), "rtf": said.rtf or 0.0}
    return EvaluatedCell(said, CellMeasures(values, joint.join(word for word in heard if word), len(parts)))
