// How fast something arrives, by what came since it was seen first. Pure: the time is handed in.

const MEASURED_SECONDS = 3; // before anything is told

export class Pace {
  _first = null; // what was seen first

  // Bytes per second, and how many seconds of them are left; null before that is known. all: null where nobody knows it.
  at(now, done, all) {
    this._first ??= { now, done };
    const passed = now - this._first.now;
    const pace = (done - this._first.done) / passed;
    if (passed < MEASURED_SECONDS || pace < 1) return null;
    return { pace, left: all === null ? null : roughly((all - done) / pace) };
  }
}

// From a minute on, whole minutes.
const roughly = (seconds) => (seconds < 60 ? Math.ceil(seconds) : 60 * Math.ceil(seconds / 60));
