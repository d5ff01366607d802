// The quality card and the fit row of step two, from what the server's check_region says. Words go in as text.

import { make } from "./frame.js";

const grade = (word) => Object.assign(make("span", { className: "grade", textContent: word }), { ariaHidden: null });

export const showReport = (element, { verdict, lines, fit, obstacle }) => {
  const overall = element.querySelector("#quality-verdict");
  overall.textContent = obstacle ? "cannot be used" : verdict;
  overall.dataset.grade = obstacle ? "poor" : verdict;
  element.querySelector("#quality tbody").replaceChildren(
    ...lines.map((line) => {
      const shown = grade(line.grade);
      shown.dataset.grade = line.grade;
      const cells = [make("th", { scope: "row", textContent: line.caption }), make("td", { textContent: line.value })];
      return make("tr", {}, ...cells, make("td", {}, shown), make("td", { textContent: line.advice }));
    }),
  );
  element.querySelector("#fit").replaceChildren(
    ...fit.map(({ title, fits, note, state, reason }) => {
      const usable = fits && state !== "unavailable";
      const line = make(
        "li",
        {},
        make("strong", { textContent: title }),
        " ",
        make("span", { textContent: fits && !usable ? reason : note }),
      );
      line.dataset.fits = String(usable);
      return line;
    }),
  );
};
