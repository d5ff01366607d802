// The page of a listening test: from the invitation to the thanks. It knows nothing of the studio but what is asked here.

import { fillIcons } from "../drawings/icons.js";
import { words } from "../words/words.js";
import { isReason, showFailure, showNarrow, showPause, showReason, showThanks } from "./listen_endings.js";
import { FaderTrial } from "./listen_faders.js";
import { askForm } from "./listen_form.js";
import { hasFaders } from "./listen_methods.js";
import { Outbox } from "./listen_outbox.js";
import { PadTrial } from "./listen_pads.js";
import { byId, narrowScreen, showLine } from "./listen_parts.js";
import { Place } from "./listen_place.js";
import { TrialPlayer } from "./listen_player.js";
import { ListenServer } from "./listen_server.js";
import { TrialSounds } from "./listen_sounds.js";
import { askConsent, askDevice, checkHeadphones, setVolume, showOwnCode } from "./listen_welcome.js";
import { showWithdrawal } from "./listen_withdrawal.js";

const SAMPLE_RATE = 48_000; // of every sound of a test, so that none is changed on its way out
const ASK_AGAIN_SECONDS = 3;
const NOT_TAKEN = "ASSIGNMENT_ID_NOT_AVAILABLE"; // MTurk: a task is looked at that nobody has taken yet
const ENDED = ["test_closed", "test_quota_full", "test_full", "listener_known"]; // where somebody may have answered before
const ENOUGH_TO_GUESS = 3; // answers, after which the time that is left is guessed from them
const TEXT_FIELDS = "textarea, input:not([type=radio]), select";

// After so many seconds, or as soon as the browser is online again.
const wait = (seconds) =>
  new Promise((resolve) => {
    setTimeout(resolve, seconds * 1000);
    window.addEventListener("online", resolve, { once: true });
  });

class ListeningPage {
  constructor(id) {
    this._server = new ListenServer(id);
    this._place = new Place(id);
    this._test = null;
    this._trial = null;
    this._player = null;
    this._trials = [];
    this._taken = [];
    this._isPaused = false;
    this._isLost = false;
    this._outbox = null;
    byId("pause").addEventListener("click", () => this._pause());
    document.addEventListener("keydown", (event) => this._onKey(event));
    narrowScreen.addEventListener("change", () => this._test?.needs_wide && narrowScreen.matches && this._player?.pause());
    window.addEventListener("beforeunload", (event) => this._outbox?.size > 0 && event.preventDefault());
  }

  async run() {
    try {
      await this._run();
    } catch (error) {
      this._fail(error);
    }
  }

  async _run() {
    this._test = await this._patiently(() => this._server.invitation());
    const session = await this._sessionOfBefore();
    const withdraw = () => this._withdraw();
    if (!session && !this._mayBegin()) return showReason(this._test.is_draft ? "test_not_open" : "test_closed", { withdraw });
    if (!session && this._test.is_full && !this._isExperimenter)
      return showReason("test_quota_full", { along: this._test.along, withdraw });
    this._watchWidth();
    if (session) {
      this._openOutbox();
      this._context = new AudioContext({ sampleRate: SAMPLE_RATE });
      if (this._unanswered(session).length) await setVolume(this._context, true);
      return this._go(session);
    }
    return this._go(await this._begin());
  }

  _mayBegin() {
    return this._test.is_open || (this._test.is_draft && this._isExperimenter);
  }

  // Who made the test says so by the address, and is counted apart.
  get _isExperimenter() {
    return new URLSearchParams(location.search).has("experimenter");
  }

  // The session that somebody comes back to, or null.
  async _sessionOfBefore() {
    this._server.token = this._place.token;
    if (!this._server.token) return null;
    try {
      const session = await this._patiently(() => this._server.session());
      this._place.token = this._server.token;
      return session;
    } catch (error) {
      if (error.code !== "listener_unknown") throw error;
      this._server.token = "";
      this._place.token = "";
      return null;
    }
  }

