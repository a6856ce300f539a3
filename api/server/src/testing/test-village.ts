import { copyFile, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { performance } from 'node:perf_hooks';
import type { ActionBody, AgentDetail, MoveBody, WorldView } from '@hamlet/contract';
import { migrate, openDatabase, readTiers, type Db } from '@hamlet/store';
import { untilEnd } from '@hamlet/test/env/at-end';
import { dataOf, testClient, type TestClient } from '@hamlet/test/env/client';
import { migratedPostgres, ownPostgres, type TestPostgres } from '@hamlet/test/env/postgres';
import { ownRedis, testRedis, type TestRedis } from '@hamlet/test/env/redis';
import { until } from '@hamlet/test/env/until';
import { readConfig, type Config } from '../start/config.ts';
import { createLog } from '../service/log.ts';
import { startServer, type RunningServer } from '../start/start-server.ts';
import type { StartOptions } from '../start/base.ts';

const SAMPLES = resolve(import.meta.dirname, '../../../../crds/samples');
const WAIT_PAUSE_MS = 20;
const POOL_SIZE = 4;
/** Sessions of a replica for requests: each costs Postgres a process, and tests ask less at once than people do. */
const REPLICA_SESSIONS = 6;

/** Agents of a test village. ada is pinned to tier-1; the others have the lowest tier. */
export const AGENT_IDS = ['ada', 'bob', 'cleo', 'dan', 'eve', 'fay'] as const;
export type AgentId = (typeof AGENT_IDS)[number];

export const TOKENS = {
  admin: 'test-token-of-an-admin',
  member: 'test-token-of-a-member',
  operator: 'test-token-of-the-operator',
  broker: 'test-token-of-the-broker',
} as const;
export const BOOTSTRAP_CODE = 'test-bootstrap-code';

export function agentToken(agentId: AgentId): string {
  return `test-token-of-agent-${agentId}`;
}

function sampleAgent(name: string): string {
  const entitlement = name === 'ada' ? '\n  entitlement: { policy: Pinned, name: tier-1 }' : '';
  return `apiVersion: hamlet.village/v1alpha1\nkind: Agent\nmetadata: { name: ${name} }\nspec:\n  displayName: ${name}${entitlement}\n`;
}

async function writeFiles(folder: string): Promise<void> {
  for (const file of await readdir(SAMPLES))
    if (file.startsWith('good-entitlement-')) await copyFile(join(SAMPLES, file), join(folder, file));
  for (const name of AGENT_IDS) await writeFile(join(folder, `good-agent-${name}.yaml`), sampleAgent(name));
  const agentTokens = Object.fromEntries(AGENT_IDS.map((id) => [id, agentToken(id)]));
  await writeFile(
    join(folder, 'keys.json'),
    JSON.stringify({
      adminToken: TOKENS.admin,
      memberToken: TOKENS.member,
      operatorToken: TOKENS.operator,
      brokerToken: TOKENS.broker,
      agentTokens,
    }),
  );
  await writeFile(join(folder, 'code'), `${BOOTSTRAP_CODE}\n`);
}

/** A tier in which only tokens have a price: 1 aiDollar for a thousand. */
export const withTokenPrice = (tier: string): string =>
  `${tier.replace(/\n {2}price:[^\n]*(\n {4}[^\n]*)*/, '')}  price: { perThousandTokens: "1" }\n`;

/** A time zone in which it is about noon, so that no day of the village ends while a test runs. */
function zoneAtNoon(now: Date): string {
  const behind = now.getUTCHours() - 12;
  return behind === 0 ? 'UTC' : `Etc/GMT${behind > 0 ? '+' : ''}${behind}`;
}

/** True once the replica counts requests in Redis. Before that it refuses requests that move money. */
async function countsTogether({ metricsUrl }: RunningServer): Promise<boolean> {
  return /^hamlet_limits_shared 1$/m.test(await (await fetch(`${metricsUrl}/metrics`)).text());
}

/** Waits until the replica has computed the first tiers: until then, it knows no agent's standing. */
async function untilTiersAreComputed(url: string): Promise<void> {
  const db = openDatabase({ url, poolSize: 1, onError: () => undefined });
  await eventually('the first tiers', async () => (await readTiers(db, AGENT_IDS)).length === AGENT_IDS.length);
  await db.destroy();
}

/** Manifests of a workflow by the names of their files. */
type ManifestTexts = Readonly<Record<string, string>>;

export interface VillageOptions {
  /** Factor by which village time is faster than the clock, so that tests do not wait for walks. */
  readonly villageSpeed?: number;
  /** Manifests of agents, each in a ConfigMap with the name of its agent. */
  readonly manifests?: Partial<Readonly<Record<AgentId, ManifestTexts>>>;
}

/** A village on the servers that all test files of a test run share. */
export const startTestVillage = (options: VillageOptions = {}) => startOn([migratedPostgres(), testRedis()], options);
export type TestVillage = Awaited<ReturnType<typeof startTestVillage>>;

/** A village with its own servers, for tests that kill them or make their roles. An empty one has no tables yet. */
export const startOwnVillage = (content: 'empty' | 'migrated' = 'migrated', options: VillageOptions = {}) =>
  startOn([ownPostgres(content), ownRedis()], options);
export type OwnVillage = Awaited<ReturnType<typeof startOwnVillage>>;

/** A village that lasts until the tests of the calling file have ended. */
export async function testVillage(options: VillageOptions = {}): Promise<TestVillage> {
  return untilEnd(await startTestVillage(options));
}

/** A village with its own servers, which last until the tests of the calling file have ended. */
export async function ownVillage(...given: Parameters<typeof startOwnVillage>): Promise<OwnVillage> {
  return untilEnd(await startOwnVillage(...given));
}

type SampleText = string | ((before: string) => string);

async function writeSample(file: string, text: SampleText): Promise<string> {
  await writeFile(file, typeof text === 'string' ? text : text(await readFile(file, 'utf8')));
  return file;
}

/** Removes the request limits of the tiers. */
async function liftRequestLimits(folder: string): Promise<void> {
  for (const tier of (await readdir(folder)).filter((name) => name.startsWith('good-entitlement-')))
    await writeSample(join(folder, tier), (text) =>
      text.replace(/requestsPerMinute: \d+/, 'requestsPerMinute: 100000'),
    );
}

/** Gives an agent manifests, or changes those that it has. The first ones need a replica that starts afterwards. */
async function writeManifests(folder: string, agentId: AgentId, data: ManifestTexts): Promise<void> {
  const metadata = { name: agentId, labels: { 'hamlet.village/manifests': 'true' } };
  const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data };
  await writeFile(join(folder, `manifests-${agentId}.yaml`), JSON.stringify(map));
  await writeSample(join(folder, `good-agent-${agentId}.yaml`), (text) =>
    text.includes('\n  manifests:') ? text : `${text.trimEnd()}\n  manifests: { configMapName: ${agentId} }\n`,
  );
}

