/**
 * Idempotent writes while all connections between the api and its stores break. The test retries each write at either
 * replica until it is answered. In the end there is one row for each key, every acknowledged write is stored, and the
 * ledger is consistent.
 */
import assert from 'node:assert/strict';
import { performance } from 'node:perf_hooks';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { formatAiDollars, type LedgerEntry, type Outcome, type Post } from '@hamlet/contract';
import { checkLedger, type Db } from '@hamlet/store';
import { FULL_RUN, Seeded } from '@hamlet/test/env/seeded';
import type { TestClient } from '../env/client.ts';
import type { TestVillage } from '../../api/server/src/testing/test-village.ts';
import { AGENT_IDS, clientOf, startOwnVillage, TOKENS } from '../../api/server/src/testing/test-village.ts';
import { startToxiproxy, startWeather, type Toxiproxy } from './weather.ts';
import { type ApiProcess, startApiProcess } from '../../api/server/src/testing/api-process.ts';

const LOOK_EVERY_MS = 250;

/** Two api processes. Each starts again after it ends, as in a cluster. */
interface ApiPair {
  /** The present addresses of the processes. */
  readonly urls: readonly string[];
  readonly restarts: number;
  stop(): Promise<void>;
}

function lives({ pid }: ApiProcess): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function startApiPair(village: TestVillage, changes: Readonly<Record<string, string>>): Promise<ApiPair> {
  const pair = await Promise.all([startApiProcess(village, changes), startApiProcess(village, changes)]);
  let restarts = 0;
  let stopped = false;

  async function keep(index: number): Promise<void> {
    while (!stopped) {
      await sleep(LOOK_EVERY_MS);
      const process = pair[index];
      if (stopped || process === undefined || lives(process)) continue;
      restarts += 1;
      // During the storm a start may fail too; then it is repeated.
      pair[index] = await startApiProcess(village, changes).catch(() => process);
    }
  }
  const keeping = Promise.all([keep(0), keep(1)]);
  return {
    get urls() {
      return pair.map(({ url }) => url);
    },
    get restarts() {
      return restarts;
    },
    stop: async () => {
      stopped = true;
      await keeping;
      await Promise.all(pair.map((process) => process.stop('SIGTERM')));
    },
  };
}

const KEYS = FULL_RUN ? 50_000 : 2_500;
const WRITERS = 64;
const SEED = Number(process.env['HAMLET_TEST_SEED'] ?? 20_261_122);
const CENT = 10_000n;
const LIMIT_MS = 3_600_000;
/** A request without an answer is sent again after this time. */
const ANSWER_LIMIT_MS = 15_000;
const PAUSE_MS = [5, 100] as const;

let village: TestVillage;
let toxiproxy: Toxiproxy;
let pair: ApiPair;
let db: Db;
let stores: Parameters<typeof startWeather>[0];

before(async () => {
  [village, toxiproxy] = await Promise.all([startOwnVillage(), startToxiproxy()]);
  const direct = new URL(village.environment['HAMLET_POSTGRES_URL'] ?? '');
  const [postgres, redis] = await Promise.all([
    toxiproxy.proxy('postgres', Number(direct.port)),
    toxiproxy.proxy('redis', village.redis.port),
  ]);
  stores = { postgres, redis };
  const through = new URL(direct);
  through.host = `127.0.0.1:${postgres.port}`;
  // A connection that hangs in the storm times out as soon as in a village.
  through.searchParams.delete('connect_timeout');
  pair = await startApiPair(village, {
    HAMLET_POSTGRES_URL: through.href,
    HAMLET_REDIS_URL: `redis://127.0.0.1:${redis.port}`,
    HAMLET_CREDIT_LIMIT: '1000000',
  });
  db = village.openDb();
});
after(async () => {
  await pair.stop();
  await toxiproxy.stop();
  await village.remove();
});

interface Write {
  readonly kind: 'reward' | 'credit' | 'post';
  readonly agentId: string;
  readonly key: string;
}

/** The object of an answer: an entry of the ledger, or a post. */
interface Answered {
  readonly write: Write;
  readonly id: string;
  /** True if an earlier attempt had written, but its answer was lost. */
  readonly replayed: boolean;
}

function plan(index: number, random: Seeded): Write {
  const chance = random.next();
  return {
    kind: chance < 0.5 ? 'reward' : chance < 0.75 ? 'credit' : 'post',
    agentId: random.one(AGENT_IDS) ?? 'ada',
    key: `storm-${SEED}-${index}`,
  };
}

type Attempted = Pick<Answered, 'id' | 'replayed'> | { readonly code: string; readonly again: boolean };

function attempted<T>(outcome: Outcome<T>, idOf: (data: T) => string | null): Attempted {
  if (outcome.ok)
    return { id: idOf(outcome.data) ?? '', replayed: outcome.response.headers.get('idempotency-replayed') === 'true' };
  const { code, status } = outcome.problem;
  return { code, again: status >= 500 || status === 429 || code === 'idempotency_in_flight' };
}

/** Sends a write once; returns the id of the answer, or the code of the refusal. */
async function attempt(client: TestClient, { kind, agentId, key: idempotencyKey }: Write): Promise<Attempted> {
  if (kind === 'reward') {
    const body = { agent_id: agentId, amount: '0.01', reason: idempotencyKey };
    return attempted(await client.raw.rewardAgent(body, { idempotencyKey }), (entry) => entry.ledger_entry_id);
  }
  if (kind === 'credit') {
    const body = {
      agent_id: agentId,
      amount: '0.01',
      provider: 'bank',
      provider_transaction_id: idempotencyKey,
      note: idempotencyKey,
    };
    return attempted(await client.raw.createCredit(body, { idempotencyKey }), ({ credit }) => credit.ledger_entry_id);
  }
  const body = { title: idempotencyKey, body: `written in the storm by ${agentId}` };
  return attempted(await client.raw.createPost(body, { idempotencyKey }), (answer) => answer.post_id);
}

