// The list of languages, as a picker shows it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { languageGroups, languageNameIn, learnAccents, learnNames, search } from "../../assets/web/choice/languages.js";

const CODES = ["zh", "en-gb-x-rp", "de", "fr", "en", "cmn-latn-pinyin", "piqd", "es", "en-us-nyc", "qya", "pt-pt", "nog", "fr-be"];
const shown = (groups) =>
  groups.map(({ group, languages }) => [group, ...languages.map(({ own, name }) => (name ? `${own}/${name}` : own))]);

test("the reader's own language and English come first, then those of one's voices, and codes without a name come last", () => {
  assert.deepEqual(shown(languageGroups(CODES, "de", ["es", "fr-be", "en"])), [
    ["first", "Deutsch", "English/Englisch"],
    ["voices", "Français/Französisch", "Español/Spanisch"],
    ["others", "中文/Chinesisch", "Nogai", "Português/Portugiesisch"],
    ["unnamed", "piqd", "qya"],
  ]);
  assert.deepEqual(shown(languageGroups(["de", "fr"], "en-US"))[0], ["others", "Français/French", "Deutsch/German"]);
  assert.deepEqual(languageGroups([], "en"), []);
});

test("accents are folded into their language, the plain one first, and none has the name of another", () => {
  const [{ languages }] = languageGroups(CODES, "en");
  const [{ code, own, accents }] = languages;
  assert.deepEqual([code, own], ["en", "English"]);
  assert.deepEqual(
    accents.map(({ name }) => name),
    ["English", "American English (nyc)", "British English (rp)"],
  );
  const others = languageGroups(CODES, "en").find(({ group }) => group === "others").languages;
  assert.deepEqual(
    others.find((language) => language.own === "中文").accents.map((accent) => accent.code),
    ["zh", "cmn-latn-pinyin"],
  );
  assert.deepEqual(others.find((language) => language.own === "Português").accents, []);
});

test("a language is found by its own name, the reader's, the English one and its code, without accents and case", () => {
  const groups = languageGroups(CODES, "de");
  const found = (typed) => search(groups, typed).flatMap(({ languages }) => languages.map(({ code }) => code));
  for (const typed of ["francais", "FRANZÖSISCH", "french", "fr"]) assert.deepEqual(found(typed).sort(), ["fr", "fr-be"], typed);
  assert.deepEqual(found("british rp"), []); // the reader's names are German
  assert.deepEqual(found("englisch rp"), ["en-gb-x-rp"]);
  assert.deepEqual(found("klingon"), []);
  assert.equal(search(groups, "  "), groups);
});

test("a name says what of a code is of no standard", () => {
  assert.equal(languageNameIn("en-us-nyc", "de"), `${languageNameIn("en-us", "de")} (nyc)`);
  assert.equal(languageNameIn("vi-vn-x-central", "en"), "Vietnamese (Vietnam) (central)");
  assert.equal(languageNameIn("qya", "en"), "qya");
});

test("what a browser has no name for is called as the engine does, and what it calls alike is told apart", () => {
  const codes = ["de", "tw", "fat", "qab", "qac"];
  const before = languageGroups(codes, "de");
  assert.equal(languageGroups(codes, "de"), before);
  assert.deepEqual(
    before.at(-1).languages.map(({ own }) => own),
    ["qab", "qac"],
  );
  learnNames({ de: "German", tw: "twi", fat: "fanti", qab: "tongue ab" });
  const groups = languageGroups(codes, "de");
  assert.deepEqual(
    groups.map(({ group, languages }) => [group, ...languages.map(({ own }) => own)]),
    [
      ["first", "Deutsch"],
      ["others", "Akan", "Tongue ab"],
      ["unnamed", "qac"],
    ],
  );
  assert.deepEqual(groups[1].languages[0].accents, [
    { code: "fat", name: "Fanti" },
    { code: "tw", name: "Twi" },
  ]);
  assert.deepEqual(
    search(groups, "TONGUE").flatMap(({ languages }) => languages.map(({ code }) => code)),
    ["qab"],
  );
});

test("what is likely stands first, and what the chosen engine speaks before what others do", () => {
  const groups = languageGroups(["en", "fr", "ja", "it", "sw", "en-gb"], "en", ["fr"], { likely: ["ja"], ofEngine: ["sw", "en-gb"] });
  assert.deepEqual(
    groups.map(({ group, languages }) => [group, ...languages.map(({ code }) => code)]),
    [
      ["first", "ja", "en"],
      ["voices", "fr"],
      ["engine", "sw"],
      ["others", "it"],
    ],
  );
});

test("what was learned is in the reader's language, found by its English name too, and a language of which browsers write nothing has no other own name", () => {
  learnNames({ qad: "Sprache ad", qae: "tongue ae" }, { qad: "tongue ad" });
  const [{ languages }] = languageGroups(["qad", "qae"], "de");
  assert.deepEqual(
    languages.map(({ own, name, english }) => [own, name, english]),
    [
      ["Sprache ad", "", "Tongue ad"],
      ["Tongue ae", "", ""],
    ],
  );
  assert.deepEqual(
    search([{ group: "others", languages }], "tongue ad").flatMap((group) => group.languages.map(({ code }) => code)),
    ["qad"],
  );
});

test("an accent has its name, also one that a browser takes for a country", () => {
  assert.match(languageNameIn("ca-va", "en"), /Vatican/);
  learnAccents({ "ca-va": "Valencian", nyc: "New York City" });
  assert.deepEqual(
    ["ca-va", "en-us-nyc", "en-gb"].map((code) => languageNameIn(code, "en")),
    ["Catalan (Valencian)", "American English (New York City)", "British English"],
  );
});
