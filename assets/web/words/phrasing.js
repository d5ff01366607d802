// Sentences, numbers, times and sizes in one language, as studio/words/sentences.py says them. Pure: the catalogue is handed in.

const SLOT = /\{(\w+)(?::(\w+))?\}/g; // {name}, a number of seconds or bytes as {name:seconds}, or of other things as {name:texts}: figures.texts
const SIZES = ["bytes", "kilobytes", "megabytes", "gigabytes"]; // of 1000 each, as the Hub and the shops of disks count
const KILO = 1000;
const FEW = 100; // below, a size has one decimal
const SECONDS_PER_MINUTE = 60;
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u; // blocks of Unicode
const [ISOLATE, POP] = ["\u2068", "\u2069"]; // first strong isolate, and its end

/** What somebody wrote, for a line with other words: where it is written from right to left, what stands beside it keeps its place. */
export const apart = (said) => (RIGHT_TO_LEFT.test(said) ? `${ISOLATE}${said}${POP}` : said);

/** How one language says what is in its catalogue: {words, number, seconds, milliseconds, bytes, errorWords}. */
export function phrasing(language, catalog) {
  const rules = new Intl.PluralRules(language);
  const forms = { seconds, bytes };
  const formats = new Map(); // of numbers, by their decimals: made once, since rows of long lists have many

  /** The sentence of a key such as "speak.wait". values: what its slots are filled with; `n` chooses among plural forms. */
  function words(key, values = {}) {
    const sentence = key.split(".").reduce((found, part) => found?.[part], catalog);
    if (sentence === undefined) throw new Error(`no words for ${key}`);
    return filled(sentence, values);
  }

  function filled(sentence, values) {
    const said = typeof sentence === "string" ? sentence : (sentence[rules.select(values.n)] ?? sentence.other);
    return said.replace(SLOT, (_, name, form) => shown(values[name], form));
  }

  function shown(value, form) {
    if (Array.isArray(value)) return listed(value.map((one) => shown(one, form)));
    if (typeof value !== "number") return apart(String(value));
    if (!form) return number(value);
    return forms[form]?.(value) ?? words(`figures.${form}`, { n: value });
  }

  // Between commas; between semicolons where a part has commas of its own.
  function listed(parts) {
    const comma = words("figures.comma");
    return parts.join(parts.some((part) => part.includes(comma.trim())) ? words("figures.semicolon") : comma);
  }

  function number(value, least = 0, most = 3) {
    const key = `${least} ${most}`;
    if (!formats.has(key)) formats.set(key, new Intl.NumberFormat(language, { minimumFractionDigits: least, maximumFractionDigits: most }));
    return formats.get(key).format(value);
  }

  /** Such as "84 ms", "3 s", "5.6 s" or "3 min 12 s". */
  function seconds(value) {
    const thousandths = Math.round(value * 1000);
    if (thousandths < 1000) return words("figures.milliseconds", { n: thousandths });
    const isWhole = Number.isInteger(value);
    const tenths = isWhole ? value : Math.round(value * 10) / 10;
    if (tenths < SECONDS_PER_MINUTE) return words("figures.seconds", { n: number(tenths, isWhole ? 0 : 1, 1) });
    const whole = Math.round(value);
    const minutes = Math.floor(whole / SECONDS_PER_MINUTE);
    const rest = whole % SECONDS_PER_MINUTE;
    return words(rest ? "figures.minutes_seconds" : "figures.minutes", { minutes, seconds: rest });
  }

  function milliseconds(value) {
    return seconds(value / 1000);
  }

  /** Such as "812 kB" or "3.1 GB". */
  function bytes(value) {
    let size = value;
    let unit = 0;
    while (Math.round(size) >= KILO && unit < SIZES.length - 1) {
      size /= KILO;
      unit += 1;
    }
    const decimals = unit > 0 && (size < FEW || unit === SIZES.length - 1) ? 1 : 0;
    return words(`figures.${SIZES[unit]}`, { n: number(size, decimals, decimals) });
  }

  /**
   * {fact, hint} of what went wrong, {code, values, fact, hint}; values.sentence says which, where a code has several. Its own fact and
   * hint where nothing is said of the code, or values are missing: an engine may come from elsewhere, with errors of its own.
   * @param {Problem} problem
   */
  function errorWords({ code, values = {}, fact, hint = "" }) {
    const said = catalog.errors[values.sentence ?? code];
    if (said && isWhole(said.fact, values) && isWhole(said.hint, values))
      return { fact: filled(said.fact, values), hint: filled(said.hint, values) };
    return fact ? { fact, hint } : catalog.errors.defect;
  }

  function isWhole(sentence, values) {
    const forms = typeof sentence === "string" ? [sentence] : Object.values(sentence);
    return forms.every((form) => [...form.matchAll(SLOT)].every(([, name]) => name in values));
  }

  return { words, number, seconds, milliseconds, bytes, errorWords };
}
