// A call of a function of the studio that a component has.
import { doubtConnection } from "./connection.js";
import { queued } from "./gradio_transport.js";

// Its answer, or {problem} with that code where none came. Where visitors lend a GPU, learning goes through Gradio's queue.
export async function called(server, name, values, code) {
  try {
    return (await (queued?.[name] ?? server[name])(values)) ?? {};
  } catch {
    doubtConnection();
    return { problem: { code, values: {} } };
  }
}
