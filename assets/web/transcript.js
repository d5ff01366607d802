// Whether a transcript can be what is heard: how many words, against how many seconds of speech.
(() => {
  const studio = (window.studio ??= {});

  const WORDS_PER_SECOND = [1.5, 5]; // outside of it something is missing or too much

  // text: trimmed. seconds: of speech, 0 where it is not known. Gives { words, doubtful }.
  studio.judgeTranscript = (text, seconds) => {
    if (!text) return { words: "Optional for most engines. Word for word what is heard, with punctuation, or leave it empty.", doubtful: false };
    const count = countWords(text);
    const counted = `${count} ${count === 1 ? "word" : "words"}`;
    if (!seconds) return { words: `${counted}.`, doubtful: false };
    const rate = count / seconds;
    const fact = `${counted} in ${seconds.toFixed(1)} s of speech, ${rate.toFixed(1)} per second`;
    const [low, high] = WORDS_PER_SECOND;
    if (rate < low) return { words: `${fact}, fewer than ${low}: is a part of what is heard missing?`, doubtful: true };
    if (rate > high) return { words: `${fact}, more than ${high}: does it say more than is heard in the region?`, doubtful: true };
    return { words: `${fact}, which is plausible.`, doubtful: false };
  };

  // As the language counts them, where the browser knows; Chinese has no spaces.
  function countWords(text) {
    if (!Intl.Segmenter) return text.split(/\s+/u).length;
    return [...new Intl.Segmenter(undefined, { granularity: "word" }).segment(text)].filter(({ isWordLike }) => isWordLike).length;
  }
})();
