// Whether a transcript can be what is heard. The studio judges it, by how long its words take to say in any script; here it is asked.

import { words } from "../words/words.js";

const SETTLE_MILLISECONDS = 250; // after the last key

// line: the element that says it. ask: calls a handler of the studio by its name.
export class TranscriptCheck {
  constructor(line, ask) {
    this._line = line;
    this._ask = ask;
  }

  // text: trimmed. seconds: of speech, 0 where it is not known.
  show(text, seconds) {
    clearTimeout(this._settling);
    const asked = { text, seconds };
    this._asked = asked;
    if (text && seconds) this._settling = setTimeout(() => this._judge(asked), SETTLE_MILLISECONDS);
    else this._say(text ? "" : words("create.words_optional"));
  }

  async _judge(asked) {
    const { problem, case: said, values, is_doubtful: isDoubtful } = await this._ask("judge_words", asked);
    if (asked !== this._asked) return;
    this._say(problem ? "" : words(`create.${said}`, values), isDoubtful);
  }

  _say(line, isDoubtful = false) {
    this._line.textContent = line;
    this._line.dataset.kind = isDoubtful ? "doubt" : "";
  }
}
