// Why one cannot go on from a step of creating a voice, and where a refusal is mended. Pure.

const STEP_OF = { clip: "check", transcript: "transcript", consent: "consent", name: "consent" }; // of a refusal's parameter
const LEFT_OUT = "transcript_required"; // the one refusal of words that are not there

/** The step where that parameter of a refusal is mended, undefined where none is. */
export const stepOf = (parameter) => STEP_OF[parameter];

/** Of a clip that is to be used: nobody took one, or the studio has not got it. clip, draft: null without one. */
export function clipObstacle({ clip, draft }) {
  if (!clip) return { code: "clip_absent", values: {} };
  return draft ? null : { code: "E-REF-6", values: {} };
}

/** Of the step, null where one may go on. clip, draft, report: of the recorder. nEarlier: recordings before it. seconds: of all together.
 *  permission: the obstacle of that step. */
export function obstacleOf({ step, clip, draft, report, nEarlier, seconds, mostSeconds, permission }) {
  const ofClip = clip || !nEarlier ? clipObstacle({ clip, draft }) : null;
  if (["clip", "check"].includes(step) && ofClip) return ofClip;
  if (step === "check") return report?.obstacle ?? (nEarlier ? lengthObstacle(seconds, mostSeconds) : null);
  return step === "consent" ? permission : null;
}

const lengthObstacle = (seconds, most) => (seconds > most ? { code: "clips_too_long", values: { seconds, most_seconds: most } } : null);

/** What of a voice may be mended, so that engines which failed can learn it: {parameter, isLeftOut}, where the words may be left out too;
 *  null for nothing. problems: of the engines. */
export function mendingOf(problems) {
  const found = problems.find(({ parameter }) => parameter === "transcript") ?? problems.find(({ parameter }) => parameter === "clip");
  if (!found) return null;
  return { parameter: found.parameter, isLeftOut: found.parameter === "transcript" && found.code !== LEFT_OUT };
}
