"""Making: renders the sounds of a test, listens to what was rendered, and checks both."""

from collections.abc import Callable
from dataclasses import replace

from engines.errors import EngineError
from studio.listening.keep.test import ListeningTest, frozen_hash_of
from studio.listening.listening_folder import ListeningFolder, kept
from studio.listening.plan.design import Check
from studio.listening.render.speaking_studio import SpeakingStudio

__all__ = ["Making"]


class Making:
    """For tests of the studio's workspace."""

    def __init__(self, folder: ListeningFolder, studio: SpeakingStudio):
        self._folder, self._studio, self._sounds, self._store = folder, studio, folder.sounds, folder.store

    def render(self, test: ListeningTest, on_progress: Callable[[int, int, str], None], is_stopped: Callable[[], bool]) -> None:
        """What is missing of its sounds."""
        from studio.listening.render.rendering import Renderer

        folder = self._sounds.folder(test.id)
        folder.mkdir(parents=True, exist_ok=True)
        uploads = self._sounds.uploads(test.id).files()
        try:
            items = Renderer().render(test.plan, self._studio, uploads, folder, on_progress=on_progress, is_stopped=is_stopped)
            if items:  # none where it was stopped
                self._sounds.remove_sounds(test.id, self._store.write_items(test.id, test.plan, items))
                self._listen(replace(test, items=items))
        finally:
            if test.id not in self._store.ids():
                self._store.delete(test.id)  # so that it is noted once more that its files go
                self._folder.remove_files(test.id)

    def checks(self, test: ListeningTest) -> tuple[Check, ...]:
        """As they were when first asked of this plan and these sounds; what was heard of the words stands first, as far as it is known."""
        known = kept(self._folder.known_checks, frozen_hash_of(test.plan, test.items), lambda: self.checks_of_now(test))
        return (*self._word_checks(test), *known)

    def checks_of_now(self, test: ListeningTest) -> tuple[Check, ...]:
        """Each sound is read."""
        from studio.listening.render.checks import checks_of

        return checks_of(test.plan, test.items, self._sounds.folder(test.id))

    def _word_checks(self, test: ListeningTest) -> tuple[Check, ...]:
        """What waits to be heard is heard from now on."""
        from studio.listening.render.hearing import word_checks

        if test.state != "draft":
            return ()
        checks = word_checks(test.plan, test.items, self._sounds.folder(test.id), self._studio.transcriber, self._has_seed)
        if any(check.key == "words_waiting" for check in checks):
            self._listen(test)
        return checks

    def _listen(self, test: ListeningTest) -> None:
        from studio.listening.render.hearing import hear_all

        folder, transcriber = self._sounds.folder(test.id), self._studio.transcriber
        if transcriber.is_here:
            self._folder.hearings.begin(
                test.id,
                lambda on_progress, is_stopped: hear_all(
                    test.plan, test.items, folder, transcriber, on_progress=on_progress, is_stopped=is_stopped
                ),
            )

    def _has_seed(self, engine: str | None) -> bool:
        try:
            return any(option.name == "seed" for option in self._studio.engine_info(engine).options)
        except EngineError:
            return False
