// The composer: what shall be said, by whom, with which engine, in which language and how. One box, of which this is the whole script; its
// pickers, options and parts have files of their own. Python asks nothing of it: it asks (studio/ui/speak/speaking.py).

import { choice } from "../choice/choice.js";
import { enginePicker, standingOf } from "../choice/engine_picker.js";
import { languagePicker, languageWords } from "../choice/language_picker.js";
import { mountOptions, speakOptions } from "../choice/options.js";
import { voicePicker } from "../choice/voice_picker.js";
import { Dictionary } from "../dictionary/dictionary.js";
import { SayAs } from "../dictionary/say_as.js";
import { showState } from "../drawings/states.js";
import { printOf } from "../drawings/voiceprint.js";
import { mountNatural } from "../engines/natural.js";
import { onMount } from "../kit/frame.js";
import { openFirstRoom } from "../kit/tabs.js";
import { words } from "../words/words.js";
import { showLacking } from "./engine_notice.js";
import { Saying } from "./saying.js";
import { Segments } from "./segments.js";
import { SpeakDraft } from "./speak_draft.js";
import { mountSpeaking, speaking } from "./speaking.js";

export let composer;

const PRINT = 40;

class Composer {
  constructor({ element, props, watch, server, joined }) {
    this._part = (id) => element.querySelector(`#${id}`);
    this._field = this._part("text");
    this._taken = null; // which value of Python's it was filled with last
    mountOptions(element);
    mountSpeaking(element, this);
    this.segments = new Segments(element, this._field, server);
    this.saying = new Saying(element, { server, speak: () => speaking.press(), onChange: () => this._saidChanged() });
    this.sayAs = new SayAs(element, this._field, { server, onKept: () => this._wordsChanged() });
    this.dictionary = new Dictionary(element, { server, sayAs: this.sayAs, onChange: () => this._wordsChanged() });
    this._pickers = [voicePicker(this._part("voice")), enginePicker(this._part("engine")), languagePicker(this._part("language"))];
    mountNatural(this._part("speak-natural"), "speak-message");
    this.draft = new SpeakDraft(element, this);
    document.addEventListener("studio-choice", () => this._show());
    choice.open(server, this.draft.begun);
    choice.settled.then(() => this.draft.restore());
    Promise.all([choice.settled, joined]).then(() => this._begin(props.value));
    watch("value", () => this.take(props.value));
    this._show();
  }

  get text() {
    return this._field.value;
  }

  set text(text) {
    this._field.value = text;
    this._field.dispatchEvent(new Event("input", { bubbles: true })); // the count and the draft hear of it
  }

  // value: with which the tab was opened for the first time.
  _begin(value) {
    openFirstRoom();
    this.take(value);
  }

  /** What is asked for, once all of it is known; null while it is under way. recording: as Saying tells of it, null where a text is typed. */
  get fields() {
    return choice.isSettled && this.saying.isSettled ? this._fields : null;
  }

  /** The same, once it is known. */
  async settle() {
    await Promise.all([choice.settled, this.saying.settle()]);
    return this._fields;
  }

  get _fields() {
    const { voice, engine } = choice.known;
    const { recording } = this.saying;
    const [text, language, directions] = recording ? ["", "", true] : [this.text, choice.language, !this.segments.saysDirections];
    return { voice, engine, text, language, directions, recording };
  }

  /** value: what `fill` of studio/ui/speak/speaking.py gave, perhaps for the second time. */
  take(value) {
    if (!value?.fill || value.at === this._taken) return;
    this._taken = value.at;
    this.fill(value.fill);
    requestAnimationFrame(() => this._takeFocus());
  }

  // What was pressed for it is hidden by now, and has the focus no more.
  _takeFocus() {
    const { activeElement: at } = document;
    if (at === document.body || !at.checkVisibility()) this._field.focus({ preventScroll: true });
  }

  /** From now on it holds this; what is left out stays, but options and language go to their defaults where either is given.
   *  speak: it is spoken, too. Whoever fills it inside of a click unlocks the sound first. */
  async fill({ voice, engine, text, options, language, speak = false }) {
    if (text !== undefined) {
      if (text !== this.text) this.segments.saysDirections = false;
      this.text = text;
      this.saying.turn(false);
    }
    await choice.choose({ voice, engine });
    if (options || language !== undefined) {
      speakOptions.write(options ?? {});
      choice.say(language ?? "");
    }
    if (speak) speaking.press();
  }

  _show() {
    const { voices, engines, gone } = choice.known;
    const isKnown = Boolean(choice.known.engine);
    const voice = voices?.find(({ name }) => name === choice.voice);
    const engine = engines?.find(({ id }) => id === choice.engine);
    this._showVoice(voice, gone, isKnown);
    if (engine) this._showEngine(engine);
    const isSaid = this.saying.isOn;
    this._name("language", words("speak.language"), isSaid ? words("speak.as_recorded") : languageWords(choice.language));
    for (const id of ["voice", "engine", "speak-more"]) this._part(id).disabled = !isKnown;
    this._part("language").disabled = isSaid || !choice.known.languages?.length;
    for (const picker of this._pickers) picker.refresh();
    if (choice.isSettled) showLacking(choice.engineKnown, engines);
    this.saying.show();
  }

  _wordsChanged() {
    this.segments.changed();
    return this.dictionary.look();
  }

  _saidChanged() {
    this._show();
    this.draft.keepSoon();
  }

  _showVoice(voice, gone, isKnown) {
    const missing = !gone ? "no_voice" : choice.known.gone_why.why === "blend" ? "no_blend" : "voice_gone";
    const none = isKnown ? words(`speak.${missing}`, { voice: gone }) : "";
    this._name("voice", words("speak.voice"), voice?.name ?? none);
    this._part("voice").dataset.state = voice || !isKnown ? "" : "missing";
    this._part("voice-learning").textContent = voice?.learning ?? "";
    const place = this._part("voice").querySelector(".choice-print");
    const print = voice?.print ?? "";
    if (place.dataset.print === print) return;
    place.dataset.print = print;
    place.replaceChildren(printOf(print, PRINT));
  }

  _showEngine(engine) {
    const [state, said] = standingOf(engine);
    this._name("engine", words("speak.engine"), engine.title, said);
    showState(this._part("engine").querySelector(".chip"), state, said);
    this._part("engine").querySelector(".state").dataset.said = said; // drawn, as the button's name says it after the engine's
    const isKept = engine.elsewhere?.leaves_traces;
    const shown = [engine.terms.attribution, isKept && words("speak.traces")].filter(Boolean).join(" · ");
    const title = [engine.terms.attribution, isKept && words("engines.leaves_traces")].filter(Boolean).join(" · ");
    Object.assign(this._part("engine-attribution"), { textContent: shown, title });
  }

  _name(id, name, said, more = "") {
    this._part(id).querySelector("b").textContent = said;
    this._part(id).setAttribute("aria-label", [`${name}: ${said}`, more].filter(Boolean).join(", "));
  }
}

onMount("composer", (tools) => {
  composer = new Composer(tools);
});
