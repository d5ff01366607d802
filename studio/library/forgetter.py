"""Forgetter: takes away what a speaker leaves when it goes: in memory, in what is kept, in engines, and on other machines."""

from collections.abc import Callable
from dataclasses import dataclass

from engines.contract.prompt import SpeakerPrompt
from studio.prompt_key import PromptKey
from studio.prompts.cache import SpeakerCache
from studio.prompts.remote_cleanup import RemoteCleanup
from studio.running.pool import EnginePool
from studio.speakers.speaker import Generation

__all__ = ["Forgetter"]


@dataclass(frozen=True)
class Forgetter:
    """Of all workspaces. Thread-safe; waits for no engine. forget_elsewhere: told the id of each generation that is gone for good."""

    cache: SpeakerCache
    pool: EnginePool
    forget_elsewhere: tuple[Callable[[str], None], ...]
    remote_cleanup: RemoteCleanup

    def forget(self, generation: Generation) -> None:
        """What it leaves in memory and elsewhere, and what was kept of its speech and recording."""
        self.cache.forget(generation)
        self.forget_kept(generation.id)

    def forget_kept(self, generation_id: str) -> None:
        """The same of one that is in memory no more."""
        for forget in self.forget_elsewhere:
            forget(generation_id)
        self.remote_cleanup.clean_up()

    def forget_prepared(self, key: PromptKey, prompt: SpeakerPrompt) -> None:
        """What an engine made of a prompt that has left the cache."""
        self.pool.forget_prepared(key, prompt)
        self.remote_cleanup.clean_up(key.engine)
