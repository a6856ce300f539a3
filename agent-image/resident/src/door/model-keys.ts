import { randomBytes } from 'node:crypto';
import type { BookedRun, RunBook } from '../engine/run-book.ts';

/** The address of the door in the pod, whose containers share one network. */
export const DOOR_HOST = '127.0.0.1';

const KEY_BYTES = 32;
/** Maximum number of keys of one pod. Beyond it, the oldest key is forgotten. */
const KEYS_MAX = 4_096;

/** The work that a key pays from. `lease`: the attempt of the run that started the program. */
export interface KeyHolder {
  readonly run: string;
  readonly call: string;
  readonly lease: number;
}

/** A key that a program has. `lease`: null for a stand-in, whose key follows the runs that it serves. */
interface GivenKey {
  readonly run: string;
  readonly call: string;
  readonly lease: number | null;
}

/**
 * The keys with which programs of the pod use models. A key is valid while its run has the lease under which the program
 * started; that of a program of a conversation, while it serves a run. Keys live in this process alone, and a new process knows none
 * of the earlier ones. Mutable: keys come and go.
 */
export class ModelKeys {
  readonly #book: Pick<RunBook, 'find' | 'isStandIn'>;
  readonly #given = new Map<string, GivenKey>();
  #port: number | null = null;

  constructor(book: Pick<RunBook, 'find' | 'isStandIn'>) {
    this.#book = book;
  }

  /** Programs get keys once the door has opened. */
  openedAt(port: number): void {
    this.#port = port;
  }

  /** Variables with a new key for a program; none if its run has no model. */
  environmentOf({ run, call }: Pick<KeyHolder, 'run' | 'call'>): Readonly<Record<string, string>> {
    const booked = this.#book.find(run);
    if (this.#port === null || booked === undefined || booked.model === null) return {};
    const key = randomBytes(KEY_BYTES).toString('base64url');
    this.#forgetEnded();
    this.#given.set(key, { run, call, lease: this.#book.isStandIn(run) ? null : booked.lease.attempt });
    return variablesOf({ key, port: this.#port }, booked.model);
  }

  /** The holder of a key that is valid now, or null. */
  holderOf(key: string): KeyHolder | null {
    const given = this.#given.get(key);
    const booked = given === undefined ? undefined : this.#bookedOf(given);
    if (given === undefined || booked === undefined) return null;
    return { run: booked.runId, call: given.call, lease: booked.lease.attempt };
  }

  /** Revokes the keys of a program. */
  end({ run, call }: Pick<KeyHolder, 'run' | 'call'>): void {
    for (const [key, given] of this.#given) if (given.run === run && given.call === call) this.#given.delete(key);
  }

  #bookedOf({ run, lease }: GivenKey): BookedRun | undefined {
    const booked = this.#book.find(run);
    return lease === null || booked?.lease.attempt === lease ? booked : undefined;
  }

  #forgetEnded(): void {
    for (const [key, given] of this.#given)
      if (!this.#book.isStandIn(given.run) && this.#bookedOf(given) === undefined) this.#given.delete(key);
    const [oldest] = this.#given.keys();
    if (this.#given.size >= KEYS_MAX && oldest !== undefined) this.#given.delete(oldest);
  }
}

export const MODEL_VARIABLES: ReadonlySet<string> = new Set(
  Object.keys(variablesOf({ key: '', port: 0 }, { name: '', contextTokens: 0 })),
);

/** The variables that programs of OpenAI's and Anthropic's formats read. Anthropic's clients add `/v1` themselves. */
function variablesOf(
  { key, port }: { readonly key: string; readonly port: number },
  { name, contextTokens }: { readonly name: string; readonly contextTokens: number | null },
): Record<string, string> {
  const origin = `http://${DOOR_HOST}:${String(port)}`;
  return {
    OPENAI_BASE_URL: `${origin}/v1`,
    OPENAI_API_KEY: key,
    ANTHROPIC_BASE_URL: origin,
    ANTHROPIC_AUTH_TOKEN: key,
    ANTHROPIC_MODEL: name,
    HAMLET_MODEL: name,
    ...(contextTokens === null ? {} : { HAMLET_MODEL_CONTEXT: String(contextTokens) }),
  };
}
