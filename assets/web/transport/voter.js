// A random id of this browser, sent with what is asked about blind pairs: it tells voters apart where all visitors share a workspace and the
// arena is open. The studio keeps a digest of it, and nothing else is known of a voter. It is made with the first pair that somebody asks for.

const PAIRS = "v1/studio/pairs";
const KEPT = "studio-voter";
let own = "";

/** Headers of a request. path: relative to the studio's. method: "GET" where it only looks. */
export function voterHeaders(path, method = "GET") {
  const voter = path.startsWith(PAIRS) ? kept() || (method === "POST" && made()) : "";
  return voter ? { "X-Studio-Voter": voter } : {};
}

function kept() {
  try {
    own ||= localStorage.getItem(KEPT) ?? "";
  } catch {
    return own; // storage is off: for as long as the page
  }
  return own;
}

function made() {
  own = crypto.getRandomValues(new BigUint64Array(2)).join("-");
  try {
    localStorage.setItem(KEPT, own);
  } catch {
    return own;
  }
  return own;
}
