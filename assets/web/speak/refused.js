// Why a press of Speak asks for nothing: what is missing is said where the person looks.

import { choice } from "../choice/choice.js";
import { say } from "../kit/notices.js";
import { words } from "../words/words.js";
import { isLacking, sayLacking } from "./engine_notice.js";

const LINE = "speak-message";

/** code: of the error, where it is one. */
export const sayProblem = (fact, hint = "", { code = "", values = {} } = {}, acts = []) =>
  say(LINE, { kind: "problem", fact, hint, code, values, acts });

/** Says what is missing; whether anything is. saying: of the composer. */
export function isRefused({ voice, text, recording }, saying) {
  const { gone_why: gone, voices } = choice.known;
  if (!voice && gone?.fact) sayProblem(gone.fact, gone.hint);
  else if (!voice && gone) sayProblem(words(`speak.gone_${gone.why}`, gone), words("speak.choose_a_voice"));
  else if (!voice) sayProblem(words("speak.no_voice"), words(voices.length ? "speak.choose_a_voice" : "speak.make_a_voice"));
  else if (recording && saying.refuse(recording)) return true;
  else if (!recording && !text.trim()) sayProblem(words("speak.no_text"), words("speak.type_text"));
  else if (isLacking(choice.engineKnown)) sayLacking(choice.engineKnown, choice.known.engines);
  else return false;
  return true;
}