/** Retries a write until it is answered. */
async function writeThrough(write: Write, random: Seeded, counts: Map<string, number>): Promise<Answered> {
  for (;;) {
    const client = clientOf(random.one(pair.urls) ?? '', TOKENS.admin);
    const limit = sleep(ANSWER_LIMIT_MS, { code: 'no_answer', again: true } as const, { ref: false });
    const answer = await Promise.race([
      attempt(client, write).catch(() => ({ code: 'unreachable', again: true }) as const),
      limit,
    ]);
    if ('id' in answer) return { write, ...answer };
    counts.set(answer.code, (counts.get(answer.code) ?? 0) + 1);
    assert.ok(answer.again, `${write.key}: ${answer.code}`);
    await sleep(random.between(...PAUSE_MS));
  }
}

async function entriesOf(client: TestClient, agentId: string): Promise<readonly LedgerEntry[]> {
  const entries: LedgerEntry[] = [];
  for (let cursor: string | null | undefined; cursor !== null;) {
    const answer = await client.getLedger({
      agent_id: agentId,
      limit: 100,
      ...(cursor === undefined ? {} : { cursor }),
    });
    entries.push(...answer.entries);
    cursor = answer.next_cursor;
  }
  return entries;
}

async function postsOf(client: TestClient): Promise<readonly Post[]> {
  const posts: Post[] = [];
  for (let cursor: string | null | undefined; cursor !== null;) {
    const answer = await client.listPosts({ limit: 50, ...(cursor === undefined ? {} : { cursor }) });
    posts.push(...answer.posts);
    cursor = answer.next_cursor;
  }
  return posts;
}

test(
  `${KEYS} writes through the storm (seed ${SEED}) give one row for each key, none lost or duplicated`,
  { timeout: LIMIT_MS },
  async () => {
    const random = new Seeded(SEED);
    const weather = startWeather(stores, new Seeded(SEED + 1));
    const counts = new Map<string, number>();
    const answered: Answered[] = [];
    const startedMs = performance.now();
    let next = 0;
    try {
      await Promise.all(
        Array.from({ length: WRITERS }, async () => {
          for (let index = next++; index < KEYS; index = next++)
            answered.push(await writeThrough(plan(index, random), random, counts));
        }),
      );
    } finally {
      await weather.end();
    }
    const retries = [...counts.values()].reduce((sum, count) => sum + count, 0);
    const seconds = (performance.now() - startedMs) / 1_000;
    const replays = answered.filter(({ replayed }) => replayed).length;
    console.log(
      `${KEYS} writes in ${seconds.toFixed(0)} s through ${weather.faults} faults, ${retries} retries, ${replays} of which had already been written (${JSON.stringify(Object.fromEntries(counts))}), ${pair.restarts} restarts of an api`,
    );
    assert.equal(answered.length, KEYS);
    assert.ok(weather.faults > 0 && retries > 0, 'the storm caused no faults');

    const idsOf = (...kinds: readonly Write['kind'][]): string[] =>
      answered
        .filter(({ write }) => kinds.includes(write.kind))
        .map(({ id }) => id)
        .sort();
    const ledgerIds = idsOf('reward', 'credit');
    assert.equal(new Set(ledgerIds).size, ledgerIds.length, 'no two keys got the same entry');
    const client = clientOf((await village.startReplica()).peopleUrl, TOKENS.admin);
    const entries = (await Promise.all(AGENT_IDS.map((agentId) => entriesOf(client, agentId)))).flat();
    assert.deepEqual(entries.map(({ ledger_entry_id: id }) => id).sort(), ledgerIds, 'the entries equal the answers');
    assert.equal(new Set(entries.map(({ note }) => note)).size, ledgerIds.length, 'one entry for each key');
    for (const agentId of AGENT_IDS) {
      const balance = await client.raw.getBalance({ agent_id: agentId });
      const owed = answered.filter(({ write }) => write.kind !== 'post' && write.agentId === agentId).length;
      assert.equal(balance.ok ? balance.data.balance : '', formatAiDollars(BigInt(owed) * CENT), agentId);
    }

    const posts = await postsOf(client);
    assert.deepEqual(posts.map(({ post_id: id }) => id).sort(), idsOf('post'), 'the stored posts equal the answers');
    assert.equal(new Set(posts.map(({ title }) => title)).size, posts.length, 'one post for each key');
    const deposits = await db.selectFrom('deposit').select(['transaction_id', 'state']).execute();
    assert.equal(deposits.length, idsOf('credit').length);
    assert.ok(deposits.every(({ state }) => state === 'credited'));
    for (const [action, kind] of [
      ['reward', 'reward'],
      ['credit.create', 'credit'],
      ['board.post', 'post'],
    ] as const) {
      const { count } = await db
        .selectFrom('audit')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .where('action', '=', action)
        .executeTakeFirstOrThrow();
      assert.equal(count, idsOf(kind).length, `one line of the audit for each ${kind}`);
    }
    assert.deepEqual(
      (await checkLedger(db)).filter(({ broken }) => broken > 0),
      [],
    );
  },
);
