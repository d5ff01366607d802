// Words and what stands for them, as the lines of a <dl>.

import { make } from "./frame.js";

// lines: [word, what it is (text or an element), what explains it, name for tests]; the last two may be missing.
export function definitions(lines) {
  return lines.map(([label, said, about = "", name = label]) => {
    const line = make("div", { title: about }, make("dt", { textContent: label }), make("dd", {}, said));
    line.dataset.label = name;
    return line;
  });
}
