"""Errors of the studio, beside the engines' errors (engines/errors.py): one table, of which each class is a row.

A row says code, HTTP status, the parameter it is about, and the key of its sentence, which is in assets/words/ for every language.

EngineError
├── CallerMistake
│   ├── RequestInvalid       a field of a request, in the contract's own sentence
│   │   └── SchemaInvalid    the request is not of the form that the contract says
│   ├── AnswerTooLong        more audio than one request may have in whole files
│   ├── TextMissing, NothingSpoken  a TextUnspeakable: there is none; none beside what the engine leaves out
│   ├── SpeakerUnknown, SpeakerRequired, SpeakerShadowed
│   ├── WordsMissing         a TranscriptRequired: known before the engine is asked
│   ├── NameInvalid, NameReserved, NameTaken, SpeakerExists, SpeakerLimitReached, ConsentMissing
│   ├── AliasBroken, AliasesFull  of other names of voices
│   ├── ConsentUnknown, ConsentUnsaid, ConsentOfAnother, ConsentInUse, ConsentsFull  of a recorded consent
│   ├── DesignUnavailable    no engine here makes a voice after a description
│   ├── PromptUntaken        an EmbeddingUnusable: what other tools made for another engine
│   ├── UndoTooLate, EntryUnknown, BundleUnusable
│   ├── PartUnknown, PartFull, TakeUnparted, TakeSpeakerGone  of a take in parts
│   ├── WordTimesUnknown     nobody can tell when the words of a speech are heard
│   ├── OwnerOnly            a visitor would change what all share
│   ├── LexiconEntryInvalid, LexiconEntryUnknown, LexiconFileInvalid, LexiconFull, LexiconOwnerUnknown  of a dictionary
│   ├── PairUnknown, PairUnusable, PairUnheard, PairVoted, PairOwnerUnknown  of two sounds that are heard without their names
│   ├── TestMistake          of a listening test
│   │   ├── TestUnknown, TestOwnerUnknown, TestLimitReached, PlanUnusable, SoundUnusable
│   │   ├── TestFrozen, TestRendering, TestNotReady, TestNotOpen, TestClosed, TestFull, ResultsHidden
│   │   └── ListenerUnknown, AnswerRefused
│   ├── CastFileUnusable, CastsAlike, CastTestTooLarge, OutputUnknown, ScriptNotBegun  of the doors of scripts
│   ├── LinesUnsaid, LinesStale, ExportEmpty  of a script that is to become a file
│   ├── VideoUnreadable, VideoWithoutPicture, VideoTooLarge, VideoTooLong  of a video that is to be dubbed
│   ├── ScriptMistake        of a script
│   │   ├── ScriptUnknown, ScriptOwnerUnknown, LineUnknown, TakeUnknown, CoverUnknown
│   │   ├── ScriptLimitReached, ScriptTooLong, ScriptSoundsFull
│   │   └── RevisionMoved, EditRefused, MendRefused, NothingToUndo, CoverUnusable, ScriptFileUnusable
│   ├── EvaluationMistake    of an evaluation
│   │   ├── EvaluationUnknown, EvaluationOwnerUnknown, EvaluationLimitReached, EvaluationTooLarge
│   │   ├── EvaluationSoundUnknown, EvaluationRecordingUnknown
│   │   ├── EvaluationSpeakerTensor, EvaluationLent, EvaluationNotBrought  of what cannot be compared
│   │   └── EvaluationTextsUnusable, EvaluationSpeakersUnusable, EvaluationSoundsUnusable, EvaluationLimitsUnusable  of files
│   │   └── EvaluationTextsUnusable, EvaluationSpeakersUnusable, EvaluationSoundsUnusable  of what was brought
│   ├── EvaluationIncomplete, EvaluationListTooLong, EvaluationLanguageUnknown, EvaluationMeasureUnknown, EvaluationFigureUnknown,
│   │   EvaluationSystemUnreadable, EvaluationSystemUnknown, EvaluationFileUnknown, EvaluationArchiveUnusable, EvaluationNotBegun,
│   │   EvaluationTestEmpty  of their doors
│   ├── EngineUnknown
│   ├── ClipTooShort, ClipTooLong, RecordingsTooLong  a ClipUnusable that knows its length
│   ├── ChannelsDiffer       a ClipUnusable: different people speak in its channels
│   ├── RecordingUnusable    a ClipUnusable that is known before an engine has it
│   ├── RecordedSpeechUnusable, and RecordedSpeechTooLong below it: a ClipUnusable: the recorded speech that was to be said in another voice
│   ├── AudioUndecodable, AudioTooLarge, AudioTypeUnsupported, RecordingsTooMany
│   ├── EngineInUse          it speaks or loads, so it is not unloaded
│   ├── PinsFull             pinned prompts have all of the cache that they may have
│   ├── NothingToFetch       the engine's weights need no fetching
│   └── ReleaseUnknown, ReleaseFixed  the engine cannot be switched to other weights
├── LicenseNotAccepted      an EngineUnavailable: its license forbids uses, and nobody has accepted that here
├── FetchesBusy             too many recordings are being fetched from the internet
├── EngineBusy              the queue is full: come back in `retry_after_seconds`
│   └── EngineFull          the engine cannot feed one listener more, and this one has waited long enough
├── LearningUnfinished      a voice is not learned as well as it gets, and somebody wanted to wait for that
├── TranscriberMissing, TranscriberBusy, TranscriberFailed
├── NoAudio                 the engine ended without a sample, or with samples that are not numbers
├── DiskError               what was to be written was not
│   └── DiskFull, DiskReadOnly, DiskFailed, FileInUse
├── FileUnreadable
├── SpeakersUnreachable     the folder of the speakers cannot be read
├── RenderFailed, CastTestFailed, TestDamaged, TestsUnreadable, TestsNewer  what is kept of listening tests
├── ScriptFailed, ScriptTakeDamaged, ScriptsUnreadable, ScriptsNewer  what is kept of scripts
├── EvaluationFailed, EvaluationSoundDamaged, EvaluationsUnreadable, EvaluationsNewer  what is kept of evaluations
├── ClipMissing             the speaker's recording is gone from disk or damaged
└── SpeechCancelled         the listener hung up, or the studio is closing
"""

