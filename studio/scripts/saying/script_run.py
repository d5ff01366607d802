"""ScriptRun: says what waits of one script, line by line, until nothing waits or it is stopped.

What it has said is kept with the same transaction that takes it from the queue: whenever the process dies, nothing is lost, and nothing is
said twice.
"""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace

from engines.errors import EngineError
from studio.errors import LineUnknown, ScriptSoundsFull, ScriptUnknown, SpeechCancelled, StudioError, TakeUnknown, disk_error
from studio.running.zero_gpu.zero_gpu_errors import GpuOnPageOnly, GpuQuotaExceeded
from studio.scripts.keep.kept_takes import KeptTakes
from studio.scripts.keep.queue import QueuedLine
from studio.scripts.keep.store import ScriptStore
from studio.scripts.saying.asked_line import AskedLine, Casting
from studio.scripts.saying.best_take import best_take
from studio.scripts.saying.candidate import SEED, Candidate, candidate_of
from studio.scripts.saying.ears import Ears
from studio.scripts.saying.engine_turns import EngineTurns
from studio.scripts.saying.line_speech import LineSound, LineSpeaker
from studio.scripts.saying.progress import ProgressMeter, SayingProgress
from studio.scripts.saying.saying_studio import SayingStudio
from studio.scripts.saying.slots import fitted_candidates
from studio.scripts.saying.stop_signal import StopSignal
from studio.scripts.script.line import ScriptLine
from studio.speech.refusal import refusal_of
from studio.timeline import Timeline
