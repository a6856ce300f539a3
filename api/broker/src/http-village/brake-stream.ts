import { setTimeout as delay } from 'node:timers/promises';
import { openBrokerStream, type createClient, type EgressCurrent } from '@hamlet/contract/broker';
import type { Stops } from '../stops.ts';
import type { Admission } from '../village.ts';

/** A connection counts as dead after this silence. The API sends a heartbeat every 5 s. */
const SILENCE_MS = 12_000;
/** Milliseconds after the loss of the stream until all open connections end, because the broker may have missed a brake. */
const CUT_AFTER_MS = 10_000;
const RETRY_MS = 500;

interface BrakeStreamOptions {
  readonly client: ReturnType<typeof createClient>;
  readonly onError: (error: unknown) => void;
  readonly stops: Stops;
}

type Life = Pick<EgressCurrent, 'cycle' | 'version'>;

const same = (a: Life, b: Life): boolean => a.cycle === b.cycle && a.version === b.version;

/** Follows the API's stream of brakes: the agents whose connections must end. */
export class BrakeStream {
  readonly #options: BrakeStreamOptions;
  readonly #listeners = new Set<(uid: string, isBraked: boolean) => void>();
  readonly #ending = new AbortController();
  /** The last admission of each life that may have open connections. */
  readonly #admitted = new Map<string, Life>();
  #current = new Map<string, Life>();
  #isCut = true;
  #cutTimer: NodeJS.Timeout | undefined;
  #isLost = false;
  #running: Promise<void> | undefined;

  constructor(options: BrakeStreamOptions) {
    this.#options = options;
  }

  /** True until the stream has sent its whole state, and again once it has been down for CUT_AFTER_MS. */
  get isCut(): boolean {
    return this.#isCut;
  }

  start(): void {
    this.#running ??= this.#run();
  }

  async stop(): Promise<void> {
    this.#ending.abort();
    clearTimeout(this.#cutTimer);
    await this.#running;
  }

  onStopped(listener: (uid: string, isBraked: boolean) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  admitted({ uid, cycle, policy }: Admission): void {
    this.#admitted.set(uid, { cycle, version: policy.version });
  }

  /** True if the stream has reported a newer cycle or other rules than those of the admission. */
  isStale({ uid, cycle, policy }: Admission): boolean {
    const known = this.#current.get(uid);
    return known !== undefined && !same(known, { cycle, version: policy.version });
  }

  async #run(): Promise<void> {
    const { signal } = this.#ending;
    while (!signal.aborted) {
      await this.#follow(signal).catch((error: unknown) => {
        if (!signal.aborted && !this.#isLost) this.#options.onError(error);
      });
      this.#lost();
      await delay(RETRY_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  /** Reads one stream to its end. The stream begins with the present state of all agents. */
  async #follow(signal: AbortSignal): Promise<void> {
    const silence = new AbortController();
    const late = setTimeout(() => silence.abort(new Error('the stream is silent')), SILENCE_MS);
    const seen = new Set<string>();
    this.#current = new Map();
    try {
      const input = { signal: AbortSignal.any([signal, silence.signal]), onBytes: () => void late.refresh() };
      for await (const { event, data } of this.#options.client.open(openBrokerStream, input)) {
        if (event !== 'synced') seen.add(data.uid);
        if (event === 'stopped') this.#brake(data.uid);
        else if (event === 'current') this.#learn(data);
        else this.#synced(seen);
      }
    } finally {
      clearTimeout(late);
    }
  }

  #learn({ uid, cycle, version }: EgressCurrent): void {
    const admitted = this.#admitted.get(uid);
    this.#current.set(uid, { cycle, version });
    if (admitted !== undefined && !same(admitted, { cycle, version })) this.#stop(uid, false);
  }

  /** Called once the stream has sent the whole state: a life without a report has ended. */
  #synced(seen: ReadonlySet<string>): void {
    clearTimeout(this.#cutTimer);
    this.#cutTimer = undefined;
    this.#isLost = false;
    this.#isCut = false;
    this.#options.stops.noteOthers(seen);
    for (const uid of this.#admitted.keys()) if (!seen.has(uid)) this.#stop(uid, true);
  }

  #lost(): void {
    this.#isLost = true;
    if (this.#isCut || this.#ending.signal.aborted) return;
    this.#cutTimer ??= setTimeout(() => {
      this.#isCut = true;
      for (const uid of this.#admitted.keys()) this.#stop(uid, false);
    }, CUT_AFTER_MS);
  }

  #brake(uid: string): void {
    this.#options.stops.note(uid);
    this.#stop(uid, true);
  }

  #stop(uid: string, isBraked: boolean): void {
    this.#admitted.delete(uid);
    for (const listener of this.#listeners) listener(uid, isBraked);
  }
}
