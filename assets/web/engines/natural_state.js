// What there is to say of the engine that sounds natural without a GPU, while the built-in one is chosen. Pure.

const ABLE = ["ready", "idle", "loading"];

/** {state, engine}: "away" where it can be got, "failed" where that was tried in vain, "coming" while it is, "here" once it has come and can speak;
 *  null where there is nothing to say.
 *  known: the choice, as `choice_value` of studio/ui/speak/speaking.py has it.
 *  @param {{ natural?: any, engine?: string, engines?: any[] }} known */
export function naturalOf({ natural, engine: chosen, engines }) {
  if (!natural || chosen !== natural.built_in) return null;
  const engine = engines.find(({ id }) => id === natural.engine);
  if (engine?.state === "fetching") return { state: "coming", engine };
  if (ABLE.includes(engine?.state) && natural.is_default && natural.has_come) return { state: "here", engine };
  return engine?.state === "absent" && engine.is_fetchable ? { state: engine.trouble ? "failed" : "away", engine } : null;
}
