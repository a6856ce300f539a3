import type { EgressSecret, EgressSecrets } from './egress-secrets.ts';

/** Maximum time for which a secret is used after its owner changes or removes it. */
const KEPT_MS = 5_000;
const KEPT_MAX = 500;

export class KeptSecrets implements EgressSecrets {
  readonly #from: EgressSecrets;
  readonly #monotonicMs: () => number;
  readonly #kept = new Map<string, { readonly secret: Promise<EgressSecret | null>; readonly untilMs: number }>();

  constructor({ from, monotonicMs }: { readonly from: EgressSecrets; readonly monotonicMs: () => number }) {
    this.#from = from;
    this.#monotonicMs = monotonicMs;
  }

  read(name: string): Promise<EgressSecret | null> {
    const nowMs = this.#monotonicMs();
    const known = this.#kept.get(name);
    if (known !== undefined && known.untilMs > nowMs) return known.secret;
    const read = { secret: this.#from.read(name), untilMs: nowMs + KEPT_MS };
    this.#kept.delete(name);
    this.#kept.set(name, read);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > KEPT_MAX && oldest !== undefined) this.#kept.delete(oldest);
    read.secret.catch(() => {
      if (this.#kept.get(name) === read) this.#kept.delete(name);
    });
    return read.secret;
  }

  forget(): void {
    this.#kept.clear();
  }
}
