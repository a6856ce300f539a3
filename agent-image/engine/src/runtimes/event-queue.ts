/** Maximum number of events that wait for their reader; the oldest are dropped. */
const MAX_WAITING = 10_000;

/** Events from a callback for one reader, who reads until the last event or the failure. */
export type EventQueue<T> = Readonly<{
  push: (event: T) => void;
  end: (last: T) => void;
  fail: (error: unknown) => void;
  read: () => AsyncGenerator<T>;
}>;

/** Mutable because it holds the waiting events. */
export function createEventQueue<T>(): EventQueue<T> {
  const waiting: T[] = [];
  let ended: Readonly<{ error: unknown }> | 'done' | null = null;
  let wake = Promise.withResolvers<void>();
  const push = (event: T): void => {
    if (ended !== null) return;
    waiting.push(event);
    if (waiting.length > MAX_WAITING) waiting.shift();
    wake.resolve();
  };
  return {
    push,
    end: (last) => {
      push(last);
      ended ??= 'done';
    },
    fail: (error) => {
      ended ??= { error };
      wake.resolve();
    },
    read: async function* () {
      for (;;) {
        for (let event = waiting.shift(); event !== undefined; event = waiting.shift()) yield event;
        if (ended === 'done') return;
        if (ended !== null) throw ended.error;
        await wake.promise;
        wake = Promise.withResolvers<void>();
      }
    },
  };
}
