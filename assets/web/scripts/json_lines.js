// Bytes of JSON objects, one on each line, cut anywhere -> the objects. Pure.

export async function* linesOf(body) {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      const lines = (rest + decoder.decode(value, { stream: !done })).split("\n");
      rest = done ? "" : lines.pop();
      for (const line of lines) if (line.trim()) yield JSON.parse(line);
      if (done) return;
    }
  } finally {
    reader.cancel().catch(() => {}); // who asks no more hangs up
  }
}
