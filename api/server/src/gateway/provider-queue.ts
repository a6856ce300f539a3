export interface ProviderPlace {
  readonly release: () => void;
}

/** `busy`: too many requests wait, or the wait was too long. `left`: the caller left or was stopped. */
export type QueueOutcome = ProviderPlace | 'busy' | 'left';

interface QueueAsk {
  readonly provider: string;
  /** Rank of the tier: a higher one goes first, and equal ones in the order of their arrival. */
  readonly rank: number;
  readonly signal: AbortSignal;
}

interface Waiting {
  readonly rank: number;
  readonly admit: (place: ProviderPlace) => void;
}

interface Line {
  active: number;
  readonly waiting: Waiting[];
}

interface QueueLimits {
  /** Requests that a provider takes at one time on this replica; undefined: any number. */
  readonly placesOf: (provider: string) => number | undefined;
  readonly waitMs: number;
  readonly maxWaiting: number;
}

export class ProviderQueue {
  readonly #lines = new Map<string, Line>();
  readonly #limits: QueueLimits;

  constructor(limits: QueueLimits) {
    this.#limits = limits;
  }

  get waiting(): readonly (readonly [provider: string, count: number])[] {
    return [...this.#lines].map(([provider, { waiting }]) => [provider, waiting.length]);
  }

  tryEnter(provider: string): ProviderPlace | null {
    const places = this.#limits.placesOf(provider);
    if (places === undefined) return { release: () => undefined };
    const line = this.#lineOf(provider);
    return line.active < places ? this.#take(line) : null;
  }

  async enter({ provider, rank, signal }: QueueAsk): Promise<QueueOutcome> {
    if (signal.aborted) return 'left';
    const place = this.tryEnter(provider);
    if (place !== null) return place;
    const line = this.#lineOf(provider);
    if (line.waiting.length >= this.#limits.maxWaiting) return 'busy';
    return this.#wait(line, rank, signal);
  }

  #lineOf(provider: string): Line {
    const line = this.#lines.get(provider) ?? { active: 0, waiting: [] };
    this.#lines.set(provider, line);
    return line;
  }

  #take(line: Line): ProviderPlace {
    line.active += 1;
    let held = true;
    return {
      release: () => {
        if (!held) return;
        held = false;
        line.active -= 1;
        // Pass the place to the next waiting request before a new one can take it.
        line.waiting.shift()?.admit(this.#take(line));
      },
    };
  }

  async #wait(line: Line, rank: number, signal: AbortSignal): Promise<QueueOutcome> {
    const { promise, resolve } = Promise.withResolvers<QueueOutcome>();
    const own: Waiting = { rank, admit: resolve };
    const before = line.waiting.findIndex((other) => other.rank < rank);
    line.waiting.splice(before < 0 ? line.waiting.length : before, 0, own);
    const leave = (outcome: 'busy' | 'left') => (): void => {
      const at = line.waiting.indexOf(own);
      if (at < 0) return;
      line.waiting.splice(at, 1);
      resolve(outcome);
    };
    const left = leave('left');
    const timer = setTimeout(leave('busy'), this.#limits.waitMs);
    signal.addEventListener('abort', left, { once: true });
    const outcome = await promise;
    clearTimeout(timer);
    signal.removeEventListener('abort', left);
    return outcome;
  }
}
