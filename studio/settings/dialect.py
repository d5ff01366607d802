"""Dialect: every point in which the studio's own answers and vLLM-Omni's differ, as data. STUDIO_STRICT_COMPAT chooses between the two.

Whoever comes to such a point asks the dialect for it by name, and not which of the two it is. `Settings.dialect` is where it is chosen.
"""

from dataclasses import dataclass

__all__ = ["OWN_DIALECT", "VLLM_OMNI_DIALECT", "Dialect"]


@dataclass(frozen=True)
class Dialect:
    """The defaults are what the studio does."""

    # Requests to speak.
    unknown_formats: tuple[str, ...] = ()  # of files: refused as no word of the schema
    streams_encoded: bool = True  # whether streams may be in formats that need an encoder
    streams_speed: bool = True  # whether streams of engines without a `speed` are stretched
    resamples: bool = True  # whether a sample rate other than the engine's is made
    items_choose_speaker: bool = True  # whether an item of a batch that says who speaks inherits no other voice
    # Sentences by which word times are refused, since clients may look for them. "" where they are told; of the last two: in our words.
    no_streamed_words: str = ""  # in streams over HTTP
    no_aligner: str = ""  # in files, where nobody finds them
    no_aligner_socket: str = ""  # over the WebSocket, where nobody finds them

    # Texts.
    reads_texts: bool = True  # whether numbers, markup and the lexicon are read; else the engine is given what was written
    blank_ends_sentence: bool = False  # whether white space ends a sentence of a WebSocket at once, and no silence has to

    # The WebSocket. What is unknown is ignored in a config, and refused as a message.
    unknown_config_fields: tuple[str, ...] = ()
    unknown_messages: tuple[str, ...] = ()

    # Recordings that become a voice, or the voice of one request.
    file_types: tuple[str, ...] = ()  # that a label may name, and nothing else; () where the bytes decide
    refuses_silence: bool = True
    cleans_uploads: bool = True  # whether there is the field `clean`
    measures_uploads: bool = True  # whether an upload is measured, and its quality told
    writes_words: bool = True  # whether a transcriber writes down words that are missing
    designs_speakers: bool = True  # whether a voice may be made from a description, or a blend

    # Answers about voices.
    selects_speakers: bool = True  # whether the list has parameters, and built-in voices as objects
    tells_more_of_speakers: bool = True  # engines that can learn it, consent, origin of its words, prompt, OpenAI's voice object
    masks_consent: bool = True  # whether lists show the first letter of a consent alone

    # HTTP.
    waits_for_audio: bool = True  # whether the status line of a stream waits for its first audio, so that it tells a failure before that
    tells_outcomes: bool = True  # whether there is GET /v1/audio/speech/{request_id}
    answers_head: bool = True  # whether HEAD is answered wherever GET is
    joins_detail: bool = True  # whether errors of routing have `detail` and the envelope; else either: `detail` of what the router refuses
    names_undecodable: bool = True  # whether a body that is no Unicode is called so
    refuses_packed: bool = True  # whether a body with a Content-Encoding is refused
    default_origins: tuple[str, ...] = ()  # of other sites whose pages may ask, where the settings name none; "*" for all


OWN_DIALECT = Dialect()
# As vLLM-Omni 0.30.0 answers; its refusals are recorded from its own code (tests/api/contract/vllm_omni_refusals.py).
VLLM_OMNI_DIALECT = Dialect(
    unknown_formats=("aac",),
    streams_encoded=False,
    streams_speed=False,
    resamples=False,  # it does for two models only
    items_choose_speaker=False,  # inherited reference audio beats the item's own voice
    no_streamed_words="word_timestamps=true is currently supported by the WebSocket /v1/audio/speech/stream path. "
    "Use session.config with stream_audio=true and response_format='pcm'.",
    no_aligner="word_timestamps=true requires the server to be launched with --forced-aligner.",
    no_aligner_socket="word_timestamps=true but the server was launched without --forced-aligner; "
    "either restart the server with that flag or set word_timestamps=false in session.config.",
    reads_texts=False,
    blank_ends_sentence=True,
    unknown_config_fields=("streaming_mode",),
    unknown_messages=("input.commit",),
    file_types=("audio/aac", "audio/flac", "audio/mp4", "audio/mpeg", "audio/ogg", "audio/wav", "audio/webm", "audio/x-wav"),
    refuses_silence=False,
    cleans_uploads=False,
    measures_uploads=False,
    writes_words=False,
    designs_speakers=False,
    selects_speakers=False,
    tells_more_of_speakers=False,
    masks_consent=False,
    waits_for_audio=False,
    tells_outcomes=False,
    answers_head=False,
    joins_detail=False,
    names_undecodable=False,
    refuses_packed=False,
    default_origins=("*",),
)
