"""Dubbing a video with a script: its lines in their slots, as long as the video."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from studio.scripts.dubbing.mux import DUB_RATE_HZ, DubbedSpeech, ShownText, mux_speech
from studio.scripts.dubbing.order import DubOrder
from studio.scripts.dubbing.video import read_video
from studio.scripts.export.check import slot_fits
from studio.scripts.export.export import ExportSource, Progress, leveled, settled_gain_db, temporary_folder
from studio.scripts.export.file_names import file_name
from studio.scripts.export.levels import TakeLevelsCache, levels_of
from studio.scripts.export.order import ExportedFile, ExportOrder, ExportReport
from studio.scripts.export.plan import ExportPlan, plan_of, selected_lines
from studio.scripts.export.script_cues import named, script_cues
from studio.scripts.export.sound_file import ffmpeg_refusals
from studio.scripts.export.tags import track_language
from studio.scripts.export.targets import LoudnessReport, ceiling_db

__all__ = ["dub_video"]


def dub_video(
    source: ExportSource, video: Path, order: DubOrder, levels: TakeLevelsCache, progress: Progress | None = None
) -> ExportedFile:
    """Raises VideoUnreadable, VideoWithoutPicture, VideoTooLarge, VideoTooLong, LinesUnsaid, LinesStale, ExportEmpty, DiskError."""
    facts = read_video(video)
    asked = ExportOrder(format="wav", loudness=order.loudness, stale=order.stale, missing=order.missing)
    selected = selected_lines(source.lines(), asked, source.stale(), with_words=order.subtitles)
    plan = replace(plan_of(source.script, selected, asked, DUB_RATE_HZ), chapters=())
    before = levels_of(plan, lambda sha256: levels.of(sha256, source.read))
    ceiling = ceiling_db(order.loudness, is_lossy=True)
    by_db = settled_gain_db(plan, before, order.loudness, ceiling, source.read)
    sound = leveled(plan, before, by_db, ceiling, source.read)
    cues = named(script_cues(plan, names=order.names)) if order.subtitles else ()
    shown = tuple(ShownText(cue.start_seconds, cue.end_seconds, "\n".join(cue.lines)) for cue in cues)
    speech = DubbedSpeech(
        sound.blocks() if progress is None else _watched(sound.blocks(), plan, progress),
        plan.n_samples,
        tuple((line.start / plan.sample_rate, line.end / plan.sample_rate) for line in plan.lines),
        shown,
        track_language(source.script.head.language),
        source.script.head.title,
    )
    with temporary_folder() as folder, ffmpeg_refusals():
        path = folder / f"dubbed.{facts.container.ending}"
        left_out = mux_speech(video, path, speech, order.original, order.original_db)
        noise = before.levels.louder(by_db).noise_db
        loudness = LoudnessReport(
            "", order.loudness, by_db, before.levels, sound.meter.levels(noise), *sound.limited, noisiest=before.noisiest
        )
        report = ExportReport(
            n_lines=selected.n_said,
            seconds=plan.seconds,
            sample_rate=plan.sample_rate,
            skipped=selected.unsaid,
            n_stale=len(selected.stale),
            loudness=(loudness,),
            overlaps=tuple(plan.overlaps()),
            over=tuple((line_id, found.over_seconds) for line_id, found in slot_fits(selected) if found.kind == "over"),
            past_end_seconds=max(0.0, plan.seconds - facts.seconds),
            left_out=left_out,
        )
        return ExportedFile(path, facts.container.media_type, file_name(source.script.head.title, facts.container.ending), report)


def _watched(blocks, plan: ExportPlan, progress: Progress) -> Iterator:
    n_done = 0
    for block in blocks:
        yield block
        n_done += len(block)
        progress(n_done / plan.n_samples)
