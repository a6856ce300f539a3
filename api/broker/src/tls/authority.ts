import type { SecureContext } from 'node:tls';
import { createPrivateKey, X509Certificate } from 'node:crypto';
import type { Issuer } from './issuer.ts';

const DAY_MS = 86_400_000;
/** A host's certificate is valid for a week and is renewed after a day. */
const RENEW_MS = DAY_MS;
const MAX_LEAVES = 1000;

export interface AuthorityFiles {
  readonly certificate: string;
  /** PEM, with a P-256 key. */
  readonly key: string;
}

interface Leaf {
  readonly context: Promise<SecureContext>;
  readonly renewAt: number;
}

/**
 * Issues certificates, signed by the village's authority, for the hosts whose requests the broker reads. It loads the
 * certificate library with the first of them, because that takes 20 MB.
 */
export class Authority {
  readonly #files: AuthorityFiles;
  readonly #now: () => number;
  readonly #leaves = new Map<string, Leaf>();
  #issuer: Promise<Issuer> | undefined;
  readonly ends: number;

  /** Throws if certificate or key are malformed or do not match. */
  constructor(files: AuthorityFiles, now: () => number) {
    const certificate = new X509Certificate(files.certificate);
    if (!certificate.checkPrivateKey(createPrivateKey(files.key)))
      throw new Error(
        "the authority's key does not match its certificate; empty the Secret of the authority to create a new one",
      );
    this.#files = files;
    this.#now = now;
    this.ends = certificate.validToDate.getTime();
  }

  context(host: string): Promise<SecureContext> {
    const known = this.#leaves.get(host);
    if (known !== undefined && known.renewAt > this.#now()) return known.context;
    const leaf = { context: this.#issue(host), renewAt: this.#now() + RENEW_MS };
    this.#leaves.delete(host);
    this.#leaves.set(host, leaf);
    leaf.context.catch(() => this.#leaves.delete(host));
    const oldest = this.#leaves.keys().next().value;
    if (this.#leaves.size > MAX_LEAVES && oldest !== undefined) this.#leaves.delete(oldest);
    return leaf.context;
  }

  async #issue(host: string): Promise<SecureContext> {
    this.#issuer ??= import('./issuer.ts')
      .then(({ Issuer: Loaded }) => Loaded.open(this.#files))
      .catch((error: unknown) => {
        // The load may have failed only because many connections used up the open files of the process for a while.
        this.#issuer = undefined;
        throw error;
      });
    return (await this.#issuer).issue(host, this.#now());
  }
}
