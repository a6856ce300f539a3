import { randomBytes } from 'node:crypto';
import type { RunBook } from '../engine/run-book.ts';

/** The address of the door in the pod, whose containers share one network. */
export const DOOR_HOST = '127.0.0.1';

const KEY_BYTES = 32;
/** Keys of one pod. Beyond it, the oldest key is forgotten. */
const KEYS_MAX = 4_096;

/** The work that a key pays from. `lease`: the attempt of the run that started the program. */
export interface KeyHolder {
  readonly run: string;
  readonly call: string;
  readonly lease: number;
}

/**
 * The keys with which programs of the pod use models. A key is valid while its run has the lease under which the program
 * started. Keys live in this process alone, and a new process knows none of the earlier ones. Mutable: keys come and go.
 */
export class ModelKeys {
  readonly #book: Pick<RunBook, 'find'>;
  readonly #holders = new Map<string, KeyHolder>();
  #port: number | null = null;

  constructor(book: Pick<RunBook, 'find'>) {
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
    this.#holders.set(key, { run, call, lease: booked.lease.attempt });
    return variablesOf({ key, port: this.#port }, booked.model);
  }

  /** The holder of a key that is valid now, or null. */
  holderOf(key: string): KeyHolder | null {
    const holder = this.#holders.get(key);
    return holder !== undefined && this.#isValid(holder) ? holder : null;
  }

  /** Makes the keys of a program worthless. */
  end({ run, call }: Pick<KeyHolder, 'run' | 'call'>): void {
    for (const [key, holder] of this.#holders)
      if (holder.run === run && holder.call === call) this.#holders.delete(key);
  }

  #isValid({ run, lease }: KeyHolder): boolean {
    return this.#book.find(run)?.lease.attempt === lease;
  }

  #forgetEnded(): void {
    for (const [key, holder] of this.#holders) if (!this.#isValid(holder)) this.#holders.delete(key);
    const [oldest] = this.#holders.keys();
    if (this.#holders.size >= KEYS_MAX && oldest !== undefined) this.#holders.delete(oldest);
  }
}

/** The variables that the door sets. */
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
