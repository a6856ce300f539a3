type LogLevel = 'debug' | 'info' | 'warn' | 'error';

/** Writes one line of JSON. Fields are facts about this event; never pass secrets or bodies. */
export type Log = (level: LogLevel, message: string, fields?: Readonly<Record<string, unknown>>) => void;

function plain(value: unknown): unknown {
  return value instanceof Error ? { name: value.name, message: value.message, stack: value.stack } : value;
}

export function createLog(write: (line: string) => void, lowest: LogLevel = 'info'): Log {
  const order: readonly LogLevel[] = ['debug', 'info', 'warn', 'error'];
  return (level, message, fields = {}) => {
    if (order.indexOf(level) < order.indexOf(lowest)) return;
    const shown = Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, plain(value)]));
    write(`${JSON.stringify({ time: new Date().toISOString(), level, message, ...shown })}\n`);
  };
}

/** Reports a failure that repeats: only the first one of a series is logged, until the next success. */
export function createComplaint(log: Log, message: string) {
  let complained = false;
  return {
    fail: (error: unknown) => {
      if (!complained) log('warn', message, { error });
      complained = true;
    },
    succeed: () => {
      complained = false;
    },
  };
}

export type Complaint = ReturnType<typeof createComplaint>;
