// What the page asks the studio about evaluations.

import { askServer } from "../transport/speech_transport.js";

const ROUTE = "v1/studio/evaluations";

/** The address below the page's of what is known of evaluations. path: "" for all, or "/<id>" and what follows. */
export const evaluationPath = (path = "", asked = {}) => {
  const said = new URLSearchParams(Object.entries(asked).filter(([, value]) => value !== "" && value !== null && value !== undefined));
  return `${ROUTE}${path}${said.size ? `?${said}` : ""}`;
};

/** The studio's answer. asked: of a question; init: as fetch has it. Throws SpeechRefused. */
export async function evaluationAnswer(path = "", asked = {}, init = undefined) {
  const answer = await askServer(evaluationPath(path, asked), init);
  const text = await answer.text();
  return text ? JSON.parse(text) : {};
}

/** What sends this body. */
export const evaluationBody = (body, method = "POST") => ({
  method,
  headers: { "Content-Type": "application/json" },
  body: JSON.stringify(body),
});

/** {blob, name} of a file that the studio makes; its name is that of the answer. */
export async function evaluationFile(path, asked) {
  const answer = await askServer(evaluationPath(path, asked));
  const [, name = ""] = /filename="([^"]+)"/.exec(answer.headers.get("Content-Disposition") ?? "") ?? [];
  return { blob: await answer.blob(), name };
}
