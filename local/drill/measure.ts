/** How long a brake takes: from the click until the last effect that is seen afterwards. */
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';

/** Something that recurs while no brake is on. */
export interface Effect {
  readonly name: string;
  /** Returns a mark that changes each time the effect happens. */
  look(): Promise<string> | string;
}

/** A brake that is ready to be pulled, while its effects happen. */
interface Armed {
  readonly effects: readonly Effect[];
  pull(): Promise<unknown>;
  /** Undoes the pull and ends what `arm` began. It also runs after a failure. */
  release(): Promise<unknown>;
}

export interface Brake {
  readonly name: string;
  arm(): Promise<Armed>;
}

/** All in milliseconds. */
export interface Limits {
  /** Maximum time until all effects have begun. */
  readonly flowMs: number;
  /** The brake holds after this time without an effect. */
  readonly quietMs: number;
  /** The brake has failed if effects still happen this long after the click. */
  readonly giveUpMs: number;
  readonly pauseMs: number;
}
export const LIMITS: Limits = { flowMs: 120_000, quietMs: 3_000, giveUpMs: 20_000, pauseMs: 40 };

export interface Trial {
  /** Time from the click to the last effect; 0 if none was seen after the click. */
  readonly lastEffectMs: number;
  readonly held: boolean;
}

/**
 * Looks at an effect until `stop`. The time of a change is that of the look that saw it, so it is at most one look and
 * one pause late.
 */
function watch(effect: Effect, pauseMs: number) {
  const times: number[] = [];
  let [running, failure]: [boolean, unknown] = [true, undefined];
  let lookedMs = -Infinity;
  const done = (async () => {
    let last = await effect.look();
    while (running) {
      await sleep(pauseMs);
      const beganMs = performance.now();
      const mark = await effect.look();
      if (mark !== last) times.push(performance.now());
      [last, lookedMs] = [mark, beganMs];
    }
  })().catch((error: unknown) => void (failure = error));
  return {
    name: effect.name,
    last: () => times.at(-1) ?? -Infinity,
    /** The time at which the newest answered look began. */
    looked: () => lookedMs,
    /** True after three changes within `ms`: only then does a silence of `ms` mean something. */
    flows: (ms: number) => (times.at(-1) ?? Infinity) - (times.at(-3) ?? -Infinity) < ms,
    check: () => {
      if (failure !== undefined) throw failure;
    },
    stop: async () => {
      running = false;
      await done;
    },
  };
}
type Watch = ReturnType<typeof watch>;

async function untilFlows(watches: readonly Watch[], { flowMs, quietMs, pauseMs }: Limits): Promise<void> {
  const giveUpMs = performance.now() + flowMs;
  for (;;) {
    for (const each of watches) each.check();
    const missing = watches.filter((each) => !each.flows(quietMs));
    if (missing.length === 0) return;
    if (performance.now() > giveUpMs)
      throw new Error(`these effects were not steady before the click: ${missing.map(({ name }) => name).join(', ')}`);
    await sleep(pauseMs);
  }
}

/** Pulls an armed brake once, and releases it. Throws if its effects do not flow before the click. */
export async function tryBrake({ effects, pull, release }: Armed, limits: Limits = LIMITS): Promise<Trial> {
  const watches = effects.map((effect) => watch(effect, limits.pauseMs));
  const lastMs = (): number => Math.max(...watches.map((each) => each.last()));
  try {
    await untilFlows(watches, limits);
    const clickMs = performance.now();
    await pull();
    const answeredMs = performance.now();
    // Only answered looks prove a silence: a village that stalls after the click answers none.
    const lookedMs = (): number => Math.min(...watches.map((each) => each.looked()));
    const isQuiet = (): boolean => lookedMs() - Math.max(lastMs(), answeredMs) >= limits.quietMs;
    while (!isQuiet() && performance.now() - clickMs < limits.giveUpMs) {
      await sleep(limits.pauseMs);
      for (const each of watches) each.check();
    }
    return { lastEffectMs: Math.max(0, Math.round(lastMs() - clickMs)), held: isQuiet() };
  } finally {
    for (const each of watches) await each.stop();
    await release();
  }
}
