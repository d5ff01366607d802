// What is done with an evaluation from several places: it is deleted, and its files are fetched.

import { evaluationAnswer, evaluationFile } from "../evaluation_state/evaluation_calls.js";
import { titleOf } from "../evaluation_state/evaluation_words.js";
import { saveFile } from "../kit/frame.js";
import { ask as agreeTo } from "../kit/library.js";
import { endStrip, strip } from "../kit/notices.js";
import { language, words } from "../words/words.js";

const FILE_KEY = "evaluation file";

/** Deletes it where that is agreed to; whether it did. Throws SpeechRefused. */
export async function deleteEvaluation(evaluation) {
  const { id, n_said: n } = evaluation;
  const name = titleOf(evaluation);
  const question = words("evaluations.page_sure_delete", { name, n });
  if (!(await agreeTo(question, words("evaluations.page_yes_delete"), words("evaluations.page_no_delete")))) return false;
  await evaluationAnswer(`/${id}`, {}, { method: "DELETE" });
  strip({ text: words("evaluations.page_deleted", { name }) });
  return true;
}

/** Fetches a file of it and has the browser save it. format: zip, csv, json or markdown. Throws SpeechRefused. */
export async function saveExport({ id }, format) {
  strip({ kind: "note", text: words("evaluations.page_writing"), seconds: Number.POSITIVE_INFINITY, key: FILE_KEY });
  try {
    const { blob, name } = await evaluationFile(`/${id}/export`, { format, lang: language });
    saveFile(blob, name || `evaluation.${format === "markdown" ? "md" : format}`);
    strip({ text: words("tests.exported", { file: name || format }), key: FILE_KEY });
  } catch (error) {
    endStrip(FILE_KEY);
    throw error;
  }
}
