// The last takes, beside the text that is to be spoken. What is spoken in this tab stands here at once, with the time from the press to the
// first sound, which the studio is told once it has the take; all else as the History tells it.
import { TakeList } from "../history/take.js";
import { onMount } from "../kit/frame.js";
import { openRoom } from "../navigation/navigation.js";
import { offerPair } from "../pairs/pair_row.js";
import { offerOf } from "../pairs/pair_state.js";
import { untold, withHeard } from "../sound/heard.js";
import { haveTakes } from "../sound/karaoke.js";
import { player } from "../sound/player.js";
import { later } from "../sound/player_view.js";
import { words } from "../words/words.js";
import { runs } from "./runs.js";

const MOST = 5;

// A run that is not in the History yet.
function arriving({ voice, engineTitle, text, recording, language, options, print, facts, session, start }) {
  const { seconds, firstSoundMilliseconds } = session;
  const known = {
    id: facts.kept,
    source_seconds: recording?.seconds ?? null,
    isArriving: true,
    starred: false,
    ended: "",
    warning: "",
    at: 0,
  };
  const measured = { start, heard_ms: firstSoundMilliseconds, server_ms: facts.ttfpMilliseconds };
  return { ...known, ...measured, voice, engine: engineTitle, text, language, options, print, seconds };
}

onMount("takes", ({ element, props, server, trigger, watch }) => {
  const [list, empty, all] = ["#takes-list", "#takes-empty", "#takes-all"].map((part) => element.querySelector(part));
  const link = all.querySelector("button");
  const takes = new TakeList({ list, trigger, server, place: "speak-message" });
  const kept = new Set(); // ids that were in the History, so that what is deleted there does not come back
  link.addEventListener("click", () => openRoom("history"));
  const told = new Set(); // ids of which the studio was told when they were heard

  function tell(one) {
    if (told.has(one.entry)) return;
    told.add(one.entry);
    server.note_first_sound(one).catch(() => told.delete(one.entry)); // told again with the next news
  }

  function show() {
    const { entries = [], total = 0, keeps_any: keepsAny = true } = props.value ?? {};
    for (const { id } of entries) kept.add(id);
    haveTakes(entries.map(({ id }) => id));
    const heard = runs.list.filter(({ facts, session }) => facts?.kept && session?.samples);
    for (const { facts, session } of heard) session.key ??= facts.kept; // so that the row of what is heard now can pause it
    const coming = heard.filter(({ facts }) => !kept.has(facts.kept)).map(arriving);
    const known = entries.map(withHeard);
    for (const one of untold(entries)) tell(one);
    takes.show([...coming, ...known].slice(0, MOST));
    const isOwn = (id) => heard.some(({ facts }) => facts.kept === id);
    if (!coming.length) offerPair(offerOf(entries, isOwn), entries[0]?.id);
    empty.hidden = coming.length + known.length > 0;
    empty.textContent = words(keepsAny ? "takes.none" : "takes.off");
    all.hidden = total <= MOST;
    link.textContent = words("takes.all", { n: total });
  }

  watch("value", show);
  runs.addEventListener("change", () => later(show)); // nothing is drawn while somebody waits for a first sound
  player.addEventListener("received", () => later(show));
  show();
});
