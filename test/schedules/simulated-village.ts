/**
 * Schedules on a real API server and a real api with its Postgres, in a time that the test controls: for the api, a
 * clock that moves only on command replaces the database's clock.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { API_VERSION, type Schedule, type ScheduleSpec } from '@hamlet/contract/kinds';
import type { ScheduleActivity } from '@hamlet/contract';
import { keyOf, Reflector, type KubeClient, type KubeEvent } from '@hamlet/kube';
import { openDatabase, type Db } from '@hamlet/store';
import { testApiServer, type TestApiServer } from '@hamlet/test/env/api-server';
import { until } from '@hamlet/test/env/until';
import { sql } from 'kysely';
import { startTestVillage, TOKENS, type TestVillage } from '../../api/server/src/testing/test-village.ts';
import { fireThrough, type FiringResult, VillageTime } from '../../operator/src/kinds/schedule/fire.ts';
import { ScheduleReconciler } from '../../operator/src/kinds/schedule/reconcile.ts';
import { SCHEDULES } from '../../operator/src/objects/names.ts';
import { scheduleView, type ScheduleView } from '../../operator/src/kinds/schedule/cached-schedule.ts';
import { villageClient } from '../../operator/src/village/village-client.ts';

/** The api searches this schema for functions before Postgres's own. */
const SEARCH_PATH = 'sim,pg_catalog,public';
/**
 * Factor by which status writes are slower than the time of the simulation. A status only reports past decisions; a
 * new leader also relies on the newest slot by the api.
 */
const STATUS_PACE = 12;
/** Checks of several leaders within this time happen at once. */
const TOGETHER_MS = 100;
/** A process whose lease was stolen continues for this long before its elector notices: longer than a slot. */
const ELECTOR_LATE_MS = 8_000;
const AGENT = { metadata: { name: 'ada', namespace: '', uid: 'uid-ada', resourceVersion: '1' } };

export interface Firing {
  readonly slotMs: number;
  readonly madeUp: boolean;
}

/** A process that believes that it leads. */
export interface Leader {
  readonly name: string;
  readonly results: FiringResult[];
  readonly events: KubeEvent[];
  /** The time of the next check of each Schedule, by the time of the simulation. */
  readonly nextMs: Map<string, number>;
  /** True if the elector has ended the process, or the process was stopped. */
  done: boolean;
  /** The time at which the elector ends the process, by the time of the simulation. */
  endsAtMs: number;
  look(key: string): Promise<void>;
}

interface Process {
  readonly client: KubeClient;
  readonly schedules: Reflector<ScheduleView>;
}

export class SimulatedVillage {
  readonly #kube: TestApiServer;
  readonly #village: TestVillage;
  readonly #db: Db;
  readonly #namespace: string;
  readonly #apiUrl: string;
  readonly #processes: Process[] = [];
  #nowMs = 0;
  #fence = { leaseUid: randomUUID(), transitions: 0 };
  leaders: Leader[] = [];

  private constructor(parts: {
    readonly kube: TestApiServer;
    readonly village: TestVillage;
    readonly db: Db;
    readonly namespace: string;
    readonly apiUrl: string;
  }) {
    this.#kube = parts.kube;
    this.#village = parts.village;
    this.#db = parts.db;
    this.#namespace = parts.namespace;
    this.#apiUrl = parts.apiUrl;
  }

