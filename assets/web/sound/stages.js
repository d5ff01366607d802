// Where the time to the first sound went: the stages of a run in their order, and the parts that they are told as. Pure.
// A run: {facts: {stages: Map of name to {milliseconds}, cache}, session: {startedAt, firstSoundMilliseconds}, sentAt, openedAt}.

// far: at the server of an engine that works elsewhere, which is told apart from what this studio takes around it.
const PARTS = ["asking", "voice", "far", "made", "way"];

/** [{key, part, milliseconds}], only what happened and is known by now. Their sum is the time from the press to the sound. */
export function stagesOf({ facts, session, sentAt, openedAt }) {
  const of = (name) => facts.stages.get(name)?.milliseconds ?? 0;
  const sound = session.firstSoundMilliseconds;
  // Where the answer was opened before there was any sound, nobody knows its way: all of the wait was for what was made.
  const isEarly = !facts.stages.has("first_audio");
  const opening = isEarly ? sound : openedAt - session.startedAt;
  const made = isEarly ? opening - (sentAt - session.startedAt) - of("resolve") - of("prompt") - of("queue") : of("first_chunk");
  const far = Math.min(of("far"), made);
  const packed = facts.stages.has("packet") ? Math.max(0, of("packet") - of("first_audio")) : null;
  const stages = [
    ["press", "asking", sentAt - session.startedAt],
    ["read", "asking", of("resolve") - of("load") - of("decode")],
    ["load", "asking", of("load")],
    ["prompt", "voice", of("prompt")],
    ["queue", "asking", of("queue")],
    ["far", "far", isFar({ facts }) ? far : null],
    [isFar({ facts }) ? "around" : "first_chunk", "made", made - far],
    ["packet", "way", isEarly ? null : packed],
    ["first_byte", "way", isEarly ? null : opening - (sentAt - session.startedAt) - of("first_audio") - packed],
    ["first_sound", "way", sound === null || isEarly ? null : sound - opening],
  ];
  return stages
    .filter(([key, , milliseconds]) => milliseconds !== null && (key !== "load" || milliseconds > 0))
    .map(([key, part, milliseconds]) => ({ key, part, milliseconds: Math.max(0, milliseconds) }));
}

/** Whether a server elsewhere made the sound, and how long that took is known. */
export const isFar = ({ facts }) => facts.stages.has("far");

/** Milliseconds from the text sent to a server elsewhere to its first audio; null where none was asked. */
export const farOf = (facts) => facts.stages.get("far")?.milliseconds ?? null;

/** {asking, voice, made, way}: milliseconds of each part; with far where the engine works elsewhere. */
export function partsOf(run) {
  const parts = Object.fromEntries(PARTS.filter((part) => part !== "far" || isFar(run)).map((part) => [part, 0]));
  for (const { part, milliseconds } of stagesOf(run)) parts[part] += milliseconds;
  return parts;
}

export const totalOf = (run) => stagesOf(run).reduce((sum, { milliseconds }) => sum + milliseconds, 0);

/** How much faster than it plays a speech was made, from the press to its last byte; null while that is not known. */
export function paceOf({ receivedMilliseconds, samples, stopped, seconds }) {
  return receivedMilliseconds && samples && !stopped ? (seconds * 1000) / receivedMilliseconds : null;
}

/** Warm where the voice was in memory and the engine loaded, disk where the voice was read from there; else cold. As Timeline.start. */
export const kindOf = ({ cache, stages }) => (stages.has("load") ? "cold" : ({ hit: "warm", disk: "disk" }[cache] ?? "cold"));
