import type { Wake } from '@hamlet/contract';

/** Maximum number of waiting wakes; beyond it the oldest are dropped. */
export const MAX_WAITING_WAKES = 64;

export type Trigger =
  | { readonly kind: 'tick' }
  | { readonly kind: 'wake'; readonly wake: Wake }
  | { readonly kind: 'ended'; readonly why: EndReason };

export type EndReason = 'stale' | 'stopped' | 'unpaid';

export interface Inbox {
  push(wake: Wake): void;
  /** Requests a turn without a wake, once no wake is waiting. */
  nudge(): void;
  /** Ends the loop: drops the wakes and resolves `next`. */
  end(why: EndReason): void;
  /** The oldest wake, or the first that arrives within `pauseMs`, or else a tick. */
  next(pauseMs: number): Promise<Trigger>;
  endedOr(trigger: Trigger): Trigger;
}

/** Kinds of wake that a newer one supersedes: it replaces an older waiting one. */
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
