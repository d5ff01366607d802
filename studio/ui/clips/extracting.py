"""Step five of creating a voice: one engine at a time learns it. The progress of each is shown while it goes on."""

from studio.service import Studio
from studio.speakers.speaker import speaker_key
from studio.ui.engines.engine_state import learning_words, prompt_standings, voice_incompatibility_of
from studio.ui.gradio.messages import answered

__all__ = ["clip_incompatibility", "extract_voice", "extraction_states"]


@answered
def extract_voice(studio: Studio, asked: dict) -> dict[str, object]:
    """asked: {voice, engine}. Waits for the engine; {bytes, milliseconds} of what is stored then; 0 bytes where the disk took nothing."""
    warmth = studio.warm(str(asked["voice"]), str(asked["engine"]))
    files = studio.store.prompt_files(warmth.speaker.generation)
    n_bytes = sum(file.n_bytes for file in files if file.engine == warmth.engine)
    return {"bytes": n_bytes, "milliseconds": round(warmth.seconds * 1000), "existing": warmth.status == "existing"}


@answered
def extraction_states(studio: Studio, asked: dict) -> dict[str, object]:
    """asked: {voice}. {states: {engine: waiting, loading or extracting}}, of what is under way; and of what is learned
    {learning: {engine: {said, goes_on}}}, how alike it is by now."""
    name = speaker_key(str(asked["voice"]))
    rows = studio.matrix.rows(find=str(asked["voice"])).rows
    statuses = next((row.statuses for row in rows if speaker_key(row.speaker.name) == name), ())
    loading = {status.info.id for status in studio.engines() if status.state == "loading"}
    states = {status.engine: "extracting" if status.state == "extracting" else "waiting" for status in statuses}
    learning = {
        status.engine: {"said": learning_words(status), "goes_on": status.learning.is_under_way} for status in statuses if status.learning
    }
    return {"states": {engine: "loading" if engine in loading else state for engine, state in states.items()}, "learning": learning}


@answered
def clip_incompatibility(studio: Studio, asked: dict) -> dict[str, object]:
    """asked: {voice}. {obstacle: None, or {reason, parameter}}: why no engine can speak with it, as Voices says it."""
    ((_, engines),) = prompt_standings(studio, [studio.speaker(str(asked["voice"]))])
    obstacle = voice_incompatibility_of(engines)
    return {"obstacle": obstacle and {"reason": obstacle.words, "parameter": obstacle.parameter}}
