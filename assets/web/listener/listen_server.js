// What the page asks the studio for, below the address of its own document, so that it is right behind any proxy.

const LOST = [0, 408, 425, 429];

// code: stable, as the studio says it; "offline" where no answer came. along: what somebody takes with them who does not begin. isFinal: the same again would be answered alike.
export class AnswerProblem extends Error {
  constructor(status, code, seconds = 0, along = null) {
    super(code);
    this.along = along;
    this.status = status;
    this.code = code;
    this.seconds = seconds;
    this.isFinal = status < 500 && !LOST.includes(status);
  }
}

export class ListenServer {
  // id: of the test, the last part of the document's address.
  constructor(id) {
    this._id = id;
    this.token = "";
  }

  invitation() {
    return this._json(`invitation${location.search}`);
  }

  // told: { consent, device, place, check, experimenter, form }
  async begin(told) {
    const begun = await this._json("sessions", { ...told, query: location.search });
    this.token = begun.token;
    return begun;
  }

  session() {
    return this._json(`session${location.search}`);
  }

  // The questionnaire after the sounds.
  answerForm(answers) {
    return this._json("form", { answers });
  }

  // What somebody who is through takes along: { code, redirect, submit_to, fields }.
  ending() {
    return this._json("ending");
  }

  // Everything that is kept of whoever was given that code.
  kept(code) {
    return this._json("kept", { code });
  }

  // Nothing is kept of them from then on.
  withdraw(code) {
    return this._json("withdrawal", { code });
  }

  answer(answer) {
    return this._json("answers", answer);
  }

  async sound(name) {
    return (await this._ask(`sounds/${name}.wav`)).arrayBuffer();
  }

  async _json(path, body) {
    return (await this._ask(path, body)).json();
  }

  async _ask(path, body) {
    /** @type {Record<string, string>} */
    const headers = this.token ? { "X-Listener": this.token } : {};
    /** @type {RequestInit} */
    const asked = { cache: "no-store", headers };
    if (body) Object.assign(asked, { method: "POST", body: JSON.stringify(body) });
    if (body) headers["Content-Type"] = "application/json";
    const response = await fetch(`${this._id}/${path}`, asked).catch(() => null);
    if (!response) throw new AnswerProblem(0, "offline");
    if (response.ok) return response;
    const told = await response.json().catch(() => ({}));
    const { code = "", along = null } = told.error ?? {};
    throw new AnswerProblem(response.status, code, Number(response.headers.get("Retry-After")) || 0, along);
  }
}
