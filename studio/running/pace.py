"""EnginePace: what an engine has been seen to take: to a first audio, per second of audio, for a step, for a call. Running means.

Used with the worker's lock held.
"""

__all__ = ["EnginePace", "Estimate"]

HALF_LIFE_AUDIO_SECONDS = 5.0  # of what is known about the pace: one sentence counts half when another was spoken
MEAN_GAIN, DEVIATION_GAIN, CAREFUL_DEVIATIONS = 1 / 8, 1 / 4, 4  # of RFC 6298, which asks the same of round trips: how long may one take?
LENGTH_HALF_LIFE_SECONDS = 30.0  # expected ones, of what is known about lengths; and what the expectation itself counts at first
LEAST_LEFT_SHARE = 0.1  # of its expected length: what a speech that has outgrown it is taken to have left


class Estimate:
    """How long something takes, seconds: on the mean, and what it hardly ever exceeds (`careful`). 0 before any was seen."""

    def __init__(self):
        self.mean = self.careful = 0.0
        self._deviation: float | None = None

    def learn(self, seconds: float) -> None:
        if self._deviation is None:
            self.mean, self._deviation = seconds, seconds / 2
        else:
            self._deviation += DEVIATION_GAIN * (abs(seconds - self.mean) - self._deviation)
            self.mean += MEAN_GAIN * (seconds - self.mean)
        self.careful = self.mean + CAREFUL_DEVIATIONS * self._deviation


class EnginePace:
    """opening: of a stream, from its beginning to its first audio. step: an advance of streams. call: anything else the engine does."""

    def __init__(self):
        self.opening = Estimate()
        self.step = Estimate()
        self.call = Estimate()
        self._first_rate: float | None = None
        self._sums: dict[int, tuple[float, float]] = {}  # streams in a step -> (engine seconds, seconds of audio), older ones fading
        self._lengths = (LENGTH_HALF_LIFE_SECONDS, LENGTH_HALF_LIFE_SECONDS)  # (seconds as expected, as spoken), older ones fading

    def learn_opening(self, seconds: float, audio_seconds: float) -> None:
        """seconds: that the engine was at work for a stream until its first audio, so long."""
        self.opening.learn(seconds)
        self._first_rate = seconds / audio_seconds

    def learn_step(self, n_streams: int, seconds: float, audio_seconds: float) -> None:
        """A step that served so many streams, all of them beyond their first audio. audio_seconds: made for all together, may be 0."""
        self.step.learn(seconds)
        worked, made = self._sums.get(n_streams, (0.0, 0.0))
        kept = 0.5 ** (audio_seconds / HALF_LIFE_AUDIO_SECONDS)
        self._sums[n_streams] = (worked * kept + seconds, made * kept + audio_seconds)
        self._forget_slower_than(n_streams)

    def learn_length(self, expected_seconds: float, seconds: float) -> None:
        """A speech that ended by itself, and how long it was expected to be. It counts as much as it is long: one word has silence around
        it, which says little of a page."""
        expected, spoken = self._lengths
        kept = 0.5 ** (expected_seconds / LENGTH_HALF_LIFE_SECONDS)
        self._lengths = (expected * kept + expected_seconds, spoken * kept + seconds)

    def rate(self, n_streams: int) -> float | None:
        """Engine seconds per second of audio where a step serves so many; None before anything was heard.

        Of a number that was not seen yet, the next smaller one's: a step that serves more takes less for each. Where all were larger, the
        smallest of them.
        """
        seen = sorted(n for n, (_, made) in self._sums.items() if made)
        if not seen:
            return self._first_rate
        worked, made = self._sums[max((n for n in seen if n <= n_streams), default=seen[0])]
        return worked / made

    def _forget_slower_than(self, n_streams: int) -> None:
        """Steps that serve more take less for each, so where they were slower something else was at work. Believed on, they would not be
        seen again: nobody begins what cannot be fed."""
        worked, made = self._sums[n_streams]
        for n, (worked_by_more, made_by_more) in list(self._sums.items()):
            if n > n_streams and worked_by_more * made > worked * made_by_more:
                del self._sums[n]

    def left(self, expected_seconds: float, made_seconds: float) -> float:
        """Seconds of audio that a speech still has to be made, of which so much was made."""
        expected, spoken = self._lengths
        seconds = expected_seconds * spoken / expected
        return max(seconds - made_seconds, LEAST_LEFT_SHARE * seconds)
