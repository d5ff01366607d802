// Before any test: the modules of sentences, which the server makes for each reader's language, are those of assets/words/en.json here.
import { readFileSync } from "node:fs";
import { registerHooks } from "node:module";

const english = readFileSync(new URL("../../assets/words/en.json", import.meta.url), "utf8");
// As studio/words/sentences.py has it.
const owners = '{ errors: ["weights_absent", "weights_lacking"], hint: "engines.ask_owner" }';
const made = {
  "catalog.js": `export const language = "en";\nexport const catalog = ${english};\nexport const owners = ${owners};`,
  "later_catalog.js": "", // the one above has all sections
  "evaluations_catalog.js": "",
};

registerHooks({
  resolve(specifier, context, next) {
    const source = made[specifier.split("/").at(-1)];
    if (source === undefined) return next(specifier, context);
    return { url: `data:text/javascript,${encodeURIComponent(source)}`, shortCircuit: true };
  },
});