  static async start(): Promise<SimulatedVillage> {
    const [kube, village] = await Promise.all([testApiServer(), startTestVillage()]);
    return SimulatedVillage.#startOn(kube, village).catch(async (error: unknown) => {
      await Promise.allSettled([kube.remove(), village.remove()]);
      throw error;
    });
  }

  static async #startOn(kube: TestApiServer, village: TestVillage): Promise<SimulatedVillage> {
    await kube.installCrds();
    const namespace = await kube.namespace();
    const simulated = new URL(village.environment['HAMLET_POSTGRES_URL'] ?? '');
    simulated.search += `${simulated.search === '' ? '' : '&'}options=${encodeURIComponent(`-c search_path=${SEARCH_PATH}`)}`;
    const { peopleUrl: apiUrl } = await village.startReplica({ HAMLET_POSTGRES_URL: simulated.href });
    const db = openDatabase({ url: village.postgres.url(), poolSize: 2, onError: () => undefined });
    await sql`create schema sim`.execute(db);
    await sql`create table sim.time (at timestamptz not null)`.execute(db);
    await sql`insert into sim.time select pg_catalog.clock_timestamp()`.execute(db);
    await sql`create function sim.clock_timestamp() returns timestamptz language sql volatile as 'select at from sim.time'`.execute(
      db,
    );
    await sql`grant usage on schema sim to app`.execute(db);
    await sql`grant select on sim.time to app`.execute(db);
    return new SimulatedVillage({ kube, village, db, namespace, apiUrl });
  }

  get nowMs(): number {
    return this.#nowMs;
  }

  async schedule(name: string, spec: Partial<ScheduleSpec>): Promise<string> {
    const object = {
      apiVersion: API_VERSION,
      kind: 'Schedule',
      metadata: { name },
      spec: { agentName: AGENT.metadata.name, prompt: 'Walk.', ...spec },
    };
    await this.#kube.client.create(SCHEDULES, object, { namespace: this.#namespace });
    return keyOf({ namespace: this.#namespace, name });
  }

  async stored(key: string): Promise<Schedule & ScheduleView> {
    return this.#kube.client.get(SCHEDULES, { namespace: this.#namespace, name: key.slice(key.indexOf('/') + 1) });
  }

  async setTime(nowMs: number): Promise<void> {
    this.#nowMs = nowMs;
    await sql`update sim.time set at = to_timestamp(${nowMs / 1_000}::double precision)`.execute(this.#db);
  }

  /** A separate process: it has its own connection and watches, and a clock that is wrong by `skewMs`. */
  async process(): Promise<number> {
    const client = this.#kube.clientWith({});
    const schedules = new Reflector<ScheduleView>({
      client,
      type: SCHEDULES,
      namespace: this.#namespace,
      transform: scheduleView,
    });
    await schedules.start();
    return this.#processes.push({ client, schedules }) - 1;
  }

  /**
   * A process takes the lease from any holder, and begins with the objects of the API server.
   * @param lease `remade`: the old Lease was deleted, and the process has created another
   */
  async lead(process: number, skewMs: number, lease: 'stolen' | 'remade' = 'stolen'): Promise<Leader> {
    const { client, schedules } = this.#processOf(process);
    await this.#seesAll(schedules);
    let said = await this.#newestSlots();
    const fence =
      lease === 'stolen'
        ? { ...this.#fence, transitions: this.#fence.transitions + 1 }
        : { leaseUid: randomUUID(), transitions: 0 };
    this.#fence = fence;
    const time = new VillageTime(() => this.#nowMs + skewMs);
    const fire = fireThrough(
      villageClient({
        baseUrl: this.#apiUrl,
        fence,
        token: { read: () => Promise.resolve(TOKENS.operator), forget: () => undefined },
      }),
      time,
    );
    const agent = { metadata: { ...AGENT.metadata, namespace: this.#namespace } };
    const leader: Omit<Leader, 'look'> = {
      name: `process ${process}, lease ${fence.leaseUid} ${fence.transitions}`,
      results: [],
      events: [],
      nextMs: new Map([...schedules.cache.keys()].map((key) => [key, this.#nowMs])),
      done: false,
      endsAtMs: Number.POSITIVE_INFINITY,
    };
    const reconciler = new ScheduleReconciler({
      sources: {
        schedules: schedules.cache,
        agents: { get: () => agent, values: () => [agent] },
        runs: { reachable: true, synced: true, scheduleOf: (uid) => said.get(uid) },
      },
      ports: { client, schedules, fire, recorder: { record: (event) => void leader.events.push(event) } },
      time,
      clock: { now: () => Math.floor(this.#nowMs / STATUS_PACE), after: () => () => undefined },
      onFired: (result) => void leader.results.push(result),
      onStatusError: (_key, error) => {
        throw error;
      },
    });
    const look = async (key: string): Promise<void> => {
      // The API's stream has reported the slots that other leaders have fired by now.
      said = await this.#newestSlots();
      const outcome = await reconciler.reconcile(key);
      if (outcome.kind === 'retry') throw outcome.error;
      leader.nextMs.set(key, outcome.kind === 'requeue' ? this.#nowMs + outcome.afterMs : Number.POSITIVE_INFINITY);
    };
    const whole = Object.assign(leader, { look });
    for (const before of this.leaders) before.endsAtMs = Math.min(before.endsAtMs, this.#nowMs + ELECTOR_LATE_MS);
    this.leaders = [...this.leaders.filter(({ done }) => !done), whole];
    return whole;
  }

  /** Advances the time to `untilMs`; `between` is called before each step. */
  async run(untilMs: number, between: () => Promise<void> = () => Promise.resolve()): Promise<void> {
    for (;;) {
      await between();
      for (const leader of this.leaders) leader.done ||= leader.endsAtMs <= this.#nowMs;
      const living = this.leaders.filter(({ done }) => !done);
      const nextMs = Math.max(this.#nowMs, Math.min(...living.flatMap(({ nextMs: times }) => [...times.values()])));
      if (nextMs > untilMs) return this.setTime(untilMs);
      const due = living.flatMap((leader) =>
        [...leader.nextMs].flatMap(([key, atMs]) =>
          atMs <= Math.min(nextMs + TOGETHER_MS, untilMs) ? [{ leader, key, atMs }] : [],
        ),
      );
      // All checks run when the last one is due: no timer fires early.
      await this.setTime(Math.max(nextMs, ...due.map(({ atMs }) => atMs)));
      await Promise.all(due.map(({ leader, key }) => leader.look(key)));
    }
  }

  /** The firings of a Schedule in the table, by slot. */
  async firings(key: string): Promise<readonly Firing[]> {
    const { metadata } = await this.stored(key);
    const { rows } = await sql<{
      slot: Date;
      madeUp: boolean;
    }>`select slot, made_up as "madeUp" from firing where schedule_uid = ${metadata.uid} order by slot`.execute(
      this.#db,
    );
    return rows.map(({ slot, madeUp }) => ({ slotMs: slot.getTime(), madeUp }));
  }

  async remove(): Promise<void> {
    await Promise.all(this.#processes.map(({ schedules }) => schedules.stop()));
    await this.#db.destroy();
    await this.#village.remove();
    await this.#kube.remove();
  }

  #processOf(index: number): Process {
    const found = this.#processes[index];
    if (found === undefined) throw new Error(`there is no process ${index}`);
    return found;
  }

  /** The Schedules as the API's stream reports them. */
  async #newestSlots(): Promise<ReadonlyMap<string, ScheduleActivity>> {
    const { rows } = await sql<{
      uid: string;
      slot: Date;
    }>`select schedule_uid as uid, last_slot as slot from schedule_state where last_slot is not null`.execute(this.#db);
    return new Map(
      rows.map(({ uid, slot }) => [
        uid,
        {
          schedule_uid: uid,
          active_runs: 0,
          last_run_id: null,
          last_run_at: null,
          last_slot: new Date(slot).toISOString(),
        },
      ]),
    );
  }

  /**
   * The simulation is faster than a watch, so a new leader waits for the events that it would have received by then.
   */
  async #seesAll({ cache }: Reflector<ScheduleView>): Promise<void> {
    const { items } = await this.#kube.client.list<ScheduleView>(SCHEDULES, { namespace: this.#namespace });
    await until(
      'the watch has delivered all events',
      async () => {
        await sleep(1);
        return items.every(
          ({ metadata }) => cache.get(keyOf(metadata))?.metadata.resourceVersion === metadata.resourceVersion,
        );
      },
      { pauseMs: 2 },
    );
  }
}
