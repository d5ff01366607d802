// A random id of this browser, sent with what is asked about blind pairs: it tells voters apart where all visitors share a workspace and the
// arena is open. The studio keeps a digest of it, and nothing else is known of a voter.

const PAIRS = "v1/studio/pairs";
const KEPT = "studio-voter";
let own = "";

/** Headers of a request. path: relative to the studio's. */
export function voterHeaders(path) {
  return path.startsWith(PAIRS) ? { "X-Studio-Voter": voter() } : {};
}

const fresh = () => crypto.getRandomValues(new BigUint64Array(2)).join("-");

function voter() {
  if (own) return own;
  try {
    own = localStorage.getItem(KEPT) || fresh();
    localStorage.setItem(KEPT, own);
  } catch {
    own ||= fresh(); // storage is off: for as long as the page
  }
  return own;
}
