import type { Wake } from '@hamlet/contract';

/** Wakes that may wait; when more come, the oldest are lost, as an agent cannot hear everything at once. */
export const MAX_WAITING_WAKES = 64;

/** Why a turn begins, or that no more will. */
export type Trigger =
  | { readonly kind: 'tick' }
  | { readonly kind: 'wake'; readonly wake: Wake }
  | { readonly kind: 'ended'; readonly why: EndReason };

/** `stale`: a newer run cycle has begun. `stopped`: the process must end. `unpaid`: the paid time of the pod is over. */
export type EndReason = 'stale' | 'stopped' | 'unpaid';

/** Where wakes wait for the loop. */
export interface Inbox {
  push(wake: Wake): void;
  /** There is something to look at that no wake says: the next turn comes at once, behind the wakes that wait. */
  nudge(): void;
  /** No more turns: what waits is dropped, whoever waits is told. */
  end(why: EndReason): void;
  /** The oldest wake; without one, the first that comes within `pauseMs`; without that, the tick. */
  next(pauseMs: number): Promise<Trigger>;
  /** The same trigger again, unless the end has come. */
  endedOr(trigger: Trigger): Trigger;
}

/** Only the newest of these says where things stand: an older one that still waits is replaced. */
const REPLACEABLE: ReadonlySet<Wake['kind']> = new Set<Wake['kind']>(['arrived', 'met', 'item_seen']);

export function createInbox(): Inbox {
  let waiting: Wake[] = [];
  let ended: EndReason | null = null;
  let nudged = false;
  let notify: () => void = () => {};

  const take = (): Trigger | null => {
    if (ended !== null) return { kind: 'ended', why: ended };
    const wake = waiting.shift();
    if (wake !== undefined) return { kind: 'wake', wake };
    if (!nudged) return null;
    nudged = false;
    return { kind: 'tick' };
  };

  return {
    push: (wake) => {
      if (REPLACEABLE.has(wake.kind)) waiting = waiting.filter(({ kind }) => kind !== wake.kind);
      waiting.push(wake);
      if (waiting.length > MAX_WAITING_WAKES) waiting.shift();
      notify();
    },
    nudge: () => {
      nudged = true;
      notify();
    },
    end: (why) => {
      ended ??= why;
      notify();
    },
    endedOr: (trigger) => (ended === null ? trigger : { kind: 'ended', why: ended }),
    next: async (pauseMs) => {
      const now = take();
      if (now !== null) return now;
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, pauseMs);
      notify = resolve;
      await promise;
      clearTimeout(timer);
      return take() ?? { kind: 'tick' };
    },
  };
}
