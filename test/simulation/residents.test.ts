/** Two residents and the API as processes on a real Postgres and Redis: the residents connect, walk, speak, and record each turn. */
import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { listTurns, type AgentDetail, type CallData, type Turn } from '@hamlet/contract';
import { until } from '@hamlet/test/env/until';
import { startApiProcess, type ApiProcess } from '../../api/server/src/testing/api-process.ts';
import { residentProcesses } from '../../api/server/src/testing/resident-process.ts';
import { startTestVillage, type TestVillage, Play } from '../../api/server/src/testing/test-village.ts';

const NAMES = ['ada', 'bob'] as const;
type Name = (typeof NAMES)[number];
type Recorded = CallData<typeof listTurns>['turns'][number];

/** Both agents live in one house and take a turn each second; the stub runtime answers for ada. */
const AGENTS: Readonly<Record<Name, string>> = {
  ada: 'runtime: { name: stub }\n  repository: { url: https://example.org/engine.git, branch: trunk }',
  bob: 'displayName: Bob',
};

const running = new Map<Name, ChildProcess>();
const residents = residentProcesses(() => play);
let village: TestVillage;
let api: ApiProcess;
let play: Play;

before(async () => {
  village = await startTestVillage();
  for (const name of NAMES) {
    const head = `apiVersion: hamlet.village/v1alpha1\nkind: Agent\nmetadata: { name: ${name} }\nspec:`;
    await writeFile(
      join(village.samples, `good-agent-${name}.yaml`),
      `${head}\n  home: home-alder\n  loop: { every: 1s }\n  ${AGENTS[name]}\n`,
    );
  }
  api = await startApiProcess(village);
  play = new Play(api.url);
  await play.everybody();
});
after(async () => {
  await residents.remove();
  await api.stop('SIGTERM');
  await village.remove();
});

async function start(name: Name): Promise<void> {
  running.set(name, await residents.start(name));
}

/**
 * The turns of an agent, newest first: a page has the newest 100, which is under two minutes of an agent with one turn
 * a second.
 */
async function turnsOf(name: Name): Promise<readonly Recorded[]> {
  const turns: Recorded[] = [];
  let cursor: string | null | undefined;
  while (cursor !== null) {
    const page = await play.admin.listTurns({
      agent_id: name,
      limit: 100,
      ...(cursor === undefined ? {} : { cursor }),
    });
    turns.push(...page.turns);
    cursor = page.next_cursor;
  }
  return turns;
}

/** Bob has no process yet, so the test moves him to ada. */
async function bringBobTo(ada: AgentDetail): Promise<void> {
  const landmark_id = ada.moving_to?.landmark_id ?? ada.landmark_id;
  if (landmark_id !== null) await play.admin.raw.moveAgent({ agent_id: 'bob', landmark_id });
}

test('the runtime of ada gets prompt, repository and branch, and answers speech', async () => {
  await start('ada');
  const turn = await until(
    'ada has answered',
    async () => {
      const said = await play.admin.raw.actAsAgent({
        agent_id: 'bob',
        kind: 'talk',
        text: 'List files in repository',
        to: 'ada',
      });
      if (!said.ok) await bringBobTo(await play.agent('ada'));
      return (await turnsOf('ada')).find(({ acted }) => String(acted['said']).includes('List files in repository'));
    },
    { pauseMs: 500 },
  );
  assert.equal(turn.trigger, 'wake');
  assert.equal(turn.wake?.kind, 'spoken_to');
  assert.match(
    String(turn.acted['said']),
    /^\[STUB RESPONSE\]\nReceived prompt: List files in repository\nContext: repo=https:\/\/example\.org\/engine\.git, branch=trunk\n/,
  );
});

test('both residents connect and walk', async () => {
  await start('bob');
  const seen = new Map(
    await Promise.all(NAMES.map(async (name) => [name, (await play.agent(name)).position] as const)),
  );
  for (const name of NAMES) {
    await until(`${name} is connected`, async () => (await play.agent(name)).status.health === 'healthy');
    await until(`${name} has walked`, async () => {
      const { position } = await play.agent(name);
      return position.x !== seen.get(name)?.x || position.y !== seen.get(name)?.y;
    });
  }
});

/** Waits for a turn whose walk the village accepted. */
function walked({ acted, decided }: Turn): boolean {
  return acted['outcome'] === 'accepted' && (decided['command'] as { kind: string }).kind === 'move';
}

/** An agent may stay at a place for two minutes. The test moves an agent that stands, so that it walks back. */
async function leadAway(name: Name): Promise<void> {
  const { moving_to, landmark_id } = await play.agent(name);
  if (moving_to !== null) return;
  const away = landmark_id === 'cafe' ? 'library' : 'cafe';
  await play.admin.raw.moveAgent({ agent_id: name, landmark_id: away });
}

test('each turn records perception, decision with reason, actions and reflection', async () => {
  for (const name of NAMES) {
    const turns = await until(
      `${name} has lived five turns and walked in one of them`,
      async () => {
        const lived = await turnsOf(name);
        if (lived.length >= 5 && lived.some(walked)) return lived;
        await leadAway(name);
        return undefined;
      },
      { pauseMs: 1_000 },
    );
    const moved = turns.find(walked);
    assert.ok(moved !== undefined);
    assert.deepEqual(Object.keys(moved.perceived).toSorted(), ['board', 'standing', 'world']);
    assert.ok(moved.decided.why.length > 0);
    assert.match(
      JSON.stringify(moved.reflected['stay']),
      /"entry":"Day \d+, \d\d:\d\d[^"]*: I (?:went to|was) [^"]+ because /,
    );
    assert.ok(turns.every(({ cycle }) => cycle === turns[0]?.cycle));
  }
});

test('a reboot ends the old process with exit code 0, and the next process continues in the new cycle', async () => {
  const old = running.get('bob');
  assert.ok(old !== undefined);
  const ended = once(old, 'exit');
  await play.admin.rebootAgent({ agent_id: 'bob' });
  assert.deepEqual((await ended)[0], 0);
  await start('bob');
  const { cycle } = await play.agent('bob');
  await until('bob lives in the new cycle', async () => (await turnsOf('bob')).some((turn) => turn.cycle === cycle));
});

test('after SIGTERM the resident ends with exit code 0 and is disconnected', async () => {
  const resident = running.get('ada');
  assert.ok(resident !== undefined);
  const ended = once(resident, 'exit');
  resident.kill('SIGTERM');
  assert.deepEqual((await ended)[0], 0);
  await until('ada is not connected', async () => !(await play.agent('ada')).status.online);
});
