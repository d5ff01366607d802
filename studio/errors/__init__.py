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

from studio.errors.clips import (
    AudioTooLarge,
    AudioTypeUnsupported,
    AudioUndecodable,
    ChannelsDiffer,
    ClipTooLong,
    ClipTooShort,
    FetchesBusy,
    RecordedSpeechTooLong,
    RecordedSpeechUnusable,
    RecordingsTooLong,
    RecordingsTooMany,
    RecordingUnusable,
)
from studio.errors.consents import ConsentInUse, ConsentOfAnother, ConsentsFull, ConsentUnknown, ConsentUnsaid
from studio.errors.disk import DiskError, DiskFailed, DiskFull, DiskReadOnly, FileInUse, FileUnreadable, disk_error
from studio.errors.engines import (
    EngineBusy,
    EngineFull,
    EngineInUse,
    EngineUnknown,
    LearningUnfinished,
    LicenseNotAccepted,
    NoAudio,
    NothingToFetch,
    PinsFull,
    ReleaseFixed,
    ReleaseUnknown,
    SpeechCancelled,
)
from studio.errors.evaluation_doors import (
    EvaluationArchiveUnusable,
    EvaluationFigureUnknown,
    EvaluationFileUnknown,
    EvaluationIncomplete,
    EvaluationLanguageUnknown,
    EvaluationListTooLong,
    EvaluationMeasureUnknown,
    EvaluationNotBegun,
    EvaluationSystemUnknown,
    EvaluationSystemUnreadable,
    EvaluationTestEmpty,
)
from studio.errors.evaluation_gate import EvaluationLimitsUnusable
from studio.errors.evaluations import (
    EvaluationFailed,
    EvaluationLent,
    EvaluationLimitReached,
    EvaluationMistake,
    EvaluationNotBrought,
    EvaluationOwnerUnknown,
    EvaluationRecordingUnknown,
    EvaluationsNewer,
    EvaluationSoundDamaged,
    EvaluationSoundsUnusable,
    EvaluationSoundUnknown,
    EvaluationSpeakersUnusable,
    EvaluationSpeakerTensor,
    EvaluationsUnreadable,
    EvaluationTextsUnusable,
    EvaluationTooLarge,
    EvaluationUnknown,
)
from studio.errors.lexicon import LexiconEntryInvalid, LexiconEntryUnknown, LexiconFileInvalid, LexiconFull, LexiconOwnerUnknown
from studio.errors.listening import (
    AnswerRefused,
    ListenerKnown,
    ListenerScreenedOut,
    ListenerUnknown,
    PlanUnusable,
    RenderFailed,
    ResultsHidden,
    SoundUnusable,
    TestClosed,
    TestDamaged,
    TestFrozen,
    TestFull,
    TestLimitReached,
    TestNotOpen,
    TestNotReady,
    TestOwnerUnknown,
    TestPreviewed,
    TestQuotaFull,
    TestRendering,
    TestsNewer,
    TestsUnreadable,
    TestUnknown,
)
from studio.errors.pairs import PairOwnerUnknown, PairUnheard, PairUnknown, PairUnusable, PairVoted
from studio.errors.requests import (
    AnswerTooLong,
    EntryUnknown,
    NothingSpoken,
    OwnerOnly,
    RequestInvalid,
    SchemaInvalid,
    TextMissing,
    UndoTooLate,
    WorkspaceRequired,
)
from studio.errors.script_doors import CastFileUnusable, CastsAlike, CastTestFailed, CastTestTooLarge, OutputUnknown, ScriptNotBegun
from studio.errors.script_exports import (
    ExportEmpty,
    LinesStale,
    LinesUnsaid,
    VideoTooLarge,
    VideoTooLong,
    VideoUnreadable,
    VideoWithoutPicture,
)
from studio.errors.scripts import (
    CoverUnknown,
    CoverUnusable,
    EditRefused,
    LineUnknown,
    MendRefused,
    NothingToUndo,
    RevisionMoved,
    ScriptFailed,
    ScriptFileUnusable,
    ScriptLimitReached,
    ScriptMistake,
    ScriptOwnerUnknown,
    ScriptsNewer,
    ScriptSoundsFull,
    ScriptsUnreadable,
    ScriptTakeDamaged,
    ScriptTooLong,
    ScriptUnknown,
    TakeUnknown,
)
from studio.errors.studio_error import StudioError
from studio.errors.takes import PartFull, PartUnknown, TakeSpeakerGone, TakeUnparted, WordTimesUnknown
from studio.errors.transcriber import TranscriberBusy, TranscriberFailed, TranscriberMissing
from studio.errors.voices import (
    AliasBroken,
    AliasesFull,
    BundleUnusable,
    ClipMissing,
    ConsentMissing,
    DesignUnavailable,
    NameInvalid,
    NameReserved,
    NameTaken,
    PromptUntaken,
    SpeakerExists,
    SpeakerLimitReached,
    SpeakerNotYours,
    SpeakerRequired,
    SpeakerShadowed,
    SpeakersUnreachable,
    SpeakerUnknown,
    WordsMissing,
    WorkspaceFull,
)

