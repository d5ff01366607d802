// The menu beside Speak: timing a cold start, the parts of the text, how its words are said, and the request to paste elsewhere.

import { choice } from "../choice/choice.js";
import { moreWords, openMore } from "../choice/engines_here.js";
import { speakOptions } from "../choice/options.js";
import { snippets } from "../choice/own_requests.js";
import { openMenu } from "../kit/menu.js";
import { openRoom } from "../navigation/navigation.js";
import { askNextPair, askPair, keepOff, NEXT_PAIR, pairsAreOff } from "../pairs/pair_row.js";
import { nextOf, rivalsOf, sidesOf } from "../pairs/pair_state.js";
import { player } from "../sound/player.js";
import { transport } from "../transport/gradio_transport.js";
import { requestOf } from "../transport/request.js";
import { words } from "../words/words.js";
import { copyAndSay } from "./copying.js";
import { isRefused } from "./refused.js";

export class MoreMenu {
  constructor(button, composer, speaking) {
    this._button = button;
    this._composer = composer;
    this._speaking = speaking;
    document.addEventListener(NEXT_PAIR, () => this._lead());
    button.addEventListener("click", () => openMenu(button, words("speak.more"), this._items()));
  }

  _items() {
    const { segments, draft, saying, sayAs, dictionary } = this._composer;
    const { own = false, is_stored: isStored = false } = choice.voiceKnown ?? {};
    const note = own ? "" : words(isStored ? "speak.only_own" : "speak.only_stored");
    const isDisabled = !own || ["waiting", "playing"].includes(player.state);
    const time = (plan) => () => this._speaking.begin(plan, performance.now());
    const { selected: word } = sayAs;
    const parts = segments.n === null ? words("speak.show_parts_any") : words("speak.show_parts", { n: segments.n });
    return [
      { key: "cold", icon: "clock", words: words("speak.time_cold"), note, isDisabled, act: time(["cold"]) },
      { key: "compare", icon: "repeat", words: words("speak.cold_and_warm"), note, isDisabled, act: time(["cold", "warm"]) },
      ...(saying.isOn
        ? []
        : [
            null,
            this._pairItem(),
            ...(pairsAreOff() ? [{ key: "ask_pairs", icon: "headphones", words: words("pairs.on"), act: () => keepOff(false) }] : []),
            null,
            { key: "parts", icon: "list", words: segments.isOpen ? words("speak.hide_parts") : parts, act: () => segments.toggle() },
            {
              key: "say_as",
              icon: "volume",
              words: word ? words("dictionary.say_word", { word }) : words("dictionary.say_any"),
              act: () => sayAs.ask(word),
            },
            { key: "dictionary", icon: "pencil", words: words("dictionary.title"), act: () => dictionary.open() },
          ]),
      null,
      { key: "curl", icon: "copy", words: words("speak.copy_curl"), act: () => this._copy("curl") },
      { key: "python", icon: "copy", words: words("speak.copy_python"), act: () => this._copy("python") },
      ...(draft.isAnything ? [null, { key: "forget", icon: "replay", words: words("speak.forget"), act: () => draft.startOver() }] : []),
    ];
  }

  // Which of two is better, blind: against what, a second menu asks.
  _pairItem() {
    const rivals = this._rivals;
    const isQueued = transport === "gradio"; // a pair is spoken in one request, and only the queue's events have the GPU
    const next = { key: "next_pair", icon: "dice", words: words("pairs.least_known"), act: () => this._askNext() };
    const found = [...(rivals.length ? [next] : []), ...rivals.map((one) => this._rivalItem(one)), ...moreItems()];
    const heading = words(rivals.length ? "pairs.against" : "pairs.nothing_to_compare");
    const note = isQueued ? words("pairs.not_in_queue") : rivals.length ? "" : heading;
    const act = () => openMenu(this._button, words("pairs.title"), [{ heading }, ...found]);
    return { key: "pair", icon: "headphones", words: words("pairs.title"), note, isDisabled: isQueued || !found.length, act };
  }

  get _rivals() {
    const { engine, engines = [] } = choice.known;
    return rivalsOf({ engine, engines, isChanged: Object.keys(speakOptions.read()).some((name) => name !== "seed") });
  }

  _rivalItem({ id, title }) {
    const said = id === choice.known.engine ? words("pairs.as_it_is", { engine: title }) : title;
    return { key: `against ${id}`, words: said, act: () => this._askPair(id) };
  }

  // From another room.
  _lead() {
    openRoom("speak");
    if (!this._composer.text.trim()) this._composer.text = words("speak.sample");
    this._askNext();
  }

  _askNext() {
    this._withRequest((request, isStored) => askNextPair(nextOf(request, isStored)));
  }

  _askPair(rival) {
    this._withRequest((request, isStored) => askPair(sidesOf(request, rival, isStored)));
  }

  _withRequest(ask) {
    const { fields } = this._composer;
    if (!fields || isRefused(fields, this._composer.saying)) return;
    ask(requestOf({ ...fields, options: speakOptions.read() }), Boolean(choice.voiceKnown?.is_stored));
  }

  _copy(kind) {
    const { fields } = this._composer;
    if (!fields || isRefused(fields, this._composer.saying)) return undefined;
    const request = requestOf({ ...fields, options: speakOptions.read() });
    const code = snippets()[kind][fields.recording ? "convert" : "speak"](request);
    return copyAndSay(words(`speak.copied_${kind}`), code, fields.recording ? words("speak.copied_file") : "");
  }
}

// Engines that have to be got before anything is compared with them.
function moreItems() {
  const said = moreWords(choice.known.engines ?? []);
  return said ? [null, { key: "more_engines", icon: "right", words: said, act: openMore }] : [];
}