# ruff: noqa: F403  (each file says in its `__all__` which errors it has; this is all of them)

from studio.errors import (
    clips,
    consents,
    disk,
    engines,
    evaluation_doors,
    evaluation_gate,
    evaluations,
    lexicon,
    listening,
    pairs,
    requests,
    script_doors,
    script_exports,
    scripts,
    speakers,
    studio_error,
    takes,
    transcriber,
)
from studio.errors.clips import *
from studio.errors.consents import *
from studio.errors.disk import *
from studio.errors.engines import *
from studio.errors.evaluation_doors import *
from studio.errors.evaluation_gate import *
from studio.errors.evaluations import *
from studio.errors.lexicon import *
from studio.errors.listening import *
from studio.errors.pairs import *
from studio.errors.requests import *
from studio.errors.script_doors import *
from studio.errors.script_exports import *
from studio.errors.scripts import *
from studio.errors.speakers import *
from studio.errors.studio_error import *
from studio.errors.takes import *
from studio.errors.transcriber import *

__all__: list[str] = []
__all__ += clips.__all__
__all__ += consents.__all__
__all__ += disk.__all__
__all__ += engines.__all__
__all__ += evaluation_doors.__all__
__all__ += evaluation_gate.__all__
__all__ += evaluations.__all__
__all__ += lexicon.__all__
__all__ += listening.__all__
__all__ += pairs.__all__
__all__ += requests.__all__
__all__ += script_doors.__all__
__all__ += script_exports.__all__
__all__ += scripts.__all__
__all__ += speakers.__all__
__all__ += studio_error.__all__
__all__ += takes.__all__
__all__ += transcriber.__all__
