// Outbox: answers that the studio does not have yet. They are kept in the browser, and sent again until it says that it has them.

const LONGEST_WAIT_SECONDS = 30;

export class Outbox {
  // kept: { read(), write(list) } of what outlasts the page. send(answer): resolves when the studio has it, else rejects with an error
  // that `isFinal` where sending again would not help. wait(seconds): resolves after that time, or sooner where the line is back.
  // onChange(outbox), onRefused(error, answer).
  constructor({ kept, send, wait, onChange = (_outbox) => {}, onRefused = (_error, _answer) => {} }) {
    this._kept = kept;
    this._send = send;
    this._wait = wait;
    this._onChange = onChange;
    this._onRefused = onRefused;
    this._answers = kept.read();
    this._running = null;
    this.isStuck = false; // the last attempt did not come through
  }

  // How many are still to be sent, and of which trials.
  get size() {
    return this._answers.length;
  }

  get trials() {
    return this._answers.map(({ trial }) => trial);
  }

  // Of each trial one: whoever presses twice has answered once.
  put(answer) {
    if (this.trials.includes(answer.trial)) return;
    this._answers.push(answer);
    this._kept.write(this._answers);
    this.flush();
  }

  // Resolves once all are sent.
  flush() {
    this._running ??= this._run().finally(() => {
      this._running = null;
    });
    return this._running;
  }

  async _run() {
    let pause = 1;
    while (this._answers.length) {
      const [answer] = this._answers;
      const problem = await this._send(answer).then(
        () => null,
        (error) => error,
      );
      if (!problem || problem.isFinal) {
        this._answers.shift();
        this._kept.write(this._answers);
        pause = 1;
      }
      this.isStuck = Boolean(problem && !problem.isFinal);
      this._onChange(this);
      if (problem?.isFinal) this._onRefused(problem, answer);
      if (!this.isStuck) continue;
      await this._wait(pause);
      pause = Math.min(LONGEST_WAIT_SECONDS, 2 * pause);
    }
  }
}
