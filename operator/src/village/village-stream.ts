import type { Client, ComputeClaim } from '@hamlet/contract';
import { openInternalStream } from '@hamlet/contract/operator';
import { pause } from '@hamlet/kube';
import type { VillageFacts } from '../kinds/agent/observe.ts';
import type { Boost, HoldFacts, Presence, Standing } from '../kinds/agent/views.ts';
import type { ScheduleFacts } from '../kinds/schedule/observe.ts';
import type { HoldMemory } from './hold-client.ts';
import { boostFacts, presenceFacts, scheduleFacts, standingFacts } from './facts.ts';
import { holdFacts } from './hold-facts.ts';

/** Heartbeats come every 5 s: this silence means that the connection is dead. */
const SILENCE_MS = 20_000;
const MIN_RETRY_MS = 250;
const MAX_RETRY_MS = 5_000;

export interface VillageStreamOptions {
  readonly client: Client;
  /** An agent's standing has changed, or may have. */
  readonly onStanding: (agentId: string) => void;
  /** An agent has come or gone, or may have. */
  readonly onPresence: (agentId: string) => void;
  /** What an agent has bought has changed, or may have. */
  readonly onBoost?: (agentId: string) => void;
  /** How the runs of a Schedule stand has changed, or may have. */
  readonly onSchedule?: (scheduleUid: string) => void;
  /** What is set aside for an agent has changed, or may have. */
  readonly onHold?: (agentId: string) => void;
  /** Whether the village is frozen. The api alone refuses what a freeze stops: this is for the operator's log. */
  readonly onVillage?: (village: Data<'village'>) => void;
  /** The api answers again, or no more; or all that holds has been heard for the first time. */
  readonly onReachable: (reachable: boolean) => void;
  readonly onError: (error: unknown) => void;
  readonly random?: () => number;
}

type Event = typeof openInternalStream.answer.events;
type Data<K extends keyof Event> = ReturnType<Event[K]['parse']>;
type Message = { readonly [K in keyof Event]: { readonly event: K; readonly data: Data<K> } }[keyof Event];

/** What was said, by whom it is about, and in which stream: what an older one said is dropped when a newer is synced. */
class Said<T> {
  readonly #facts = new Map<string, { readonly value: T; readonly generation: number }>();

  /** @param since what was said in an older stream does not count */
  get(key: string, since = 0): T | undefined {
    const fact = this.#facts.get(key);
    return fact === undefined || fact.generation < since ? undefined : fact.value;
  }

  set(key: string, value: T, generation: number): void {
    this.#facts.set(key, { value, generation });
  }

  /** Forgets what no stream since `generation` has said; whom that was about. */
  dropOlderThan(generation: number): readonly string[] {
    const old = [...this.#facts].flatMap(([key, fact]) => (fact.generation < generation ? [key] : []));
    for (const key of old) this.#facts.delete(key);
    return old;
  }
}

/** Follows the api's stream of standing and presence for ever, and keeps what it said last while it is away. */
export class VillageStream implements VillageFacts, HoldMemory {
  readonly #options: VillageStreamOptions;
  readonly #standings = new Said<Standing>();
  readonly #presences = new Said<Presence>();
  readonly #schedules = new Said<ScheduleFacts>();
  readonly #boosts = new Said<Boost>();
  readonly #holds = new Said<HoldFacts>();
  readonly #stopping = new AbortController();
  /** Ends the stream that is open, and no more. */
  #restarting = new AbortController();
  #running: Promise<void> | undefined;
  #after: string | undefined;
  #reachable = false;
  #heard = false;
  #generation = 0;
  #failures = 0;

  constructor(options: VillageStreamOptions) {
    this.#options = options;
  }

  get reachable(): boolean {
    return this.#reachable;
  }

  /** All that holds has been heard once: who was not named since has nothing held against it. */
  get heard(): boolean {
    return this.#heard;
  }

  standingOf(agentId: string): Standing | undefined {
    return this.#standings.get(agentId);
  }

  presenceOf(agentId: string): Presence | undefined {
    return this.#presences.get(agentId);
  }

  boostOf(agentId: string): Boost | undefined {
    return this.#boosts.get(agentId);
  }

  scheduleOf(scheduleUid: string): ScheduleFacts | undefined {
    return this.#schedules.get(scheduleUid);
  }