__all__ = [
    "AliasBroken",
    "AliasesFull",
    "AnswerRefused",
    "AnswerTooLong",
    "AudioTooLarge",
    "AudioTypeUnsupported",
    "AudioUndecodable",
    "BundleUnusable",
    "CastFileUnusable",
    "CastTestFailed",
    "CastTestTooLarge",
    "CastsAlike",
    "ChannelsDiffer",
    "ClipMissing",
    "ClipTooLong",
    "ClipTooShort",
    "ConsentInUse",
    "ConsentMissing",
    "ConsentOfAnother",
    "ConsentUnknown",
    "ConsentUnsaid",
    "ConsentsFull",
    "CoverUnknown",
    "CoverUnusable",
    "DesignUnavailable",
    "DiskError",
    "DiskFailed",
    "DiskFull",
    "DiskReadOnly",
    "EditRefused",
    "EngineBusy",
    "EngineFull",
    "EngineInUse",
    "EngineUnknown",
    "EntryUnknown",
    "EvaluationArchiveUnusable",
    "EvaluationFailed",
    "EvaluationFigureUnknown",
    "EvaluationFileUnknown",
    "EvaluationIncomplete",
    "EvaluationLanguageUnknown",
    "EvaluationLent",
    "EvaluationLimitReached",
    "EvaluationLimitsUnusable",
    "EvaluationListTooLong",
    "EvaluationMeasureUnknown",
    "EvaluationMistake",
    "EvaluationNotBegun",
    "EvaluationNotBrought",
    "EvaluationOwnerUnknown",
    "EvaluationRecordingUnknown",
    "EvaluationSoundDamaged",
    "EvaluationSoundUnknown",
    "EvaluationSoundsUnusable",
    "EvaluationSpeakerTensor",
    "EvaluationSpeakersUnusable",
    "EvaluationSystemUnknown",
    "EvaluationSystemUnreadable",
    "EvaluationTestEmpty",
    "EvaluationTextsUnusable",
    "EvaluationTooLarge",
    "EvaluationUnknown",
    "EvaluationsNewer",
    "EvaluationsUnreadable",
    "ExportEmpty",
    "FetchesBusy",
    "FileInUse",
    "FileUnreadable",
    "LearningUnfinished",
    "LexiconEntryInvalid",
    "LexiconEntryUnknown",
    "LexiconFileInvalid",
    "LexiconFull",
    "LexiconOwnerUnknown",
    "LicenseNotAccepted",
    "LineUnknown",
    "LinesStale",
    "LinesUnsaid",
    "ListenerKnown",
    "ListenerScreenedOut",
    "ListenerUnknown",
    "MendRefused",
    "NameInvalid",
    "NameReserved",
    "NameTaken",
    "NoAudio",
    "NothingSpoken",
    "NothingToFetch",
    "NothingToUndo",
    "OutputUnknown",
    "OwnerOnly",
    "PairOwnerUnknown",
    "PairUnheard",
    "PairUnknown",
    "PairUnusable",
    "PairVoted",
    "PartFull",
    "PartUnknown",
    "PinsFull",
    "PlanUnusable",
    "PromptUntaken",
    "RecordedSpeechTooLong",
    "RecordedSpeechUnusable",
    "RecordingUnusable",
    "RecordingsTooLong",
    "RecordingsTooMany",
    "ReleaseFixed",
    "ReleaseUnknown",
    "RenderFailed",
    "RequestInvalid",
    "ResultsHidden",
    "RevisionMoved",
    "SchemaInvalid",
    "ScriptFailed",
    "ScriptFileUnusable",
    "ScriptLimitReached",
    "ScriptMistake",
    "ScriptNotBegun",
    "ScriptOwnerUnknown",
    "ScriptSoundsFull",
    "ScriptTakeDamaged",
    "ScriptTooLong",
    "ScriptUnknown",
    "ScriptsNewer",
    "ScriptsUnreadable",
    "SoundUnusable",
    "SpeakerExists",
    "SpeakerLimitReached",
    "SpeakerNotYours",
    "SpeakerRequired",
    "SpeakerShadowed",
    "SpeakerUnknown",
    "SpeakersUnreachable",
    "SpeechCancelled",
    "StudioError",
    "TakeSpeakerGone",
    "TakeUnknown",
    "TakeUnparted",
    "TestClosed",
    "TestDamaged",
    "TestFrozen",
    "TestFull",
    "TestLimitReached",
    "TestNotOpen",
    "TestNotReady",
    "TestOwnerUnknown",
    "TestPreviewed",
    "TestQuotaFull",
    "TestRendering",
    "TestUnknown",
    "TestsNewer",
    "TestsUnreadable",
    "TextMissing",
    "TranscriberBusy",
    "TranscriberFailed",
    "TranscriberMissing",
    "UndoTooLate",
    "VideoTooLarge",
    "VideoTooLong",
    "VideoUnreadable",
    "VideoWithoutPicture",
    "WordTimesUnknown",
    "WordsMissing",
    "WorkspaceFull",
    "WorkspaceRequired",
    "disk_error",
]
