// Before any test: the module of sentences, which the server makes for each reader's language, is that of assets/words/en.json here.
import { readFileSync } from "node:fs";
import { registerHooks } from "node:module";

const english = readFileSync(new URL("../../assets/words/en.json", import.meta.url), "utf8");
// As studio/words/sentences.py has it.
const owners = '{ errors: ["weights_absent", "weights_lacking"], hint: "engines.ask_owner" }';
const source = `export const language = "en";\nexport const catalog = ${english};\nexport const owners = ${owners};`;

registerHooks({
  resolve(specifier, context, next) {
    if (specifier !== "./catalog.js") return next(specifier, context);
    return { url: `data:text/javascript,${encodeURIComponent(source)}`, shortCircuit: true };
  },
});
