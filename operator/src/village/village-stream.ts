import { openInternalStream, type Client } from '@hamlet/contract';
import { pause } from '@hamlet/kube';
import type { VillageFacts } from '../kinds/agent/observe.ts';
import type { Presence, Standing } from '../kinds/agent/views.ts';

/** Heartbeats come every 5 s: this silence means that the connection is dead. */
const SILENCE_MS = 20_000;
const MIN_RETRY_MS = 250;
const MAX_RETRY_MS = 5_000;
/** After a reset, what the api does not say again within this time is forgotten. */
const RESET_GRACE_MS = 2_000;

export interface VillageStreamOptions {
  readonly client: Client;
  /** An agent's standing or presence has changed, or may have. */
  readonly onChange: (agentId: string) => void;
  /** The api answers again, or no more. */
  readonly onReachable: (reachable: boolean) => void;
  readonly onError: (error: unknown) => void;
  readonly random?: () => number;
}

interface Facts {
  standing?: Standing;
  presence?: Presence;
  /** The stream in which it was said; what an older one said is dropped after a reset. */
  generation: number;
}

type Message =
  | { readonly event: 'reset' }
  | { readonly event: 'synced' }
  | { readonly event: 'schedule' }
  | { readonly event: 'standing'; readonly data: { readonly agent_id: string; readonly quarantined: boolean; readonly frozen: boolean; readonly balance_tier: string | null } }
  | { readonly event: 'presence'; readonly data: { readonly agent_id: string; readonly uid: string; readonly cycle: number; readonly connected: boolean; readonly last_seen: string } };

/** Follows the api's stream of standing and presence for ever, and keeps what it said last while it is away. */
export class VillageStream implements VillageFacts {
  readonly #options: VillageStreamOptions;
  readonly #facts = new Map<string, Facts>();
  readonly #stopping = new AbortController();
  #running: Promise<void> | undefined;
  #after: string | undefined;
  #reachable = false;
  #generation = 0;
  #failures = 0;

  constructor(options: VillageStreamOptions) {
    this.#options = options;
  }

  get reachable(): boolean {
    return this.#reachable;
  }

  standingOf(agentId: string): Standing | undefined {
    return this.#facts.get(agentId)?.standing;
  }

  presenceOf(agentId: string): Presence | undefined {
    return this.#facts.get(agentId)?.presence;
  }

  start(): void {
    this.#running ??= this.#run();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      await this.#follow().catch((error: unknown) => {
        // Once for each outage, not once for each attempt.
        if (!signal.aborted && this.#failures === 0) this.#options.onError(error);
      });
      this.#setReachable(false);
      this.#failures += 1;
      const ceilingMs = Math.min(MAX_RETRY_MS, MIN_RETRY_MS * 2 ** Math.min(this.#failures - 1, 10));
      await pause(ceilingMs * (0.5 + (this.#options.random ?? Math.random)() / 2), signal);
    }
  }

  async #follow(): Promise<void> {
    const silence = new AbortController();
    const timer = setTimeout(() => silence.abort(new Error(`the api was silent for ${SILENCE_MS} ms`)), SILENCE_MS);
    const query = this.#after === undefined ? {} : { after: this.#after };
    const onBytes = (): void => this.#heard(timer);
    try {
      const signal = AbortSignal.any([this.#stopping.signal, silence.signal]);
      for await (const message of this.#options.client.open(openInternalStream, { query, signal, onBytes })) {
        if (message.id !== null) this.#after = message.id;
        this.#take(message);
      }
    } finally {
      clearTimeout(timer);
    }
  }

  #heard(timer: NodeJS.Timeout): void {
    timer.refresh();
    this.#failures = 0;
    this.#setReachable(true);
  }

  #take(message: Message): void {
    if (message.event === 'reset') return this.#reset();
    if (message.event === 'synced' || message.event === 'schedule') return;
    const { agent_id: agentId } = message.data;
    const facts = this.#facts.get(agentId) ?? { generation: this.#generation };
    facts.generation = this.#generation;
    if (message.event === 'standing') facts.standing = standingOf(message.data);
    else facts.presence = presenceOf(message.data);
    this.#facts.set(agentId, facts);
    this.#options.onChange(agentId);
  }

  #reset(): void {
    this.#generation += 1;
    const current = this.#generation;
    setTimeout(() => this.#dropOlderThan(current), RESET_GRACE_MS).unref();
  }

  #dropOlderThan(generation: number): void {
    for (const [agentId, facts] of this.#facts) {
      if (facts.generation >= generation) continue;
      this.#facts.delete(agentId);
      this.#options.onChange(agentId);
    }
  }

  #setReachable(reachable: boolean): void {
    if (this.#reachable === reachable) return;
    this.#reachable = reachable;
    this.#options.onReachable(reachable);
  }
}

function standingOf(data: Extract<Message, { event: 'standing' }>['data']): Standing {
  return { quarantined: data.quarantined, frozen: data.frozen, balanceTier: data.balance_tier ?? undefined };
}

function presenceOf(data: Extract<Message, { event: 'presence' }>['data']): Presence {
  return { uid: data.uid, cycle: data.cycle, connected: data.connected, lastSeen: data.last_seen };
}
