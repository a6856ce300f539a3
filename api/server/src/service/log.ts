export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

/** Writes one line of JSON. Fields are facts about this event; never pass secrets or bodies. */
export type Log = (level: LogLevel, message: string, fields?: Readonly<Record<string, unknown>>) => void;

function plain(value: unknown): unknown {
  return value instanceof Error ? { name: value.name, message: value.message, stack: value.stack } : value;
}

/** Makes a log that writes one JSON object a line. */
export function createLog(write: (line: string) => void, lowest: LogLevel = 'info'): Log {
  const order: readonly LogLevel[] = ['debug', 'info', 'warn', 'error'];
  return (level, message, fields = {}) => {
    if (order.indexOf(level) < order.indexOf(lowest)) return;
    const shown = Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, plain(value)]));
    write(`${JSON.stringify({ time: new Date().toISOString(), level, message, ...shown })}\n`);
  };
}