  holdOf(agentId: string): HoldFacts | undefined {
    return this.#holds.get(agentId);
  }

  /** What the api says of a claim, by the stream or in an answer: within one stream, a newer version is not replaced by an older. */
  learnClaim(claim: ComputeClaim, askedMs?: number): void {
    const { agent_id: agentId, version } = claim;
    const known = this.#holds.get(agentId, this.#generation);
    if (known !== undefined && (known.version > version || (known.version === version && known.givenUp === true)))
      return;
    this.#holds.set(agentId, { ...holdFacts(claim), askedMs: askedMs ?? known?.askedMs }, this.#generation);
    this.#options.onHold?.(agentId);
  }

  giveUpHold(agentId: string, version: number): void {
    const known = this.#holds.get(agentId);
    if (known !== undefined && known.version <= version)
      this.#holds.set(agentId, { ...known, givenUp: true }, this.#generation);
  }

  start(): void {
    this.#running ??= this.#run();
  }

  /** Opens the stream again from the beginning, so that the api says all that holds; what is known stays until it has. */
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
        // Once for each outage, not once for each attempt.
        if (!signal.aborted && !this.#restarting.signal.aborted && this.#failures === 0) this.#options.onError(error);
      });
      if (this.#restarting.signal.aborted) {
        this.#restarting = new AbortController();
        this.#after = undefined;
        continue;
      }
      this.#setReachable(false);
      this.#failures += 1;
      const ceilingMs = Math.min(MAX_RETRY_MS, MIN_RETRY_MS * 2 ** Math.min(this.#failures - 1, 10));
      await pause(ceilingMs * (0.5 + (this.#options.random ?? Math.random)() / 2), signal);
    }
  }

  async #follow(): Promise<void> {
    const silence = new AbortController();
    const timer = setTimeout(() => silence.abort(new Error(`the api was silent for ${SILENCE_MS} ms`)), SILENCE_MS);
    // A stream that broke before it was synced has not said everything: it begins anew.
    const query = this.#after === undefined || !this.#heard ? {} : { after: this.#after };
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
        // What is said from here on until `synced` is all that holds; until then the old is kept.
        this.#generation += 1;
        return;
      case 'synced':
        return this.#sync();
      case 'village':
        return this.#options.onVillage?.(message.data);
      default:
        return this.#takeFact(message);
    }
  }

  #takeFact(message: Exclude<Message, { readonly event: 'reset' | 'synced' | 'village' }>): void {
    switch (message.event) {
      case 'standing':
        this.#standings.set(message.data.agent_id, standingFacts(message.data), this.#generation);
        return this.#options.onStanding(message.data.agent_id);
      case 'presence':
        this.#presences.set(message.data.agent_id, presenceFacts(message.data), this.#generation);
        return this.#options.onPresence(message.data.agent_id);
      case 'schedule':
        this.#schedules.set(message.data.schedule_uid, scheduleFacts(message.data), this.#generation);
        return this.#options.onSchedule?.(message.data.schedule_uid);
      case 'boost':
        this.#boosts.set(message.data.agent_id, boostFacts(message.data), this.#generation);
        return this.#options.onBoost?.(message.data.agent_id);
      case 'claim':
        return this.learnClaim(message.data);
      default:
        return message satisfies never;
    }
  }

  #sync(): void {
    for (const agentId of this.#standings.dropOlderThan(this.#generation)) this.#options.onStanding(agentId);
    for (const agentId of this.#presences.dropOlderThan(this.#generation)) this.#options.onPresence(agentId);
    for (const agentId of this.#boosts.dropOlderThan(this.#generation)) this.#options.onBoost?.(agentId);
    for (const uid of this.#schedules.dropOlderThan(this.#generation)) this.#options.onSchedule?.(uid);
    for (const agentId of this.#holds.dropOlderThan(this.#generation)) this.#options.onHold?.(agentId);
    if (this.#heard) return;
    this.#heard = true;
    this.#options.onReachable(true);
  }

  #setReachable(reachable: boolean): void {
    if (this.#reachable === reachable) return;
    this.#reachable = reachable;
    // Before everything was heard, an answer alone changes nothing.
    if (this.#heard) this.#options.onReachable(reachable);
  }
}
