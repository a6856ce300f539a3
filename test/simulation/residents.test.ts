/** Two residents as processes of their own, the api as another, on a real Postgres and Redis: they connect, walk, speak, and leave a record of each turn. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, before, test } from 'node:test';
import { actAsAgent, createClient, getAgent, getLivez, listTurns, moveAgent, rebootAgent } from '@hamlet/contract';
import type { AgentDetail, Client } from '@hamlet/contract';
import { freePort, startLocal } from '@hamlet/dev';
import type { LocalProcess, LocalRedis } from '@hamlet/dev';
import { testPostgres } from '@hamlet/test/env/postgres';
import type { TestPostgres } from '@hamlet/test/env/postgres';
import { testRedis } from '@hamlet/test/env/redis';
import { until } from '@hamlet/test/env/until';

const ROOT = resolve(import.meta.dirname, '../..');
const NAMES = ['ada', 'bob'] as const;
type Name = (typeof NAMES)[number];

/** Both live in one house and turn once a second; what is said to ada goes to the stub. */
const AGENTS: Readonly<Record<Name, string>> = {
  ada: 'runtime: { name: stub }\n  repository: { url: https://example.org/engine.git, branch: trunk }',
  bob: 'displayName: Bob',
};

const folder = mkdtempSync(join(tmpdir(), 'hamlet-residents-'));
const residents = new Map<Name, ChildProcess>();
let postgres: TestPostgres | undefined;
let redis: LocalRedis | undefined;
let api: LocalProcess | undefined;
let url: string;
let admin: Client;

before(async () => {
  writeSamples();
  [postgres, redis] = await Promise.all([testPostgres(), testRedis()]);
  const port = await freePort();
  url = `http://127.0.0.1:${port}`;
  admin = createClient({ baseUrl: url, token: 'test-token-of-admin' });
  api = await startLocal({
    file: process.execPath,
    args: [join(ROOT, 'api/server/src/main.ts')],
    options: {
      env: {
        ...process.env,
        HAMLET_POSTGRES_URL: postgres.url().replace('postgres:hamlet@', 'app:app@'),
        HAMLET_POSTGRES_OWNER_URL: postgres.url(),
        HAMLET_REDIS_URL: redis.url,
        HAMLET_PEOPLE_LISTEN: `127.0.0.1:${port}`,
        HAMLET_METRICS_LISTEN: '127.0.0.1:0',
        HAMLET_AGENT_SOURCE: 'samples',
        HAMLET_SAMPLES_DIR: folder,
        HAMLET_API_KEYS_FILE: join(folder, 'keys.json'),
        HAMLET_BOOTSTRAP_CODE_FILE: join(folder, 'code'),
        HAMLET_STRICT_ANSWERS: '1',
      },
    },
    ready: () => fetch(`${url}${getLivez.path}`).then((response) => response.ok, () => false),
  });
});

after(async () => {
  for (const child of residents.values()) child.kill('SIGKILL');
  await api?.stop();
  await Promise.all([postgres?.remove(), redis?.stop()]);
  rmSync(folder, { recursive: true, force: true });
});

function writeSamples(): void {
  const samples = join(ROOT, 'crds/samples');
  for (const file of readdirSync(samples).filter((name) => name.startsWith('good-entitlement-'))) copyFileSync(join(samples, file), join(folder, file));
  for (const name of NAMES) {
    const head = `apiVersion: hamlet.village/v1alpha1\nkind: Agent\nmetadata: { name: ${name} }\nspec:`;
    writeFileSync(join(folder, `good-agent-${name}.yaml`), `${head}\n  home: home-alder\n  loop: { every: 1s }\n  ${AGENTS[name]}\n`);
  }
  const agentTokens = Object.fromEntries(NAMES.map((name) => [name, `test-token-of-${name}`]));
  writeFileSync(join(folder, 'keys.json'), JSON.stringify({ adminToken: 'test-token-of-admin', memberToken: 'test-token-of-member', agentTokens }));
  writeFileSync(join(folder, 'code'), 'code\n');
}

