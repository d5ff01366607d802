// What the page asks of the studio about blind pairs: the same verbs as programs have.

import { askServer } from "../transport/speech_transport.js";

const PAIRS = "v1/studio/pairs";
const asked = async (path, init) => (await askServer(`${PAIRS}${path}`, init)).json();
const sent = (path, body) => asked(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });

export const pairCalls = {
  ofTakes: (takes) => sent("/takes", { takes }),
  spoken: (body) => sent("", body),
  next: (body) => sent("/next", body),
  vote: (id, choice) => sent(`/${id}/vote`, { choice }),
  undo: (id) => asked(`/${id}/vote`, { method: "DELETE" }),
  standings: () => asked("/standings"),
  file: async (format) => (await askServer(`${PAIRS}/votes?format=${format}`)).blob(),
  clear: () => asked("/votes", { method: "DELETE" }),
};
