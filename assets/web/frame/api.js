// The tab API: the address, and an example with the voice and engine that are chosen. The page's own address is the base, below any proxy.
import { choice } from "../choice/choice.js";
import { apiBase, keyIsNeeded, snippets } from "../choice/own_requests.js";
import { copyText } from "../kit/clipboard.js";
import { onMount } from "../kit/frame.js";
import { addPlace, say } from "../kit/notices.js";
import { words } from "../words/words.js";

const NOTED = ["create", "convert"]; // tasks that want a word more

onMount("api", ({ element }) => {
  addPlace("api-message", element.querySelector("#api-message"));
  const chosen = { task: "speak", language: "curl" };

  function example() {
    const { voice, engines = [] } = choice.known;
    const able = engines.filter(({ converts }) => converts || chosen.task !== "convert").map(({ id }) => id);
    const engine = able.includes(choice.known.engine) ? choice.known.engine : able[0];
    const input = chosen.task === "convert" ? {} : { input: words("api.sample") };
    const request = { ...input, ...(voice ? { voice } : {}), ...(engine ? { model: engine } : {}) };
    return snippets()[chosen.language][chosen.task](request);
  }

  function show() {
    element.querySelector("[data-task=convert]").hidden = !choice.known.engines?.some(({ converts }) => converts);
    element.querySelector("#api-base").textContent = apiBase();
    element.querySelector("#api-code").textContent = example();
    element.querySelector("#api-docs").href = new URL("docs", document.baseURI).href;
    element.querySelector("#api-key").textContent = words(keyIsNeeded() ? "api.needs_key" : "api.no_key");
    element.querySelector("#api-note").textContent = NOTED.includes(chosen.task) ? words(`api.${chosen.task}_note`) : "";
    for (const button of element.querySelectorAll(".switch button")) {
      const { task, language } = button.dataset;
      button.setAttribute("aria-pressed", String(task === chosen.task || language === chosen.language));
    }
  }

  async function copy(what) {
    try {
      await copyText(what === "base" ? apiBase() : example());
      say("api-message", { kind: "done", fact: words("api.copied") });
    } catch {
      say("api-message", { kind: "problem", fact: words("api.copy_refused"), hint: words("api.copy_by_hand") });
    }
  }

  element.addEventListener("click", ({ target }) => {
    const { copy: what, ...choice } = target.closest("button")?.dataset ?? {};
    if (what) return copy(what);
    Object.assign(chosen, choice);
    return show();
  });
  document.addEventListener("studio-choice", show);
  show();
});
