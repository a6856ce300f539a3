import { ModelFault } from '../chat/model-error.ts';

/**
 * The lines of a body; `guardedFetch` limits their length. Bytes of one character may arrive in two chunks; invalid
 * UTF-8 becomes U+FFFD.
 */
export async function* textLines(body: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const bytes of body) {
    const text = decoder.decode(bytes, { stream: true });
    const isLine = rest.endsWith('\r') || /[\r\n]/.test(text);
    rest += text;
    if (!isLine) continue;
    // A CR at the end may be half of CRLF: it waits for the next bytes.
    const end = rest.endsWith('\r') ? rest.length - 1 : rest.length;
    const lines = rest.slice(0, end).split(/\r\n|\n|\r/);
    rest = (lines.pop() ?? '') + rest.slice(end);
    yield* lines;
  }
  const last = (rest + decoder.decode()).replace(/\r$/, '');
  if (last !== '') yield last;
}

/** A server-sent event; `event` is `message` if the stream gives no name. */
export interface ServerEvent {
  readonly event: string;
  readonly data: string;
}

/**
 * Server-sent events, as WHATWG defines them, without `id` and `retry`. An event that is incomplete at the end of the
 * stream is dropped.
 */
export async function* serverEvents(lines: AsyncIterable<string>): AsyncGenerator<ServerEvent> {
  let event = '';
  let data: string[] = [];
  for await (const line of lines) {
    if (line === '') {
      if (data.length > 0) yield { event: event === '' ? 'message' : event, data: data.join('\n') };
      event = '';
      data = [];
      continue;
    }
    const colon = line.indexOf(':');
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (field === 'data') data.push(value);
    if (field === 'event') event = value;
  }
}

/** A JSON text of a provider. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ModelFault('bad_answer', 'the provider sent text that is not valid JSON');
  }
}
