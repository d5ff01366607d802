// What the page asks the studio for, below the address of its own document, so that it is right behind any proxy.

const LOST = [0, 408, 425, 429];

// code: stable, as the studio says it; "offline" where no answer came. isFinal: the same again would be answered alike.
export class AnswerProblem extends Error {
  constructor(status, code, seconds = 0) {
    super(code);
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
    return this._json("invitation");
  }

  // told: { consent, device, place, check, experimenter }
  async begin(told) {
    const begun = await this._json("sessions", told);
    this.token = begun.token;
    return begun;
  }

  session() {
    return this._json("session");
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
    throw new AnswerProblem(response.status, told.error?.code ?? "", Number(response.headers.get("Retry-After")) || 0);
  }
}
