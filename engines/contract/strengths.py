"""Strength: what an engine is better at than others, as a key. Whoever compares engines says it in the reader's language."""

from typing import Literal

__all__ = ["Strength"]

# small_machines: at once on any computer, without a download. cpu_speech: natural speech without a GPU. built_in_voices: many of them.
# cloning: the voice of a short recording, also without its words. described_voices: a voice from a description. directed_speech: words in
# the text direct the delivery. languages: more than others. full_sound: up to 24 kHz of it. quick_sound: its first sound comes soon.
# text_along: speaks a text that is still being written. conversion: says a recording again in another voice.
Strength = Literal[
    "small_machines", "cpu_speech", "built_in_voices", "cloning", "described_voices", "directed_speech", "languages", "full_sound",
    "quick_sound", "text_along", "conversion",
]  # fmt: skip
