import type { EgressDenial } from '@hamlet/core/egress';
import type { HostAsk } from '../village.ts';

/** How long a refusal is repeated without another question to the API, which asks a database. */
const KEPT_MS = 5_000;
const KEPT_MAX = 10_000;

const keyOf = ({ admission, run, destination: { host, port } }: HostAsk): string =>
  JSON.stringify([admission.uid, admission.policy.version, run, host, port]);

/** Newest refusals of hosts: a program may try a closed host a hundred times a second. Mutable. */
export class RefusedHosts {
  readonly #now: () => number;
  readonly #refusals = new Map<string, { readonly denial: EgressDenial; readonly untilMs: number }>();

  constructor(now: () => number) {
    this.#now = now;
  }

  of(ask: HostAsk): EgressDenial | null {
    const kept = this.#refusals.get(keyOf(ask));
    return kept !== undefined && kept.untilMs > this.#now() ? kept.denial : null;
  }

  /** Only the answer of a person holds for the run; any other refusal may end at once, for example with a freeze. */
  note(ask: HostAsk, denial: EgressDenial): void {
    if (denial.code !== 'egress_person_denied') return;
    const key = keyOf(ask);
    this.#refusals.delete(key);
    this.#refusals.set(key, { denial, untilMs: this.#now() + KEPT_MS });
    const [oldest] = this.#refusals.keys();
    if (this.#refusals.size > KEPT_MAX && oldest !== undefined) this.#refusals.delete(oldest);
  }
}
