"""check_voice: the sound_check of engines that learn from pitch. It loads the analysis when it is asked, since declaring it is no work."""

from engines.clips.clip import Clip

__all__ = ["check_voice"]


def check_voice(clip: Clip) -> None:
    """Whether a speaker can be learned from it; it analyzes the clip as those engines do. Raises what `refuse_unusable` does."""
    from engines.kit.signal.clip_analysis import inspect_clip, refuse_unusable

    refuse_unusable(inspect_clip(clip))
