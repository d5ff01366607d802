"""A plan rendered by the fake engine, in files."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from engines.clips.clip import Clip
from studio.listening.plan.design import Item
from studio.listening.plan.plan import Plan
from studio.listening.render.rendering import Renderer
from studio.service import Studio
from studio.speakers.speaker import Enrollment

TEXTS = ("The 1st text, is it not?", "Another text of some length.")
SAID = ("The first text, is it not?", TEXTS[1])  # as an engine is given them
SYSTEMS = ({"id": "a", "voice": "Ana", "label": "First"}, {"id": "b", "voice": "Bob", "label": "Second"})


def enrol(studio: Studio, *names: str) -> None:
    for seed, name in enumerate(names, start=1):
        samples = np.random.default_rng(seed).standard_normal(48_000).astype(np.float32) * 0.1
        studio.enroll(Enrollment(name, "own", clip=Clip(samples, 24_000)))


def spoken_plan(method: str = "ab", **more: object) -> Plan:
    return Plan(**{"name": "Test", "method": method, "systems": SYSTEMS, "texts": TEXTS} | more)


def rendered(plan: Plan, studio: Studio, folder: Path, uploads: Mapping[tuple[str, int], Path] = {}, **how: object) -> tuple[Item, ...]:
    folder.mkdir(exist_ok=True)
    return Renderer().render(plan, studio, uploads, folder, **how)
