"""Forgetter: takes away what a speaker leaves when it goes: in memory, in the history, in engines, and on other machines."""

from dataclasses import dataclass

from engines.contract.prompt import SpeakerPrompt
from studio.prompt_key import PromptKey
from studio.prompts.cache import SpeakerCache
from studio.prompts.remote_cleanup import RemoteCleanup
from studio.running.pool import EnginePool
from studio.speakers.speaker import Generation
from studio.speech.kept.history_folder import HistoryFolder

__all__ = ["Forgetter"]


@dataclass(frozen=True)
class Forgetter:
    """Of all workspaces. Thread-safe; waits for no engine."""

    cache: SpeakerCache
    pool: EnginePool
    history: HistoryFolder
    remote_cleanup: RemoteCleanup

    def forget(self, generation: Generation) -> None:
        """What it leaves in memory and elsewhere, and what was kept of its speech."""
        self.cache.forget(generation)
        self.forget_kept(generation.id)

    def forget_kept(self, generation_id: str) -> None:
        """The same of one that is in memory no more."""
        self.history.forget(generation_id)
        self.remote_cleanup.clean_up()

    def forget_prepared(self, key: PromptKey, prompt: SpeakerPrompt) -> None:
        """What an engine made of a prompt that has left the cache."""
        self.pool.forget_prepared(key, prompt)
        self.remote_cleanup.clean_up(key.engine)
