/** One server-sent event; comments (heartbeats) are skipped. */
export interface RawEvent {
  readonly event: string;
  readonly id: string | null;
  readonly data: string;
}

const MESSAGE_MAX_CHARS = 1 << 20;

function parseMessage(block: string): RawEvent | null {
  let event = 'message';
  let id: string | null = null;
  const data: string[] = [];
  for (const line of block.split('\n')) {
    const colon = line.indexOf(':');
    if (colon === 0) continue;
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (field === 'event') event = value;
    if (field === 'id') id = value;
    if (field === 'data') data.push(value);
  }
  return data.length === 0 ? null : { event, id, data: data.join('\n') };
}

/** Calls `onBytes` for every chunk, heartbeats included. Throws if a message is larger than 1 MiB. */
export async function* readEventStream(
  body: ReadableStream<Uint8Array>,
  onBytes?: () => void,
): AsyncGenerator<RawEvent> {
  const decoder = new TextDecoder();
  const reader = body.getReader();
  let pending = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      onBytes?.();
      pending += decoder.decode(value, { stream: true }).replaceAll('\r', '');
      const blocks = pending.split('\n\n');
      pending = blocks.pop() ?? '';
      if (pending.length > MESSAGE_MAX_CHARS) throw new Error('a streamed message is larger than 1 MiB');
      yield* blocks.map(parseMessage).filter((message) => message !== null);
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