  async _begin() {
    const query = new URLSearchParams(location.search);
    const isRecruited = this._test.recruiting.some((name) => query.has(name));
    const isPreview = query.get("assignmentId") === NOT_TAKEN && !this._isExperimenter;
    await askConsent(this._test, { isRecruited, isPreview, withdraw: () => this._withdraw() });
    const form = this._test.before.length ? await askForm(this._test.before, words("listen.form")) : {};
    this._context = new AudioContext({ sampleRate: SAMPLE_RATE });
    await setVolume(this._context, false);
    const check = this._test.headphones ? await checkHeadphones(this._context) : "left out";
    const { device, place } = await askDevice();
    const told = { consent: true, device, place, check, experimenter: this._isExperimenter, form };
    const session = await this._patiently(() => this._server.begin(told));
    this._place.token = this._server.token;
    this._openOutbox();
    this._watchWidth();
    await showOwnCode(session.code);
    return session;
  }

  // Of this session's answers alone: numbers of trials are others' too.
  _openOutbox() {
    this._outbox = new Outbox({
      kept: this._place.answersOf(this._server.token),
      send: (answer) => this._server.answer(answer),
      wait,
      onChange: () => this._sayLine(),
      onRefused: (error) => this._refused(error),
    });
  }

  _watchWidth() {
    if (!this._test.needs_wide) return;
    document.body.dataset.wide = "";
    showNarrow(this._place.linkOf(this._server.token));
  }

  _unanswered({ trials, answered }) {
    const done = new Set([...answered, ...this._outbox.trials]);
    return trials.filter(({ number }) => !done.has(number));
  }

  _go(session) {
    this._session = session;
    this._trials = session.trials;
    this._left = this._unanswered(session);
    this._sounds = new TrialSounds(this._server, this._context, { wait, onTrouble: (isLost) => this._line(isLost) });
    this._outbox.flush();
    return this._next();
  }

  async _next() {
    const [trial, following] = this._left;
    this._showWay(trial);
    if (!trial) return this._thank();
    const View = hasFaders(trial.method) ? FaderTrial : PadTrial;
    const began = performance.now();
    const view = new View(trial, this._test, (value, comment) => this._answered(trial, value, comment, began));
    this._trial = view;
    const buffers = await this._sounds.of(trial);
    if (this._trial !== view) return null;
    this._player = new TrialPlayer(this._context, buffers, {
      keepsPlace: view.keepsPlace,
      isWhole: this._test.hears_whole,
      onTick: () => view.tick(),
    });
    view.begin(this._player);
    return following && this._sounds.of(following).catch(() => this._sounds.forget(following));
  }

  _answered(trial, value, comment, began) {
    const seconds = (performance.now() - began) / 1000;
    const { plays, heardSeconds } = this._player;
    this._outbox.put({ trial: trial.number, value, plays, heard_seconds: heardSeconds, seconds, comment });
    this._taken.push(seconds);
    this._leave();
    this._sounds.forget(trial);
    this._left.shift();
    this._next().catch((error) => this._fail(error));
  }

  _leave() {
    this._player?.close();
    this._player = null;
    this._trial = null;
  }

  // How far somebody is, of what counts.
  _showWay(trial) {
    const counted = this._trials.filter(({ practice }) => !practice);
    const left = this._left.filter(({ practice }) => !practice).length;
    const done = counted.length - left;
    for (const id of ["way", "pause"]) byId(id).hidden = !trial;
    const bar = byId("way-bar");
    bar.setAttribute("aria-valuemax", String(counted.length));
    bar.setAttribute("aria-valuenow", String(done));
    bar.style.setProperty("--at", `${(100 * done) / Math.max(1, counted.length)}%`);
    const values = { n: done + 1, of: counted.length, minutes: this._minutesLeft(left) };
    const sentence = trial?.practice ? words("listen.practice") : words("listen.way", values);
    byId("way-words").textContent = sentence;
    bar.setAttribute("aria-valuetext", sentence);
  }

  _minutesLeft(left) {
    const guessed = (60 * this._test.minutes) / Math.max(1, this._test.n_trials);
    const mean = this._taken.reduce((sum, seconds) => sum + seconds, 0) / Math.max(1, this._taken.length);
    return Math.max(1, Math.round((left * (this._taken.length < ENOUGH_TO_GUESS ? guessed : mean)) / 60));
  }

