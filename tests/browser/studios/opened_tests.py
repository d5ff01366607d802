"""Listening tests without a rendering: their sounds are tones, written to where the studio keeps them, and frozen as any other's are."""

import hashlib
import secrets

import numpy as np

from studio.listening.keep.test import frozen_hash_of
from studio.listening.listening import Listening
from studio.listening.plan.design import Item
from studio.listening.plan.materials import wav_bytes
from studio.listening.plan.plan import Plan
from studio.listening.plan.questions import SoundKey
from studio.listening.plan.render_steps import sounds_of

__all__ = ["SECRET_WORDS", "link_of", "opened_test", "plan_for"]

SAMPLE_RATE = 48_000
SECRET_WORDS = ("Quiet Quokka", "Zanzibar", "zanzibar-1", "Wombat", "wombat-2", "Umbrella 7", "sealed text")  # that no listener may meet


def plan_for(method: str, n_texts: int = 2, **more: object) -> Plan:
    """Of a method, with two systems whose names are all in SECRET_WORDS."""
    systems = [
        {"id": "zanzibar-1", "label": "Zanzibar", "voice": "Umbrella 7", "engine": "fake"},
        {"id": "wombat-2", "label": "Wombat", "voice": "Umbrella 7", "engine": "fake"},
    ]
    reference = {"source": "recording", "voice": "Umbrella 7"} if method in ("smos", "mushra") else None
    texts = [f"A sealed text, number {n}." for n in range(n_texts)]
    return Plan.model_validate(
        {"name": "Quiet Quokka", "method": method, "systems": systems, "texts": texts, "reference": reference} | more
    )


def opened_test(listening: Listening, plan: Plan, seconds: float = 0.6) -> str:
    """The id of a test that is open; `link_of` gives its listeners' link. seconds: length of every sound, which is a tone of its own."""
    draft = listening.create(plan)
    folder = listening.folder(draft.id)
    folder.mkdir(parents=True, exist_ok=True)
    items = tuple(_item(key, folder, 200 + 40 * number, seconds) for number, key in enumerate(sounds_of(plan)))
    listening._store.write_items(draft.id, plan, items)
    listening._store.freeze(listening.test(draft.id), frozen_hash_of(plan, items))
    return draft.id


def link_of(listening: Listening, test_id: str) -> str:
    """The token in the listeners' link."""
    return listening.test(test_id).link


def _item(key: SoundKey, folder, hz: float, seconds: float) -> Item:
    times = np.arange(round(seconds * SAMPLE_RATE)) / SAMPLE_RATE
    data = wav_bytes((0.1 * np.sin(2 * np.pi * hz * times)).astype(np.float32))
    name = secrets.token_hex(8)
    (folder / f"{name}.wav").write_bytes(data)
    digest = hashlib.sha256(data).hexdigest()
    return Item(name, key.system, key.role, key.text, digest, seconds, seconds, 0.0, -23.0, 24_000.0)
