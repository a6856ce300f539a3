/** The memory of repositories: two residents' processes, each with its own hands, real git and the API. Only the model is scripted. */
import assert from 'node:assert/strict';
import { execFileSync, type ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { type MemoryEntry, type Run } from '@hamlet/contract';
import { startHands, type Hands } from '@hamlet/test/env/hands/start-hands';
import { atEnd, untilEnd, testFolder, setVariables } from '@hamlet/test/env/at-end';
import { dataOf } from '@hamlet/test/env/client';
import { wireModels } from '../gateway/testing/wire-models.ts';
import { askFor, startCallMind } from '../runs/testing/call-mind.ts';
import { firstAdmin, invite, type SignedInPerson } from '../testing/play/people-play.ts';
import { SessionPlay } from '../testing/play/session-play.ts';
import { testResidents } from '../testing/resident-process.ts';
import { eventually, type AgentId, testVillage } from '../testing/test-village.ts';

const PROGRAM = resolve(import.meta.dirname, '../../../../agent-image/resident/src/mcp/testing/memory-program.ts');
const RULES = JSON.stringify([
  {
    tools: ['read', 'speak', 'act', 'exec', 'write_inside', 'write_outside', 'network'],
    verdict: 'allow',
    tainted: 'allow',
    reason: 'A test',
  },
]);
const AGENT = (name: string): string => `apiVersion: hamlet.village/v1alpha1
kind: Agent
metadata: { name: ${name} }
spec:
  displayName: ${name}
  entitlement: { policy: Pinned, name: tier-1 }
  mcpServers: [{ name: memory, command: ["${process.execPath}", "${PROGRAM}"], class: write_inside }]
`;

const allHands = new Map<string, Hands>();
const processes = new Map<string, ChildProcess>();
const folder = testFolder('memory');

const git = (cwd: string, ...args: string[]): void =>
  void execFileSync('git', ['-c', 'user.name=P', '-c', 'user.email=p@p.org', ...args], { cwd, stdio: 'ignore' });

function server(name: string): void {
  const seed = join(folder, `${name}.seed`);
  mkdirSync(seed);
  git(seed, 'init', '-q', '-b', 'main');
  writeFileSync(join(seed, 'name'), name);
  git(seed, 'add', '-A');
  git(seed, 'commit', '-qm', 'first');
  git(seed, 'clone', '-q', '--bare', seed, join(folder, `${name}.git`));
}

/** Starts the resident of an agent with its own hands, as on its own node. */
async function start(agentId: AgentId): Promise<void> {
  const hands = allHands.get(agentId) ?? (await startHands());
  allHands.set(agentId, hands);
  setVariables({
    HAMLET_HANDS_SOCKET: hands.socket,
    HAMLET_HANDS_WORKSPACE: hands.workspace,
    HAMLET_HANDS_HOME: homeOf(agentId),
  });
  mkdirSync(homeOf(agentId), { recursive: true });
  processes.set(agentId, await residents.start(agentId));
}
const homeOf = (agentId: AgentId): string => join(allHands.get(agentId)?.workspace ?? '', '.home');

const config = join(folder, 'gitconfig');
writeFileSync(config, `[url "file://${folder}/"]\n\tinsteadOf = https://git.example.org/\n[safe]\n\tdirectory = *\n`);
setVariables({ GIT_CONFIG_GLOBAL: config });
['bakery', 'mill'].forEach(server);
const mind = untilEnd(await startCallMind());
const village = await testVillage({ villageSpeed: 20 });
const samples = village.samples;
for (const name of ['ada', 'bob']) writeFileSync(join(samples, `good-agent-${name}.yaml`), AGENT(name));
const REPOSITORIES = JSON.stringify([{ repository: 'git.example.org/*', members: ['*'] }]);
const replica = await village.startReplica(
  { HAMLET_TOOL_RULES: RULES, HAMLET_REPOSITORIES: REPOSITORIES },
  { models: wireModels(mind.url) },
);
const talk = new SessionPlay(replica.peopleUrl);
const residents = testResidents(talk.play);
await talk.play.everybody();
for (const agent_id of ['ada', 'bob'])
  await talk.play.admin.rewardAgent({ agent_id, amount: '100', reason: 'for models' });
const grace = await firstAdmin(talk.play.url);
const mia = await invite(grace, talk.play.url, { name: 'Mia', role: 'member' });
const noa = await invite(grace, talk.play.url, { name: 'Noa', role: 'member' });
const NOA = [noa] as const;
const LEAVING = { type: 'entity', name: 'desk', entityType: 'thing', observations: ['Mia packs her things.'] };
atEnd(async () => {
  await Promise.all([...allHands.values()].map((hands) => hands.remove()));
});
await start('ada');
await start('bob');

async function session(
  agentId: AgentId,
  name: string | null,
  [opener, ...people]: readonly [SignedInPerson, ...string[]] = [mia],
): Promise<string> {
  const repository =
    name === null ? {} : { repository: { url: `https://git.example.org/${name}.git`, branch: 'main' } };
  const { session: made } = await opener.client.createSession({
    agent_id: agentId,
    people: [...people],
    ...repository,
  });
  return made.session_id;
}

/** Sends calls in a new session on a repository, and returns the run once it has ended. */
async function say(agentId: AgentId, name: string | null, ...calls: readonly string[]): Promise<Run> {
  const { run } = dataOf(await talk.say(mia.client, await session(agentId, name), calls.join('\n')));
  const ended = await talk.ended(run.run_id);
  assert.equal(ended.state, 'done', JSON.stringify(ended.error));
  return ended;
}
const saidBy = async (...asked: Parameters<typeof say>): Promise<string> => (await say(...asked)).summary ?? '';
const remember = (text: string): string => askFor('remember', { text });
const list = askFor('list_memories', {});
const shell = (command: string): string => askFor('shell', { command });
const observe = (name: string, text: string): string => askFor('mcp__memory__observe', { name, text });
const readGraph = askFor('mcp__memory__read', {});

async function memoryOf(name: string): Promise<readonly MemoryEntry[]> {
  return (await mia.client.getRepositoryMemory({ repository: `git.example.org/${name}` })).entries;
}

test('sessions and agents on the same repository share a memory; other repositories do not see it', async () => {
  await say('ada', 'bakery', remember('Rye needs 40 minutes.'));
  assert.match(await saidBy('ada', 'bakery', list), /Rye needs 40 minutes/);
  const bob = await say('bob', 'bakery', list);
  assert.match(
    bob.summary ?? '',
    /by ada, from outside, private to the people of this conversation: Rye needs 40 minutes/,
  );
  assert.deepEqual(
    bob.taint?.map(({ source }) => source),
    ['memory'],
  );
  for (const other of ['mill', null]) assert.doesNotMatch(await saidBy('ada', other, list), /Rye/);
});

test('words of a person in a session on a repository are for the people of the session, in every place', async () => {
  const files = 'cat $MEMORY_FILE_PATH; cat /dev/null $(find "$(dirname $MEMORY_FILE_PATH)/.." -name "*.jsonl")';
  const read = [askFor('list_memories', { limit: 5 }), readGraph, shell(files)];
  const write = [remember('Mia looks for another job.'), observe('job', 'Mia leaves in May.')];
  const noted = await saidBy('ada', 'bakery', ...write, shell(`echo '${JSON.stringify(LEAVING)}' >>$MEMORY_FILE_PATH`));
  assert.match(noted, /Remembered as m-[0-9a-f]+ in this repository, for the people of this conversation/);
  assert.match(await saidBy('bob', 'bakery', ...read), /private to the people of this conversation[^]*leaves in May/);
  for (const [agent, people] of [
    ['ada', NOA],
    ['bob', [mia, 'Noa']],
  ] as const) {
    const { run } = dataOf(await talk.say(people[0].client, await session(agent, 'bakery', people), read.join('\n')));
    const { state, summary } = await talk.ended(run.run_id);
    assert.equal(state, 'done');
    assert.match(summary ?? '', /Nothing is remembered/);
    assert.doesNotMatch(summary ?? '', /job|May/);
  }
  const entries = (await noa.client.getRepositoryMemory({ repository: 'git.example.org/bakery' })).entries;
  assert.doesNotMatch(JSON.stringify(entries), /job|May/);
  assert.match(JSON.stringify(await memoryOf('bakery')), /another job[^]*leaves in May[^]*packs her things/);
});

test('an agent without a repository remembers for itself', async () => {
  const id = await session('ada', null);
  const speak = async (text: string): Promise<string> => {
    const { run } = dataOf(await talk.say(mia.client, id, text));
    return (await talk.ended(run.run_id)).summary ?? '';
  };
  await speak(remember('Mia likes tea.'));
  assert.match(await speak(list), /private to the people of this conversation: Mia likes tea/);
  assert.doesNotMatch(JSON.stringify(await memoryOf('bakery')), /tea/);
});

test("the memory server has the repository's graph on both nodes, with the entries of both agents", async () => {
  await say('ada', 'bakery', observe('oven', 'It is hot.'));
  assert.match(
    await saidBy('bob', 'bakery', observe('oven', 'It has two doors.'), readGraph),
    /It is hot[^]*two doors/,
  );
  assert.match(await saidBy('ada', 'bakery', readGraph), /It is hot[^]*two doors/);
  assert.doesNotMatch(await saidBy('ada', 'mill', readGraph), /oven/);
  const oven = (await memoryOf('bakery')).find(({ name }) => name === 'oven');
  assert.deepEqual(
    [oven?.observations, oven?.agent_id, oven?.outside],
    [['It is hot.', 'It has two doors.'], 'ada', true],
  );
});

test('two simultaneous sessions on two repositories share neither work tree nor memory', async () => {
  const write = shell(
    `echo '{"type":"entity","name":"of '$(cat name)'","entityType":"thing","observations":["x"]}' >>$MEMORY_FILE_PATH; pwd; ls; cat $MEMORY_FILE_PATH; touch mine-$(cat name)`,
  );
  const both = await Promise.all([saidBy('ada', 'bakery', write), saidBy('ada', 'mill', write)]);
  assert.deepEqual(
    both.map((said) => [/of bakery/.test(said), /of mill/.test(said)]),
    [
      [true, false],
      [false, true],
    ],
  );
  const workspace = allHands.get('ada')?.workspace ?? '';
  for (const [name, other] of [
    ['bakery', 'mill'],
    ['mill', 'bakery'],
  ] as const) {
    const has = (file: string): boolean => existsSync(join(workspace, name, file));
    assert.deepEqual([has(`mine-${name}`), has(`mine-${other}`)], [true, false]);
    assert.ok(
      (await memoryOf(name)).some((entry) => entry.name === `of ${name}`),
      'the end of a run keeps its file',
    );
    assert.ok(!(await memoryOf(name)).some((entry) => entry.name === `of ${other}`));
  }
  assert.match(await saidBy('ada', 'mill', shell('cat $MEMORY_FILE_PATH; ls')), /of mill[^]*mine-mill/);
});

test('after a kill, the next resident keeps what a program wrote to the file, and what was confirmed', async () => {
  const child = processes.get('ada');
  assert.ok(child !== undefined);
  const id = await session('ada', 'mill');
  const line = JSON.stringify({ type: 'entity', name: 'late', entityType: 'thing', observations: ['kept'] });
  const calls = [
    remember('Answered before the kill.'),
    shell(`echo '${line}' >>$MEMORY_FILE_PATH; touch wrote; sleep 6`),
  ];
  const { run } = dataOf(await talk.say(mia.client, id, calls.join('\n')));
  const wrote = join(allHands.get('ada')?.workspace ?? '', 'mill/wrote');
  await eventually('the program wrote', async () => existsSync(wrote));
  await residents.kill(child);
  assert.match(JSON.stringify(await memoryOf('mill')), /Answered before the kill/);
  await start('ada');
  await talk.ended(run.run_id);
  const said = await saidBy('ada', 'mill', list);
  assert.match(said, /Answered before the kill/);
  assert.match(said, /late/);
  assert.equal((await memoryOf('mill')).find(({ name }) => name === 'late')?.agent_id, 'ada');
});

test('an entry that a person deletes is missing in the file of the next session', async () => {
  const [victim] = (await memoryOf('bakery')).filter(({ name }) => name === 'oven');
  assert.ok(victim !== undefined);
  const params = { memory_id: victim.memory_id };
  const query = { repository: 'https://git.example.org/bakery.git' };
  await mia.client.forgetRepositoryEntry({ ...params, ...query });
  assert.doesNotMatch(await saidBy('ada', 'bakery', readGraph), /oven/);
  assert.doesNotMatch(await saidBy('bob', 'bakery', readGraph), /oven/);
  const memories = join(homeOf('bob'), '.mcp-memory');
  const left = readdirSync(memories, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.jsonl'));
  assert.deepEqual(left, [], 'the files of a session end with its runs');
});
