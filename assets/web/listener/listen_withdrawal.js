// Where somebody sees what is kept of them, and has it deleted, by the code that they were given.

import { make, saveFile } from "../kit/frame.js";
import { words } from "../words/words.js";
import { button, formCard, showScreen, told, verbs } from "./listen_parts.js";

const FILE = "listening-test.json";

/** server: kept(code), withdraw(code). known: { code: of whoever is here, or "", forgotten(code): told when it is done }. back(): to the test. */
export function showWithdrawal(server, known, back) {
  const field = make("input", { dir: "auto", className: "input", value: known.code, autocomplete: "off", spellcheck: false });
  const name = make("span", { className: "name", textContent: words("listen.own_code") });
  const problem = make("p", { className: "note refused", role: "alert" });
  const see = button(words("listen.withdraw_see"), () => act(saved), { look: "big" });
  const remove = button(words("listen.withdraw_yes"), () => act(deleted), { look: "danger big" });
  const allow = () => {
    for (const one of [see, remove]) one.disabled = !field.value.trim();
  };
  field.addEventListener("input", allow);
  allow();

  async function act(verb) {
    problem.textContent = "";
    for (const one of [see, remove]) one.disabled = true;
    try {
      await verb(field.value);
    } catch (error) {
      problem.textContent = words(PROBLEMS[error.code] ?? "listen.failed");
    }
    allow();
  }

  async function saved(code) {
    saveFile(new Blob([JSON.stringify(await server.kept(code), null, 2)], { type: "application/json" }), FILE);
  }

  async function deleted(code) {
    await server.withdraw(code);
    known.forgotten(code);
    showScreen(words("listen.withdrawn"), [told(words("listen.withdrawn_told"))]);
  }

  const card = formCard(
    told(words("listen.withdraw_told")),
    make("label", { className: "field" }, name, field),
    problem,
    verbs(see, remove),
  );
  showScreen(words("listen.withdraw"), [card, verbs(button(words("listen.withdraw_back"), back, { look: "quiet" }))]);
}

const PROBLEMS = { listener_unknown: "listen.withdraw_unknown", slow: "listen.slow_tries", offline: "listen.offline" };
