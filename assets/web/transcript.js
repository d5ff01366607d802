// Whether a transcript can be what is heard. The studio judges it, by how long its words take to say in any script; here it is asked.

const OPTIONAL = "Optional for most engines. Word for word what is heard, with punctuation, or leave it empty.";
const SETTLE_MILLISECONDS = 250; // after the last key

// line: the element that says it. ask: calls a handler of the studio by its name.
export class TranscriptCheck {
  constructor(line, ask) {
    Object.assign(this, { _line: line, _ask: ask });
  }

  // text: trimmed. seconds: of speech, 0 where it is not known.
  show(text, seconds) {
    clearTimeout(this._settling);
    const asked = { text, seconds };
    this._asked = asked;
    if (text && seconds) this._settling = setTimeout(() => this._judge(asked), SETTLE_MILLISECONDS);
    else this._say(text ? "" : OPTIONAL);
  }

  async _judge(asked) {
    const { words = "", doubtful = false } = await this._ask("judge_words", asked);
    if (asked === this._asked) this._say(words, doubtful);
  }

  _say(words, doubtful = false) {
    this._line.textContent = words;
    this._line.dataset.kind = doubtful ? "doubt" : "";
  }
}
