// The tab API: the base URL and examples with the voice and engine that are chosen. The page's own address is the base, below any proxy.

import { choice } from "./choice.js";
import { apiBase, copyText, keyIsNeeded, snippets } from "./clipboard.js";
import { onMount } from "./frame.js";
import { addPlace, say } from "./notices.js";

const SAMPLE = "Hello from a cloned voice.";

function examples() {
  const { voice, engine } = choice.known;
  const request = { input: SAMPLE, ...(voice ? { voice } : {}), ...(engine ? { model: engine } : {}) };
  const { curl, python, voicesCurl, uploadCurl, uploadPython } = snippets();
  return {
    base: apiBase(),
    curl: curl(request),
    python: python(request),
    upload: uploadCurl(),
    "upload-python": uploadPython(),
    voices: voicesCurl(),
  };
}

onMount("api", ({ element }) => {
  addPlace("api-message", element.querySelector("#api-message"));

  function show() {
    for (const [name, text] of Object.entries(examples())) element.querySelector(`#api-${name}`).textContent = text;
    element.querySelector("#api-docs").href = new URL("docs", document.baseURI).href;
    element.querySelector("#api-key").textContent = keyIsNeeded()
      ? "This studio has keys: put yours into the variable STUDIO_API_KEY. It goes as a Bearer token with every request."
      : "This studio has no keys: whoever reaches the address may use it.";
  }

  element.addEventListener("click", async (event) => {
    const { copy } = event.target.closest("button")?.dataset ?? {};
    if (!copy) return;
    try {
      await copyText(examples()[copy]);
      say("api-message", { kind: "done", fact: "Copied." });
    } catch (error) {
      say("api-message", { kind: "problem", fact: error.message, hint: "Choose the text and copy it by hand." });
    }
  });
  document.addEventListener("studio-choice", show);
  show();
});