  async _pause() {
    if (this._isPaused || !this._left.length) return;
    this._isPaused = true;
    this._leave();
    byId("pause").hidden = true;
    await showPause(this._place.linkOf(this._server.token));
    this._isPaused = false;
    await this._next().catch((error) => this._fail(error));
  }

  async _thank() {
    if (this._outbox.size) {
      showThanks(this._outbox.size);
      await this._outbox.flush();
    }
    if (this._left.length) return;
    if (this._session.is_asked_after) {
      const answers = await askForm(this._test.after, words("listen.form_after"));
      await this._patiently(() => this._server.answerForm(answers));
      this._session.is_asked_after = false;
    }
    const along = await this._patiently(() => this._server.ending());
    showThanks(0, { along, code: this._session.code, withdraw: () => this._withdraw() });
  }

  // By the code that somebody was given: see what is kept, or have it deleted. Whoever is here goes then, too.
  _withdraw() {
    this._leave();
    for (const id of ["way", "pause"]) byId(id).hidden = true;
    const forgotten = () => {
      this._place.answersOf(this._server.token).write([]);
      this._place.token = "";
    };
    const isOwn = (code) => code.replace(/[^a-z]/gi, "").toLowerCase() === this._session?.code.replaceAll("-", "");
    const known = { code: this._session?.code ?? "", forgotten: (code) => isOwn(code) && forgotten() };
    showWithdrawal(this._server, known, () => location.reload());
  }

  _onKey(event) {
    const { target } = event;
    if (event.ctrlKey || event.metaKey || event.altKey || !this._player || target.closest(TEXT_FIELDS)) return;
    if (this._test.needs_wide && narrowScreen.matches) return;
    const isButton = target.closest("button");
    if (event.key === " " && (!isButton || this._trial.isPad(isButton))) {
      if (isButton && !this._player.isUnderWay) return; // nothing to pause: it is the press of the button that has the focus
      event.preventDefault();
      if (!event.repeat) this._player.toggle();
    } else if (event.key === "Enter" && !isButton) this._trial.onEnter();
    else if (!event.repeat || event.key.startsWith("Arrow")) {
      if (this._trial.onKey(event)) event.preventDefault();
    }
  }

  // Asks until there is an answer, and says that there is none yet.
  async _patiently(ask) {
    for (;;) {
      try {
        const answer = await ask();
        this._line(false);
        return answer;
      } catch (error) {
        if (error.isFinal !== false) throw error;
        this._line(true, error.code === "slow");
        await wait(error.seconds || ASK_AGAIN_SECONDS);
      }
    }
  }

  _line(isLost, isFull = false) {
    this._isLost = isLost;
    this._isFull = isFull;
    this._sayLine();
  }

  _sayLine() {
    const n = this._outbox?.isStuck ? this._outbox.size : 0;
    if (n) showLine("care", words("listen.offline"), words("listen.kept", { n }));
    else if (this._isFull) showLine("care", words("listen.slow"));
    else if (this._isLost) showLine("care", words("listen.offline"), words("listen.waiting"));
    else showLine("");
  }

  // An answer that the studio does not take: it knows better where this listener is.
  async _refused(error) {
    this._leave();
    if (isReason(error.code)) return this._fail(error);
    try {
      this._go(await this._patiently(() => this._server.session()));
    } catch (problem) {
      this._fail(problem);
    }
    return null;
  }

  _fail(error) {
    this._leave();
    for (const id of ["way", "pause"]) byId(id).hidden = true;
    const withdraw = ENDED.includes(error.code) ? () => this._withdraw() : null;
    if (isReason(error.code)) return showReason(error.code, { along: error.along, withdraw });
    showFailure(() => location.reload());
    if (error.code === undefined) throw error;
    return null;
  }
}

fillIcons();
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", ({ matches }) => document.body.classList.toggle("dark", matches));
new ListeningPage(location.pathname.split("/").filter(Boolean).at(-1)).run();
