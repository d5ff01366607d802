// Where somebody is in a test: the secret of their session, and answers that are not sent yet. In the browser's storage; where a frame of
// another site has none, the secret is in the fragment of the address, which no server sees.

const keyOf = (id, what) => `listen ${what} ${id}`;

function stored(key, value) {
  try {
    if (value === undefined) return localStorage.getItem(key);
    if (value === null) localStorage.removeItem(key);
    else localStorage.setItem(key, value);
    return localStorage.getItem(key) === value ? value : null;
  } catch {
    return null;
  }
}

export class Place {
  constructor(id) {
    this._id = id;
  }

  // "" where nobody has begun here. A link to come back with goes before what is stored.
  get token() {
    return decodeURIComponent(location.hash.slice(1)) || stored(keyOf(this._id, "token")) || "";
  }

  // Of a session that has begun, or "" for none any more.
  set token(token) {
    const isKept = stored(keyOf(this._id, "token"), token || null) === token;
    history.replaceState(null, "", isKept || !token ? this.address : this.linkOf(token));
  }

  // Of the test, for anybody.
  get address() {
    return location.href.split("#")[0];
  }

  // To come back with, from anywhere.
  linkOf(token) {
    return token ? `${this.address}#${encodeURIComponent(token)}` : this.address;
  }

  // What an Outbox of that session keeps.
  answersOf(token) {
    const key = keyOf(this._id, `answers ${token}`);
    return {
      read: () => JSON.parse(stored(key) ?? "[]"),
      write: (list) => stored(key, list.length ? JSON.stringify(list) : null),
    };
  }
}
