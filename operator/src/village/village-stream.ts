import type {
  Boost,
  CapabilitySummary,
  Client,
  ComputeClaim,
  NodeShortage,
  Presence,
  ScheduleActivity,
  Standing,
  VillageState,
} from '@hamlet/contract';
import { openInternalStream } from '@hamlet/contract/operator';
import { backoffMs, pause } from '@hamlet/kube';
import type { ApiFacts, KnownClaim, RunFacts } from './api-state.ts';
import type { ClaimMemory } from './village-client.ts';

/** A connection counts as dead after this silence. The api sends a heartbeat every 5 s. */
const SILENCE_MS = 20_000;
const RETRY = { firstMs: 250, maxMs: 5_000 } as const;

/** The callbacks receive the agent or the Schedule whose state may have changed. */
interface VillageStreamOptions {
  readonly client: Client;
  readonly onStanding: (agentId: string) => void;
  readonly onPresence: (agentId: string) => void;
  readonly onBoost?: (agentId: string) => void;
  readonly onCapabilities?: (agentId: string) => void;
  readonly onSchedule?: (scheduleUid: string) => void;
  readonly onClaim?: (agentId: string) => void;
  /** Called when a freeze of the village begins or ends. Only the api enforces a freeze; the operator logs it. */
  readonly onVillage?: (village: VillageState) => void;
  readonly onShortage?: (node: string) => void;
  /** Called when the api becomes reachable or unreachable, and when the whole state was read for the first time. */
  readonly onReachable: (reachable: boolean) => void;
  readonly onError: (error: unknown) => void;
  readonly random?: () => number;
}

type Event = typeof openInternalStream.answer.events;
type Data<K extends keyof Event> = ReturnType<Event[K]['parse']>;
type Message = { readonly [K in keyof Event]: { readonly event: K; readonly data: Data<K> } }[keyof Event];

/** Facts by key. Each has the generation of the stream that reported it: a `reset` begins the next generation. */
class GenerationMap<T> {
  readonly #facts = new Map<string, { readonly value: T; readonly generation: number }>();
  readonly #onDropped: (key: string) => void;

  constructor(onDropped: (key: string) => void) {
    this.#onDropped = onDropped;
  }

  get(key: string, since = 0): T | undefined {
    const fact = this.#facts.get(key);
    return fact === undefined || fact.generation < since ? undefined : fact.value;
  }

  set(key: string, value: T, generation: number): void {
    this.#facts.set(key, { value, generation });
  }

  /** Drops facts that no stream has reported since `generation`. */
  dropOlderThan(generation: number): void {
    const old = [...this.#facts].flatMap(([key, fact]) => (fact.generation < generation ? [key] : []));
    for (const key of old) this.#facts.delete(key);
    for (const key of old) this.#onDropped(key);
  }
}

/** Follows the api's stream until `stop`, and keeps the last state while the api does not answer. */
export class VillageStream implements ApiFacts, RunFacts, ClaimMemory {
  readonly #options: VillageStreamOptions;
  readonly #standings: GenerationMap<Standing>;
  readonly #presences: GenerationMap<Presence>;
  readonly #boosts: GenerationMap<Boost>;
  readonly #capabilities: GenerationMap<CapabilitySummary>;
  readonly #schedules: GenerationMap<ScheduleActivity>;
  readonly #claims: GenerationMap<KnownClaim>;
  readonly #shortages: GenerationMap<NodeShortage>;
  readonly #stopping = new AbortController();
  /** Aborts only the open stream, so that the next one starts from the beginning. */
  #restarting = new AbortController();
  #running: Promise<void> | undefined;
  #after: string | undefined;
  #reachable = false;
  #synced = false;
  #generation = 0;
  #failures = 0;

  constructor(options: VillageStreamOptions) {
    this.#options = options;
    this.#standings = new GenerationMap(options.onStanding);
    this.#presences = new GenerationMap(options.onPresence);
    this.#boosts = new GenerationMap((agentId) => options.onBoost?.(agentId));
    this.#capabilities = new GenerationMap((agentId) => options.onCapabilities?.(agentId));
    this.#schedules = new GenerationMap((uid) => options.onSchedule?.(uid));
    this.#shortages = new GenerationMap((node) => options.onShortage?.(node));
    this.#claims = new GenerationMap((agentId) => options.onClaim?.(agentId));
  }

  get reachable(): boolean {
    return this.#reachable;
  }

  /** True once the whole state was read. An agent without a reported standing is then in good standing. */
  get synced(): boolean {
    return this.#synced;
  }

  readonly standingOf = (agentId: string): Standing | undefined => this.#standings.get(agentId);
  readonly presenceOf = (agentId: string): Presence | undefined => this.#presences.get(agentId);
  readonly boostOf = (agentId: string): Boost | undefined => this.#boosts.get(agentId);
  readonly capabilitiesOf = (agentId: string): CapabilitySummary | undefined => this.#capabilities.get(agentId);
  readonly scheduleOf = (scheduleUid: string): ScheduleActivity | undefined => this.#schedules.get(scheduleUid);
  readonly claimOf = (agentId: string): KnownClaim | undefined => this.#claims.get(agentId);

