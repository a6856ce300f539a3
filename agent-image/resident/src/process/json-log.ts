export interface Log {
  info(event: string, fields?: object): void;
  warn(event: string, fields?: object): void;
}

/** `write` receives one complete line; `now` is the wall clock in milliseconds; `always` is added to each line. */
export function createLog(write: (line: string) => void, now: () => number, always: object): Log {
  const line =
    (level: string) =>
    (event: string, fields: object = {}) =>
      write(`${JSON.stringify({ time: new Date(now()).toISOString(), level, event, ...always, ...fields })}\n`);
  return { info: line('info'), warn: line('warn') };
}