function environmentOf(folder: string, postgres: TestPostgres, redis: TestRedis): Record<string, string> {
  return {
    HAMLET_POSTGRES_URL: postgres.appUrl,
    HAMLET_REDIS_URL: redis.url,
    HAMLET_PEOPLE_LISTEN: '127.0.0.1:0',
    HAMLET_METRICS_LISTEN: '127.0.0.1:0',
    HAMLET_AGENT_SOURCE: 'samples',
    HAMLET_SAMPLES_DIR: folder,
    HAMLET_API_KEYS_FILE: join(folder, 'keys.json'),
    HAMLET_BOOTSTRAP_CODE_FILE: join(folder, 'code'),
    HAMLET_LOG_DIR: join(folder, 'log'),
    HAMLET_STRICT_ANSWERS: '1',
    HAMLET_RATE_LIMIT: '1000000',
    HAMLET_REWARD_LIMIT: '1000000',
    HAMLET_SOCKETS_PER_ADDRESS: '1000000',
    HAMLET_TIME_ZONE: zoneAtNoon(new Date()),
  };
}

/** A real Postgres and Redis with the files that an API needs. Tests start replicas against it. */
async function startOn<P extends TestPostgres, R extends TestRedis>(
  servers: readonly [Promise<P>, Promise<R>],
  options: VillageOptions,
) {
  const folder = await mkdtemp(join(tmpdir(), 'hamlet-test-village-'));
  const [postgres, redis] = await Promise.all([...servers, writeFiles(folder)]);
  // The limits are those of real minutes, in which such agents live several.
  if ((options.villageSpeed ?? 1) > 1) await liftRequestLimits(folder);
  const writeAllManifests = async (manifests: NonNullable<VillageOptions['manifests']>): Promise<void> => {
    for (const [agentId, data] of Object.entries(manifests)) await writeManifests(folder, agentId as AgentId, data);
  };
  await writeAllManifests(options.manifests ?? {});
  const logs: string[] = [];
  const replicas: RunningServer[] = [];
  const databases: Db[] = [];
  const environment = environmentOf(folder, postgres, redis);
  async function migrateNow(): Promise<void> {
    await migrate({ ownerUrl: postgres.url(), appUrl: postgres.appUrl });
  }
  return {
    postgres,
    redis,
    environment,
    samples: folder,
    logs,
    /** Migrates the schema, like the init container of the chart. */
    migrate: migrateNow,
    /**
     * Migrates, and starts a replica in this process. Resolves once the replica serves, has connected to Redis and, if
     * its agents are samples, has computed their tiers.
     */
    startReplica: async (
      changes: Readonly<Record<string, string>> = {},
      started: Pick<StartOptions, 'models' | 'agents' | 'outwardRoute'> = {},
    ) => {
      await migrateNow();
      const config: Config = readConfig({ ...environment, ...changes });
      const villageMs = (): number => performance.now() * (options.villageSpeed ?? 1);
      const replica = await startServer(
        config,
        createLog((line) => void logs.push(line), 'debug'),
        { villageMs, sessions: REPLICA_SESSIONS, ...started },
      );
      replicas.push(replica);
      await eventually('requests to be counted', () => countsTogether(replica));
      if (config.agents.source === 'samples') await untilTiersAreComputed(config.postgresUrl);
      return replica;
    },
    /** Writes or changes a file of the samples. Returns its path. */
    writeSample: (name: string, text: SampleText) => writeSample(join(folder, name), text),
    writeManifests: (agentId: AgentId, data: ManifestTexts) => writeManifests(folder, agentId, data),
    writeAllManifests,
    liftRequestLimits: () => liftRequestLimits(folder),
    /** Opens a new pool to the village's Postgres, with all rights. `remove` closes it. */
    openDb: () => {
      const db = openDatabase({ url: postgres.url(), poolSize: POOL_SIZE, onError: () => undefined });
      databases.push(db);
      return db;
    },
    /** Stops every replica, and deletes the data. */
    remove: async () => {
      await Promise.all([...replicas.map((replica) => replica.stop()), ...databases.map((db) => db.destroy())]);
      await Promise.all([postgres.remove(), redis.remove()]);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export function clientOf(url: string, token?: string): TestClient {
  return testClient(token === undefined ? { baseUrl: url } : { baseUrl: url, token });
}

/** Waits, at most two minutes, until `look` returns anything but false, null and undefined. The error names `what`. */
export const eventually = <T>(
  what: string,
  look: () => Promise<T | false | null | undefined> | T | false | null | undefined,
): Promise<T> => until(what, look, { pauseMs: WAIT_PAUSE_MS });

export interface PlayOptions extends VillageOptions, Pick<StartOptions, 'models' | 'agents'> {
  readonly environment?: Readonly<Record<string, string>> | ((village: TestVillage) => Promise<Record<string, string>>);
  /** Files of the samples that the test writes or changes before the replica starts. */
  readonly samples?: Readonly<Record<string, SampleText>>;
}

/** A village with one replica and all agents in its world, until the tests of the calling file have ended. */
export async function startPlay({
  environment,
  samples = {},
  villageSpeed,
  manifests,
  ...options
}: PlayOptions = {}): Promise<{
  readonly village: TestVillage;
  readonly play: Play;
}> {
  const village = await testVillage(villageSpeed === undefined ? {} : { villageSpeed });
  for (const [name, text] of Object.entries(samples)) await village.writeSample(name, text);
  for (const [agentId, data] of Object.entries(manifests ?? {})) await village.writeManifests(agentId as AgentId, data);
  const changes = typeof environment === 'function' ? await environment(village) : environment;
  const play = new Play((await village.startReplica(changes, options)).peopleUrl);
  await play.everybody();
  return { village, play };
}

/** Acts and reads for tests that control agents through the API. */
export class Play {
  readonly url: string;
  readonly admin: TestClient;
  readonly member: TestClient;
  readonly visitor: TestClient;

  constructor(url: string) {
    this.url = url;
    this.admin = clientOf(url, TOKENS.admin);
    this.member = clientOf(url, TOKENS.member);
    this.visitor = clientOf(url);
  }

  as(agentId: AgentId): TestClient {
    return clientOf(this.url, agentToken(agentId));
  }

  async agent(agentId: string): Promise<AgentDetail> {
    return dataOf(await this.admin.raw.getAgent({ agent_id: agentId }));
  }

  async world(): Promise<WorldView> {
    return dataOf(await this.admin.raw.getWorld());
  }

  /** Waits until every agent of the test village is in the world. */
  async everybody(): Promise<void> {
    await eventually('all agents in the world', async () => (await this.world()).agents.length === AGENT_IDS.length);
  }

  move(agentId: string, target: MoveBody): ReturnType<typeof this.admin.raw.moveAgent> {
    return this.admin.raw.moveAgent({ agent_id: agentId, ...target });
  }

  act(agentId: string, action: ActionBody): ReturnType<typeof this.admin.raw.actAsAgent> {
    return this.admin.raw.actAsAgent({ agent_id: agentId, ...action });
  }

  async walk(agentId: string, target: MoveBody): Promise<AgentDetail> {
    const { to } = dataOf(await this.move(agentId, target));
    return eventually(`${agentId} at ${to.x},${to.y}`, async () => {
      const agent = await this.agent(agentId);
      return agent.moving_to === null && agent.position.x === to.x && agent.position.y === to.y ? agent : null;
    });
  }

  /** Moves an agent to the first item that it can reach, and takes the item. Returns its id. */
  async fetchItem(agentId: string): Promise<string> {
    const refusals = new Map<string, string>();
    for (;;) {
      // Dawn replaces the items on the ground, so each attempt reads them.
      const { items } = await this.world();
      const next = items.find(({ item_id, position }) => position !== null && !refusals.has(item_id));
      const position = next?.position ?? null;
      if (next === undefined || position === null)
        throw new Error(`${agentId} can take no item: ${[...refusals].join(', ')}`);
      const { item_id } = next;
      const moved = await this.move(agentId, position);
      if (moved.ok) await this.walk(agentId, position);
      const taken = moved.ok ? await this.act(agentId, { kind: 'pick_up', item_id }) : moved;
      if (taken.ok) return item_id;
      refusals.set(item_id, taken.problem.code);
    }
  }
}