  readonly shortageOf = (node: string): NodeShortage | undefined => this.#shortages.get(node);

  /** Stores a claim, unless a newer version of the same stream is known. */
  learnClaim(claim: ComputeClaim, askedMs?: number): void {
    const { agent_id: agentId, version } = claim;
    const known = this.#claims.get(agentId, this.#generation);
    if (known !== undefined && (known.version > version || (known.version === version && known.givenUp === true)))
      return;
    this.#claims.set(agentId, { ...claim, askedMs: askedMs ?? known?.askedMs }, this.#generation);
    this.#options.onClaim?.(agentId);
  }

  giveUpClaim(agentId: string, version: number): void {
    const known = this.#claims.get(agentId);
    if (known !== undefined && known.version <= version)
      this.#claims.set(agentId, { ...known, givenUp: true }, this.#generation);
  }

  start(): void {
    this.#running ??= this.#run();
  }

  /** Opens the stream from the beginning, so that the api sends the whole state. The known state stays until then. */
  startOver(): void {
    this.#restarting.abort(new Error('the stream starts over'));
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      await this.#follow().catch((error: unknown) => {
        // Report one error for each outage, not for each attempt.
        if (!signal.aborted && !this.#restarting.signal.aborted && this.#failures === 0) this.#options.onError(error);
      });
      if (this.#restarting.signal.aborted) {
        this.#restarting = new AbortController();
        this.#after = undefined;
        continue;
      }
      this.#setReachable(false);
      this.#failures += 1;
      await pause(backoffMs(this.#failures, RETRY, (this.#options.random ?? Math.random)()), signal);
    }
  }

  async #follow(): Promise<void> {
    const silence = new AbortController();
    const timer = setTimeout(
      () => silence.abort(new Error(`the api sent nothing for ${SILENCE_MS / 1_000} s`)),
      SILENCE_MS,
    );
    // If the last stream broke before `synced`, its state was incomplete: start from the beginning.
    const query = this.#after === undefined || !this.#synced ? {} : { after: this.#after };
    const onBytes = (): void => this.#onBytes(timer);
    try {
      const signal = AbortSignal.any([this.#stopping.signal, silence.signal, this.#restarting.signal]);
      for await (const message of this.#options.client.open(openInternalStream, { query, signal, onBytes })) {
        if (message.id !== null) this.#after = message.id;
        this.#take(message);
      }
    } finally {
      clearTimeout(timer);
    }
  }

  #onBytes(timer: NodeJS.Timeout): void {
    timer.refresh();
    this.#failures = 0;
    this.#setReachable(true);
  }

  #take(message: Message): void {
    switch (message.event) {
      case 'reset':
        // The api sends the whole state next, up to `synced`. The older state stays until then.
        this.#generation += 1;
        return;
      case 'synced':
        return this.#sync();
      case 'village':
        return this.#options.onVillage?.(message.data);
      case 'shortage':
        return this.#takeShortage(message.data);
      default:
        return this.#takeFact(message);
    }
  }

  #takeShortage(shortage: NodeShortage): void {
    this.#shortages.set(shortage.node, shortage, this.#generation);
    this.#options.onShortage?.(shortage.node);
  }

  #takeFact({ event, data }: Exclude<Message, { readonly event: 'reset' | 'synced' | 'village' | 'shortage' }>): void {
    switch (event) {
      case 'standing':
        this.#standings.set(data.agent_id, data, this.#generation);
        return this.#options.onStanding(data.agent_id);
      case 'presence':
        this.#presences.set(data.agent_id, data, this.#generation);
        return this.#options.onPresence(data.agent_id);
      case 'schedule':
        this.#schedules.set(data.schedule_uid, data, this.#generation);
        return this.#options.onSchedule?.(data.schedule_uid);
      case 'boost':
        this.#boosts.set(data.agent_id, data, this.#generation);
        return this.#options.onBoost?.(data.agent_id);
      case 'capabilities':
        this.#capabilities.set(data.agent_id, data, this.#generation);
        return this.#options.onCapabilities?.(data.agent_id);
      case 'claim':
        return this.learnClaim(data);
      default:
        return event satisfies never;
    }
  }

  #sync(): void {
    const ofAgents = [this.#standings, this.#presences, this.#boosts, this.#capabilities, this.#claims];
    for (const facts of [...ofAgents, this.#schedules, this.#shortages]) facts.dropOlderThan(this.#generation);
    if (this.#synced) return;
    this.#synced = true;
    this.#options.onReachable(true);
  }

  #setReachable(reachable: boolean): void {
    if (this.#reachable === reachable) return;
    this.#reachable = reachable;
    // Before the whole state is known, reachability alone changes nothing.
    if (this.#synced) this.#options.onReachable(reachable);
  }
}
