"""A studio with the embedded engine whose listening tests were made, rendered, opened and heard by a panel that knows what it prefers."""

import contextlib
import random
from collections.abc import Iterator, Mapping
from pathlib import Path

import soundfile
import soxr

from engines.clips.clip import Clip
from studio.listening.keep.test import ListeningTest
from studio.listening.plan.design import Answer, Trial
from studio.listening.plan.plan import Plan
from studio.service import Studio
from studio.settings import Settings
from studio.speakers.demo import demo_recording
from studio.speakers.speaker import Enrollment
from tests.api.door import eventually

__all__ = ["heard_test", "listened_studio"]

RAISED = {"Rosa": 1.0, "Ben": 0.8, "Mira": 1.12}  # the demo recording as other voices, by how much it is raised
TEXTS = (
    "The train to the coast leaves at half past nine.",
    "Nobody had an umbrella, so we laughed and ran.",
    "Please read the last line once more.",
    "Who left the window open all night?",
)
EMBEDDED = "espeak"
# By system, out of a hundred; anchors and the hidden reference by their role.
LIKED = {"even": 78.0, "quick": 70.0, "slow": 41.0, "reference": 97.0, "lowpass-7": 55.0, "lowpass-3.5": 18.0, "embedded": 30.0}


def _spoken(name: str, label: str, speaker: str = "Rosa", **options: object) -> dict[str, object]:
    return {"id": name, "label": label, "voice": speaker, "engine": EMBEDDED, "options": options, "seed": 7}


SYSTEMS = (_spoken("even", "Even"), _spoken("quick", "Quick", speed=1.25), _spoken("slow", "Slow", speed=0.75))
PLANS = (
    {"name": "Rosa, two paces", "method": "ab", "systems": SYSTEMS[::2], "listeners": 12},
    {"name": "Rosa, three paces", "method": "mushra", "systems": SYSTEMS, "reference": {"source": "system", "system": "even"}}
    | {"anchors": ["lowpass-3.5", "lowpass-7"], "listeners": 8},
)


@contextlib.contextmanager
def listened_studio(folder: Path) -> Iterator[Studio]:
    """With a draft that is rendered, one test that is open to be heard for each method that a listener's screen is drawn for, and two that
    are closed."""
    studio = Studio(Settings(speakers_dir=folder, engines=(EMBEDDED,)))
    try:
        recording = demo_recording()
        samples, rate = soundfile.read(Path(__file__).parents[3] / "assets/voices/demo.flac", dtype="float32")
        for name, raised in RAISED.items():
            studio.enroll(Enrollment(name, recording.consent, clip=Clip(soxr.resample(samples, rate * raised, rate), rate)))
        for plan in PLANS:
            heard_test(studio, Plan.model_validate(plan | {"texts": TEXTS, "training": False}), plan["listeners"])
        for method, more in (("abx", {}), ("mushra", PLANS[1]), ("smos", {"reference": {"source": "recording", "voice": "Rosa"}})):
            plan = {"name": f"Open, {method}", "systems": SYSTEMS[::2], "headphones": False, "training": False} | dict(more)
            opened = _rendered(studio, Plan.model_validate(plan | {"method": method, "texts": TEXTS, "name": f"Open, {method}"}))
            studio.listening.freeze(opened.id)
        _rendered(studio, Plan.model_validate({"name": "A draft", "method": "ab", "systems": SYSTEMS[:2], "texts": TEXTS}))
        yield studio
    finally:
        studio.close()


def heard_test(studio: Studio, plan: Plan, n_listeners: int) -> ListeningTest:
    """Rendered, frozen, heard by so many listeners who like systems as LIKED says, each in their own way, and closed."""
    test = _rendered(studio, plan)
    studio.listening.freeze(test.id)
    for listener in range(n_listeners):
        _listen(studio, test.id, random.Random(listener))
    return studio.listening.close_test(test.id)


def _rendered(studio: Studio, plan: Plan) -> ListeningTest:
    test = studio.listening.create(plan)
    studio.listening.begin_rendering(test.id)
    assert eventually(lambda: not studio.listening.progress(test.id).is_running, seconds=120)
    assert studio.listening.progress(test.id).failure is None
    return studio.listening.test(test.id)


def _listen(studio: Studio, test_id: str, chance: random.Random) -> None:
    listening = studio.listening
    session, items = listening.begin(test_id), {item.id: item for item in listening.test(test_id).items}
    for trial in session.trials:
        for slot in trial.slots:
            listening.sound(test_id, slot.sound)
        liked = {slot.label: _liking(items[slot.item].system, chance) for slot in trial.slots if slot.label != "R"}
        heard = {slot.label: items[slot.item].padded_seconds for slot in trial.slots}
        listening.answer(test_id, session.token, Answer(trial.number, _said(trial, liked), dict.fromkeys(heard, 1), heard, 9.0))


def _liking(system: str, chance: random.Random) -> float:
    if system == "reference":
        return LIKED[system]
    return min(100.0, max(0.0, chance.gauss(LIKED[system], 8.0)))


def _said(trial: Trial, liked: Mapping[str, float]) -> str | dict[str, float]:
    return max(liked, key=liked.__getitem__) if trial.method == "ab" else {label: round(score) for label, score in liked.items()}
