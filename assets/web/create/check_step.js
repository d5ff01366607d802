// Step two of creating a voice: which part of the clip is kept, how good that is, and who can learn from it.

import { Region } from "../recording/region.js";
import { clipSound } from "../sound/clip_sound.js";
import { PlayButton } from "../sound/play_button.js";
import { player } from "../sound/player.js";
import { Cleaning } from "./cleaning.js";
import { ClipEstimates } from "./clip_estimates.js";
import { showReport } from "./clip_report.js";
import { complain } from "./create_notice.js";

const SETTLE_MILLISECONDS = 200; // between the last drag and the question how good that region is

export class CheckStep {
  // ask(name, values): calls a handler of the studio. clip(): the recorder's. hasWords(): whether a transcript is there.
  // secondsBefore(), before(): of the voice's other recordings; before() as `asked` of them.
  // onChange: told whenever region or report are others. estimates: whether the studio can say how good it would be found. cleans: whether it can
  // clean it.
  constructor(element, { ask, clip, hasWords, secondsBefore, before, onChange, estimates, cleans }) {
    this._element = element;
    this._ask = ask;
    this._clip = clip;
    this._hasWords = hasWords;
    this._secondsBefore = secondsBefore;
    this._before = before;
    this._onChange = onChange;
    this._find = (id) => element.querySelector(`#${id}`);
    this._draft = null; // what the server says of the clip
    this.report = null; // what it says of the region
    this.region = new Region(element, () => this._changed());
    this._play = new PlayButton(this._find("region-play"), { key: () => this._key, start: () => this._sound() });
    if (estimates) this._estimates = new ClipEstimates(this._find("quality-estimates"), ask);
    if (cleans) this._cleaning = new Cleaning(element, { onChange: () => this._changed() });
    this._show();
  }

  // draft: what take_clip says, null without a clip. isClean: whether what was kept of it is the cleaned one.
  open(draft, isClean) {
    this._draft = draft;
    this.report = null;
    this._cleaning?.open(isClean);
    this._estimates?.show(null);
    this._find("check-clip").hidden = !draft;
    this._show();
    if (!draft) return;
    this.region.open(draft, this._clip() ?? {});
    this.look();
  }

  // Of whatever is asked about the region.
  get asked() {
    const region = { draft: this._draft?.draft, start: this.region.start, end: this.region.end };
    return this._cleaning?.isClean ? { ...region, is_clean: true } : region;
  }

  // Of what is played: another part is another sound.
  get _key() {
    return Object.values(this.asked).join();
  }

  get seconds() {
    return this._draft ? (this.region.end - this.region.start) / 1000 : null;
  }

  // Asks how good the region is, at once.
  async look() {
    clearTimeout(this._settling);
    if (!this._draft) return;
    const [asked, key] = [this.asked, this._key];
    const voice = { has_transcript: this._hasWords(), seconds_before: this._secondsBefore(), ...this._before() };
    const report = await this._ask("check_region", { ...asked, ...voice });
    if (!this._draft || key !== this._key) return; // it was moved on
    if (report.problem) return complain(report.problem);
    this.report = report;
    this._show();
    this._estimates?.show(asked);
    this._onChange();
  }

  play() {
    if (this._draft) this._play.press();
  }

  async _sound() {
    const key = this._key;
    const own = this._cleaning?.isClean ? null : clipSound.own(this._clip() ?? {}, this.region);
    const heard = own ?? (await clipSound.served(this._ask, this.asked));
    if ("problem" in heard) return complain(heard.problem);
    player.play(heard, { label: this._clip()?.file.name ?? "", key });
  }

  _changed() {
    this.report = null;
    this._estimates?.show(null);
    this._cleaning?.showState(false);
    this._play.show();
    this._onChange();
    clearTimeout(this._settling);
    this._settling = setTimeout(() => this.look(), SETTLE_MILLISECONDS);
  }

  _show() {
    this._cleaning?.showState(Boolean(this.report));
    showReport(this._element, this.report, Boolean(this._draft));
  }
}
