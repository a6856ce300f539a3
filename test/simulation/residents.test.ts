/** Two residents and the API as processes on a real Postgres and Redis: the residents connect, walk and speak, and a reboot replaces them. */
import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { listTurns, type AgentDetail, type CallData } from '@hamlet/contract';
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

/** The newest 100 turns of an agent, newest first. */
const turnsOf = async (name: Name): Promise<readonly Recorded[]> =>
  (await play.admin.listTurns({ agent_id: name, limit: 100 })).turns;

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
    const hasWalked = async (): Promise<boolean> => {
      const { position } = await play.agent(name);
      return position.x !== seen.get(name)?.x || position.y !== seen.get(name)?.y;
    };
    await until(`${name} has walked`, hasWalked, { state: () => turnsOf(name) });
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
