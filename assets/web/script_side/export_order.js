// What an export is asked for and what is said of it before and after. Pure.

import { bytes, number, words } from "../words/words.js";

export const SOUNDS = ["m4b", "mp3", "aac", "opus", "flac", "wav"];
export const TEXTS = ["srt", "vtt", "karaoke_vtt", "words"];
export const SCRIPTS = ["script", "script_with_sounds"];
export const VIDEO = "video";
export const LOUDNESS = ["none", "-16", "-19", "acx"];
export const SPLITS = ["none", "chapter", "line"];
export const ORIGINALS = ["under", "duck", "track", "drop"]; // what becomes of a video's own sound
export const MIXED = ["under", "duck"]; // in which it is heard beside the speech
const TAGGED = ["m4b", "mp3", "aac", "opus", "flac"]; // formats that hold tags
const COVERED = ["m4b", "mp3", "aac", "flac"]; // and a picture
const SUBTITLES = ["srt", "vtt", "karaoke_vtt"];

export const isSound = (format) => SOUNDS.includes(format);
/** Which fields a format has. */
export const fieldsOf = (format) => ({
  split: isSound(format),
  loudness: isSound(format) || format === VIDEO,
  chapters: isSound(format) || SUBTITLES.includes(format),
  names: SUBTITLES.includes(format),
  tags: TAGGED.includes(format),
  cover: COVERED.includes(format),
  video: format === VIDEO,
  isSaid: isSound(format) || TEXTS.includes(format) || format === VIDEO,
});

/** ExportOrder of what is chosen: {format, split, loudness, chapters, names, missing, stale}. */
export function orderOf({ format, split, loudness, chapter, names, missing, stale }) {
  const has = fieldsOf(format);
  const order = { format, missing: missing ?? "refuse", stale: stale ?? "refuse" };
  if (has.split && split !== "none") order.split = split;
  if (has.loudness && loudness !== "none") order.loudness = loudness;
  if (has.chapters && chapter !== "") order.chapters = [Number(chapter)];
  if (has.names) order.names = Boolean(names);
  return order;
}

/** DubOrder of the same and of what is chosen of the video: {original, original_db, subtitles}. ACX asks nothing of videos. */
export function dubOrderOf({ loudness, missing, stale, names }, video) {
  const order = { ...video, missing: missing ?? "refuse", stale: stale ?? "refuse" };
  if (!MIXED.includes(video.original)) delete order.original_db;
  if (loudness !== "none" && loudness !== "acx") order.loudness = loudness;
  if (video.subtitles) order.names = Boolean(names);
  return order;
}

/** [{key, said}] of what stands between an order and its file: lines that are not said, and those that are stale. */
export function lackWords({ unsaid = 0, stale = 0 } = {}) {
  const said = [];
  if (unsaid) said.push({ key: "unsaid", said: words("scripts.export_unsaid", { n: unsaid }) });
  if (stale) said.push({ key: "stale", said: words("scripts.export_stale", { n: stale }) });
  return said;
}

/** [{said, isMet}]: the figures of a loudness target, each with what it asks for. */
export function loudnessLines({ checks = [] } = {}) {
  return checks.map(({ figure, value, least, most, is_met: isMet }) => {
    const known = value === null || value === undefined ? "–" : number(value, 1, 1);
    const range = rangeWords(least, most);
    return { said: words(`scripts.export_${figure}`, { value: known, range }), isMet };
  });
}

const MOST_FILES = 3; // whose figures are told, of several

/** The same of all files: [{said, isMet}]. reports: [{name, target, is_met, met, checks}], one or a list. Without a target it is told which ones the
 *  sound meets as it is. */
export function levelLines(reports) {
  const all = [reports ?? []].flat();
  if (all.length === 1 && all[0].target === "none") return asItIs(all[0].met ?? []);
  if (all.length < 2) return all.flatMap(loudnessLines);
  const isMet = all.filter((one) => one.is_met).length;
  const missed = all.filter((one) => !one.is_met).slice(0, MOST_FILES);
  const lines = missed.flatMap((one) => loudnessLines(one).map(({ said, isMet: is }) => ({ said: `${one.name}: ${said}`, isMet: is })));
  return [{ said: words("scripts.export_files_met", { n: isMet, all: all.length }), isMet: isMet === all.length }, ...lines];
}

function asItIs(met) {
  const targets = met.map((target) => words(`scripts.export_loudness_${target.replace("-", "minus_")}`));
  return targets.length ? [{ said: words("scripts.export_meets", { targets }), isMet: true }] : [];
}

function rangeWords(least, most) {
  const [low, high] = [least, most].map((one) => (one === null || one === undefined ? null : number(one, 0, 1)));
  if (low !== null && high !== null) return words("scripts.export_between", { low, high });
  return high === null ? words("scripts.export_least", { low: low ?? "–" }) : words("scripts.export_most", { high });
}

/** [sentence]: lines that miss their slot and by how much, the worst first, at most so many. */
export function overWords(over = [], most = 5) {
  const worst = over.toSorted((one, other) => other.over_seconds - one.over_seconds);
  const said = worst
    .slice(0, most)
    .map(({ index, over_seconds: seconds }) => words("scripts.export_over", { line: index + 1, over: seconds }));
  return over.length > most ? [...said, words("scripts.export_over_more", { n: over.length - most })] : said;
}

/** "Making the file …", "1.2 MB of 3.4 MB" */
export function receivedWords(received, total) {
  if (!received) return words("scripts.export_making");
  return total
    ? words("scripts.export_received", { received: bytes(received), total: bytes(total) })
    : words("scripts.export_received_some", { received: bytes(received) });
}

/** The name of a file that the studio gives: RFC 6266, both of its forms. "" for none. */
export function fileName(disposition) {
  const wide = /filename\*=UTF-8''([^;]+)/i.exec(disposition ?? "");
  if (wide) return decodeURIComponent(wide[1]);
  return /filename="?([^";]+)"?/i.exec(disposition ?? "")?.[1] ?? "";
}
