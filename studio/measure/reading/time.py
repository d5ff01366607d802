"""Time of reading: texts of 20,000 characters, one sentence, a text that comes word by word, and the first sound with and without it.

`python -m studio.measure.reading.time`. Times are of this process's core, so that other programs count little, but for the first sound.
"""

import time
from collections.abc import Callable, Iterator
from statistics import median

from engines.catalog import engine_ids, engine_info, open_engine
from engines.contract.contract import Engine
from engines.contract.options import resolve_options
from studio.reading.reader import AS_WRITTEN, Manner, Reader, read
from studio.speech.in_turn import parts_of, spoken_in_turn

__all__ = ["TEXTS", "fed", "first_sounds", "seconds_of"]

N_CHARACTERS, N_ANSWER_CHARACTERS = 20_000, 5_000
N_TAKES, N_SENTENCES, N_SOUNDS = 7, 300, 60
SENTENCE = "The quick brown fox jumps over the lazy dog, and it costs $5."
# Kind -> language and what is repeated until the text is long enough.
TEXTS = {
    "prose": ("en", "The quick brown fox jumps over the lazy dog, and then it goes home again.\nIt was late, and nobody saw it.\n\n"),
    "markdown": (
        "en",
        "## Head\n\nThe **first** step is *important*, see [docs](https://x.org/a). Then go on to the next one, "
        "and `make test` after it.\n\n- one item with **bold** words\n- two\n  - three\n\n| Name | Price |\n|---|---|\n| Tea | low"
        " |\n\n```py\nx = 1\ny = x + 1\n```\n\n",
    ),
    "html": (
        "en",
        "<h2>Title</h2><p>Tom &amp; <b>Jerry</b> met at <a href='http://x.y'>a place</a>.</p><ul><li>One</li><li>Two</li></ul>\n",
    ),
    "numbers": (
        "en",
        "In 2024 they raised $5.3 billion, which is 20 % more than in the year before it. It costs $10.00 at 14:30 on 3/4/2025, as No. 5 of"
        " the list says, and 3-5 people came on the 1st of May.\n\n",
    ),
    "chinese": ("zh", "今天是2024年3月5日，天气很好，我们一起去公园散步，看到了很多花。孩子们在那里玩得很开心，大家都笑了。\n"),
    "subtitles": ("en", "1\n00:00:01,000 --> 00:00:04,000\nHello there,\nfriend of mine.\n\n"),
}


def text_of(kind: str, n_characters: int = N_CHARACTERS) -> str:
    """Of TEXTS."""
    once = TEXTS[kind][1]
    return (once * (n_characters // len(once) + 1))[:n_characters]


def seconds_of(act: Callable[[], object], n_takes: int) -> float:
    """The median of so many takes, after a first one that prepares what it needs."""
    act()
    return median(_taken(act) for _ in range(n_takes))


def fed(text: str) -> Iterator[float]:
    """Seconds of each feed of a text that comes by words."""
    reader = Reader(engine_info(engine_ids()[0]), Manner("en"))
    for word in text.split(" "):
        yield _taken(lambda piece=word: reader.feed(piece + " "))
    yield _taken(reader.rest)


def first_sounds(engine: Engine) -> tuple[list[float], list[float]]:
    """Seconds to the first chunk as written and as read, taken in turn."""
    assert engine.info.default_preset is not None  # of the embedded engine
    options, prompt = resolve_options(engine.info.options, {"language": "en"}), engine.preset(engine.info.default_preset)
    times: tuple[list[float], list[float]] = ([], [])
    for take in range(2 * N_SOUNDS):
        start = time.perf_counter()
        reading = read(SENTENCE, engine.info, Manner("en") if take % 2 else AS_WRITTEN)
        chunks = spoken_in_turn(engine, parts_of(reading, engine.info), prompt, options)
        next(chunk for chunk in chunks if len(chunk))
        times[take % 2].append(time.perf_counter() - start)
        chunks.close()
    return times


def _taken(act: Callable[[], object]) -> float:
    start = time.process_time()
    act()
    return time.process_time() - start


def main() -> None:
    """Print all of them."""
    info = engine_info(engine_ids()[0])
    for kind, (language, _) in TEXTS.items():
        text = text_of(kind)
        seconds = seconds_of(lambda text=text, language=language: read(text, info, Manner(language)), N_TAKES)
        print(f"{kind:12}{1000 * seconds:8.1f} ms of {len(text)} characters")
    seconds = seconds_of(lambda: read(SENTENCE, info, Manner("en")), N_SENTENCES)
    print(f"{'a sentence':12}{1e6 * seconds:8.0f} us")
    feeds = list(fed(text_of("markdown", N_ANSWER_CHARACTERS)))
    print(f"{'word by word':12}{1000 * sum(feeds):8.1f} ms of {len(feeds)} words, the longest {1000 * max(feeds):.1f} ms")
    written, as_read = first_sounds(open_engine(engine_ids()[0]))
    print(f"{'first sound':12}{1000 * median(written):8.2f} ms as written, {1000 * median(as_read):.2f} ms as read")


if __name__ == "__main__":
    main()