function startResident(name: Name): ChildProcess {
  const home = join(folder, name);
  mkdirSync(home, { recursive: true });
  return spawn(process.execPath, [join(ROOT, 'agent-image/resident/src/main.ts')], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {
      ...process.env,
      HAMLET_API_URL: url,
      HAMLET_AGENT_ID: name,
      HAMLET_AGENT_TOKEN: `test-token-of-${name}`,
      HAMLET_STATE_DIR: home,
      HAMLET_MEMORY_DIR: home,
      HAMLET_WORKSPACE_DIR: home,
    },
  });
}

async function see(name: Name): Promise<AgentDetail> {
  const answer = await admin.call(getAgent, { params: { agent_id: name } });
  assert.ok(answer.ok, `${name} cannot be seen`);
  return answer.data;
}

async function turnsOf(name: Name) {
  const answer = await admin.call(listTurns, { params: { agent_id: name }, query: { limit: 100 } });
  assert.ok(answer.ok, `the turns of ${name} cannot be read`);
  return answer.data.turns;
}

/** Bob has no process yet and goes where the test sends him: to where ada is or will be. */
async function bringBobTo(ada: AgentDetail): Promise<void> {
  const landmark_id = ada.moving_to?.landmark_id ?? ada.landmark_id;
  if (landmark_id !== null) await admin.call(moveAgent, { params: { agent_id: 'bob' }, body: { landmark_id } });
}

test('what is said to ada is answered by its runtime, aloud, with the prompt, the repository and the branch', async () => {
  residents.set('ada', startResident('ada'));
  const turn = await until('ada has answered', async () => {
    const said = await admin.call(actAsAgent, { params: { agent_id: 'bob' }, body: { kind: 'talk', text: 'List files in repository', to: 'ada' } });
    if (!said.ok) await bringBobTo(await see('ada'));
    return (await turnsOf('ada')).find(({ acted }) => String(acted['said']).includes('List files in repository'));
  }, { pauseMs: 500 });
  assert.equal(turn.trigger, 'wake');
  assert.equal(turn.wake?.kind, 'spoken_to');
  assert.match(String(turn.acted['said']), /^\[STUB RESPONSE\]\nReceived prompt: List files in repository\nContext: repo=https:\/\/example\.org\/engine\.git, branch=trunk\n/);
});

test('both connect and walk', async () => {
  residents.set('bob', startResident('bob'));
  const seen = new Map(await Promise.all(NAMES.map(async (name) => [name, (await see(name)).position] as const)));
  for (const name of NAMES) {
    await until(`${name} is connected`, async () => (await see(name)).status.health === 'healthy');
    await until(`${name} has walked`, async () => {
      const { position } = await see(name);
      return position.x !== seen.get(name)?.x || position.y !== seen.get(name)?.y;
    });
  }
});

test('each turn is recorded: perceived, decided and why, acted, reflected', async () => {
  for (const name of NAMES) {
    const turns = await until(`${name} has lived five turns`, async () => {
      const lived = await turnsOf(name);
      return lived.length >= 5 && lived;
    });
    const moved = turns.find(({ acted, decided }) => acted['outcome'] === 'accepted' && (decided['command'] as { kind: string }).kind === 'move');
    assert.ok(moved !== undefined);
    assert.deepEqual(Object.keys(moved.perceived).toSorted(), ['board', 'standing', 'world']);
    assert.ok(moved.decided.why.length > 0);
    assert.match(String(moved.reflected['remembered']), /^Day \d+, \d\d:\d\d: /);
    assert.ok(turns.every(({ cycle }) => cycle === turns[0]?.cycle));
  }
});

test('a reboot ends the process of the older cycle with 0, and the next one lives on in the new cycle', async () => {
  const old = residents.get('bob');
  assert.ok(old !== undefined);
  const ended = once(old, 'exit');
  const rebooted = await admin.call(rebootAgent, { params: { agent_id: 'bob' } });
  assert.ok(rebooted.ok);
  assert.deepEqual((await ended)[0], 0);
  residents.set('bob', startResident('bob'));
  const { cycle } = await see('bob');
  await until('bob lives in the new cycle', async () => (await turnsOf('bob')).some((turn) => turn.cycle === cycle));
});

test('told to end, it ends with 0 and is no longer connected', async () => {
  const resident = residents.get('ada');
  assert.ok(resident !== undefined);
  const ended = once(resident, 'exit');
  resident.kill('SIGTERM');
  assert.deepEqual((await ended)[0], 0);
  await until('ada is not connected', async () => !(await see('ada')).status.online);
});
