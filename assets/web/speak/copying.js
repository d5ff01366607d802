// Copies from Speak, and what is said of it.

import { copyText } from "../kit/clipboard.js";
import { say } from "../kit/notices.js";
import { words } from "../words/words.js";

const LINE = "speak-message";

/** Copies, and says so where the person looks. said, hint: what is said once it is copied. */
export async function copyAndSay(said, text, hint = "") {
  try {
    await copyText(text);
    say(LINE, { kind: "done", fact: said, hint });
  } catch {
    say(LINE, { kind: "problem", fact: words("speak.not_copied"), hint: words("speak.copy_by_hand") });
  }
}
