/** One event of a server-sent event stream. `id` is the last id seen on the stream, as the standard says. */
export type ServerSentEvent = Readonly<{ event: string; data: string; id: string | null }>;

/** A line or an event longer than this ends the stream: no event of the village comes near it. */
export const MAX_EVENT_CHARS = 64 * 1024;

/**
 * Reads server-sent events from text that arrives in any pieces (WHATWG HTML, "Server-sent events").
 * Each call answers the events that the piece completed. Throws when an event is longer than MAX_EVENT_CHARS.
 */
export function createSseParser(): (piece: string) => readonly ServerSentEvent[] {
  let rest = '';
  let event = '';
  let data: string[] = [];
  let size = 0;
  let id: string | null = null;

  const readLine = (line: string): ServerSentEvent | null => {
    if (line === '') {
      const complete = data.length === 0 ? null : { event: event || 'message', data: data.join('\n'), id };
      [event, data, size] = ['', [], 0];
      return complete;
    }
    const [field, value] = fieldOf(line);
    if (field === 'event') event = value;
    else if (field === 'id') id = value;
    else if (field === 'data') {
      data.push(value);
      size += value.length;
    }
    if (size > MAX_EVENT_CHARS) throw new Error(`an event is longer than ${MAX_EVENT_CHARS} characters`);
    return null;
  };

  return (piece) => {
    const lines = (rest + piece).split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop() ?? '';
    if (rest.length > MAX_EVENT_CHARS) throw new Error(`a line is longer than ${MAX_EVENT_CHARS} characters`);
    return lines.map(readLine).filter((read) => read !== null);
  };
}

/** A line without a colon is a field without a value; a line that starts with one is a comment and has no field. */
function fieldOf(line: string): readonly [field: string, value: string] {
  const colon = line.indexOf(':');
  if (colon === -1) return [line, ''];
  const value = line.slice(colon + 1);
  return [line.slice(0, colon), value.startsWith(' ') ? value.slice(1) : value];
}
