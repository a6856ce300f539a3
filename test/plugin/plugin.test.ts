/** `kubectl hamlet` as a person runs it: the bundled file on PATH, the real kubectl, a real API server and a real api. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { pluck } from '../env/pluck.ts';
import { after, before, test } from '../env/cluster-test.ts';
import { promisify } from 'node:util';
import { API_VERSION, CHAIN, type Agent } from '@hamlet/contract/kinds';
import type { KubeObject, ResourceType } from '@hamlet/kube';
import { AGENTS, ENTITLEMENTS, SCHEDULES } from '@hamlet/operator';
import { testApiServer, type TestApiServer } from '@hamlet/test/env/api-server';
import type { TestVillage } from '../../api/server/src/testing/test-village.ts';
import { clientOf, eventually, startTestVillage, TOKENS, Play } from '../../api/server/src/testing/test-village.ts';
import { buildPlugin } from '../../cli/kubectl/build.ts';
import { testFolder } from '../env/at-end.ts';

const ROOT = resolve(import.meta.dirname, '../..');
/** A Node that people may have on their machines, other than the project's own. */
const SYSTEM_NODE = '/usr/bin/node';

interface Said {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

const folder = testFolder('plugin');
let bin: string;
let plugin: string;
let kube: TestApiServer;
let village: TestVillage;
let play: Play;
let namespace: string;

before(async () => {
  const [printed, server, made] = await Promise.all([
    promisify(execFile)(join(ROOT, 'local/cluster/build.sh'), ['--print-bin']),
    testApiServer(),
    startTestVillage(),
  ]);
  bin = printed.stdout.trim();
  kube = server;
  village = made;
  plugin = await buildPlugin(join(folder, 'dist'));
  await kube.installCrds();
  namespace = await kube.namespace();
  play = new Play((await village.startReplica()).peopleUrl);
  await create(ENTITLEMENTS, 'tier-0', {
    rank: 0,
    limits: { requestsPerMinute: 1, concurrentTools: 1, tokensPerHour: 1 },
    price: { perHour: '0.5' },
  });
  await kube.client.mergePatch(
    ENTITLEMENTS,
    { status: { seats: { total: 2, free: 1 } } },
    { namespace, name: 'tier-0', subresource: 'status' },
  );
  await create(AGENTS, 'ada', {});
});
after(async () => {
  await village.remove();
  await kube.remove();
});

function create(type: ResourceType, name: string, spec: object): Promise<unknown> {
  return kube.client.create(
    type,
    { apiVersion: API_VERSION, kind: type.kind, metadata: { name }, spec },
    { namespace },
  );
}

interface Setting {
  readonly environment?: Readonly<Record<string, string>>;
  readonly onOutput?: (stdout: string) => void;
}

/** Runs a program with only kubectl, the plugin and a Node on PATH; accepts any exit code. */
function run(
  program: string,
  args: readonly string[],
  { environment = {}, onOutput = () => undefined }: Setting = {},
): Promise<Said> {
  const PATH = [bin, dirname(plugin), dirname(process.execPath), '/usr/bin', '/bin'].join(':');
  const env = { PATH, HOME: folder, KUBECONFIG: kube.kubeconfig, ...environment };
  return new Promise((done) => {
    const child = execFile(program, args, { env, cwd: folder }, (error, stdout, stderr) =>
      done({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
    );
    child.stdout?.on('data', (text: string) => onOutput(text));
  });
}

const hamlet = (line: string, environment: Readonly<Record<string, string>> = {}): Promise<Said> =>
  run(join(bin, 'kubectl'), ['hamlet', ...line.split(' '), '--namespace', namespace], { environment });

/** Runs the plugin on the test's village as an admin; `heard` resolves at its first output. */
function listening(...words: readonly string[]): { readonly said: Promise<Said>; readonly firstOutput: Promise<void> } {
  const firstOutput = Promise.withResolvers<void>();
  const environment = { HAMLET_URL: play.url, HAMLET_TOKEN: TOKENS.admin };
  const args = ['hamlet', ...words, '--namespace', namespace];
  const said = run(join(bin, 'kubectl'), args, { environment, onOutput: () => firstOutput.resolve() });
  return { said, firstOutput: firstOutput.promise };
}

/** Sets the conditions of the chain, and those outside it. */
async function conditions(name: string, stopsAt: string | undefined, beside: readonly object[] = []): Promise<void> {
  const at = stopsAt === undefined ? CHAIN.length : CHAIN.findIndex((type) => type === stopsAt);
  const list = CHAIN.map((type, index) => ({
    type,
    status: index < at ? 'True' : 'False',
    reason: index < at ? type : 'NoSeat',
    message: index < at ? '' : 'tier-0: 2 of 2 seats are taken',
    lastTransitionTime: '2026-11-22T10:00:00Z',
  }));
  await kube.client.mergePatch(
    AGENTS,
    { status: { conditions: [...list, ...beside], cycle: 1, tier: 'tier-0' } },
    { namespace, name, subresource: 'status' },
  );
}

const agent = (name: string): Promise<Agent & KubeObject> => kube.client.get(AGENTS, { namespace, name });

test('the plugin is one file, which runs under every supported Node', async () => {
  const { stdout } = await hamlet('--help');
  assert.match(stdout, /Usage: kubectl hamlet COMMAND/);
  for (const command of [
    'why',
    'awake',
    'sleep',
    'reboot',
    'logs',
    'runs',
    'run',
    'needs',
    'away',
    'permissions',
    'approve',
    'deny',
    'models',
    'schedules',
    'plan',
  ]) {
    const help = await run(process.execPath, [plugin, command, '--help']);
    assert.deepEqual(
      [help.code, help.stderr, help.stdout.includes(`Usage: kubectl hamlet ${command} `)],
      [0, '', true],
      command,
    );
  }
  const copy = join(folder, 'kubectl-hamlet');
  await promisify(execFile)('cp', [plugin, copy]);
  if (existsSync(SYSTEM_NODE)) assert.match((await run(SYSTEM_NODE, [copy, '--help'])).stdout, /Usage: kubectl hamlet/);
});

test('why prints the chain of conditions and the fix, and sets the exit code', async () => {
  await conditions('ada', 'Admitted');
  const waiting = await hamlet('why ada');
  assert.equal(waiting.code, 1);
  assert.match(
    waiting.stdout,
    /ada does not run: tier-0: 2 of 2 seats are taken\n[^]*✗ Admitted {6}NoSeat[^]*How to fix NoSeat: /,
  );
  const forPrograms = JSON.parse((await hamlet('why ada -o json')).stdout) as {
    ready: boolean;
    blocking: { type: string };
  };
  assert.deepEqual([forPrograms.ready, forPrograms.blocking.type], [false, 'Admitted']);
  await conditions('ada', undefined);
  const ready = await hamlet('why ada');
  assert.deepEqual([ready.code, ready.stdout.split('\n')[0]], [0, 'ada is in the world (cycle 1, tier tier-0)']);
  const all = await hamlet('why');
  assert.deepEqual([all.code, all.stdout], [0, 'all of 1 agents are in the world\n']);
  const lastTransitionTime = '2026-11-22T10:00:00Z';
  const hands = { type: 'HandsReady', status: 'False', reason: 'HandsCrashLooping', message: 'restarts: 4' };
  await conditions('ada', undefined, [{ ...hands, lastTransitionTime }]);
  const troubled = await hamlet('why');
  assert.equal(troubled.code, 0, 'an agent whose hands are in trouble is ready');
  assert.match(troubled.stdout, /^ada is in the world[^]*✗ HandsReady {4}HandsCrashLooping {4}restarts: 4\n/);
  assert.match(troubled.stdout, /How to fix HandsCrashLooping: /);
  await conditions('ada', undefined);
  const unknown = await hamlet('why zoe');
  assert.deepEqual([unknown.code, unknown.stderr], [1, 'there is no Agent "zoe" in this namespace; there are ada\n']);
});

test('sleep, awake and reboot write the printed change, once', async () => {
  assert.equal((await hamlet('sleep ada')).stdout, 'ada is going to sleep\n');
  assert.equal((await agent('ada')).spec.power, 'Asleep');
  assert.equal((await hamlet('sleep ada')).stdout, 'ada sleeps already\n');
  const refused = await hamlet('reboot ada');
  assert.deepEqual([refused.code, refused.stderr], [1, 'ada is asleep and cannot reboot: kubectl hamlet awake ada\n']);
  assert.equal((await hamlet('awake ada')).stdout, 'ada is being awakened\n');
  assert.equal((await hamlet('reboot ada')).code, 0);
  assert.match((await agent('ada')).spec.rebootedAt ?? '', /^\d{4}-/);
});

test('plan lists creations, refusals, prices, seats and next firings, and changes nothing', async () => {
  const file = join(folder, 'village.yaml');
  const object = (kind: string, name: string, spec: string): string =>
    `apiVersion: ${API_VERSION}\nkind: ${kind}\nmetadata: { name: ${name} }\nspec: ${spec}\n`;
  await writeFile(
    file,
    [
      object('Agent', 'bob', '{}'),
      object('Agent', 'cleo', '{}'),
      object('Agent', 'bad', '{ power: Dozing }'),
      object('Schedule', 'tick', '{ agentName: bob, prompt: Walk., every: 1h }'),
      object('Schedule', 'worse', '{ agentName: bob, prompt: Walk. }'),
    ].join('---\n'),
  );
  const planned = await hamlet(`plan -f ${file}`);
  assert.equal(planned.code, 1, 'something is refused');
  assert.match(
    planned.stdout,
    /\+ Agent bob would be created\n[^]*12 aiDollars a day awake \(tier-0\)\n {4}seats of tier-0: 1 of 2 free now, 0 after it/,
  );
  assert.match(planned.stdout, /\+ Agent cleo would be created\n[^]*! no seat of tier-0 is free/);
  assert.match(
    planned.stdout,
    /✗ Agent bad would be refused\n {4}! spec\.power: Unsupported value: "Dozing": supported values: "Awake", "Asleep"\n/,
  );
  assert.match(
    planned.stdout,
    /\+ Schedule tick would be created\n {4}starts runs of bob\n {4}fires 24 times in the next 24 hours, next at 2/,
  );
  assert.match(
    planned.stdout,
    /✗ Schedule worse would be refused\n {4}! spec: Invalid value: write exactly one of every, cron and dailyAt/,
  );
  assert.match(planned.stdout, /3 to create, 0 to change, 0 unchanged, 2 refused; the agents cost 24 aiDollars a day/);
  const report = JSON.parse((await hamlet(`plan -f ${file} -o json`)).stdout) as { refused: number };
  assert.equal(report.refused, 2);
  const { items } = await kube.client.list<KubeObject>(AGENTS, { namespace });
  assert.deepEqual(
    items.map(({ metadata }) => metadata.name),
    ['ada'],
  );
});

test('schedules lists all schedules, or the next firings of one', async () => {
  await create(SCHEDULES, 'tick', { agentName: 'ada', prompt: 'Walk.', every: '10s' });
  const nextRuns = ['2126-11-22T10:00:00Z', '2126-11-22T10:00:10Z'];
  await kube.client.mergePatch(
    SCHEDULES,
    { status: { timing: 'every 10s', nextRunAt: nextRuns[0], nextRuns, activeRuns: 1, missed: 2 } },
    { namespace, name: 'tick', subresource: 'status' },
  );
  assert.match(
    (await hamlet('schedules')).stdout,
    /^NAME +SCHEDULE +AGENTS +LAST +NEXT +ACTIVE +MISSED +STATE\ntick +every 10s +ada +- +in \d+d +1 +2 +NotObserved\n$/,
  );
  assert.match((await hamlet('schedules tick')).stdout, /next: +2126-11-22T10:00:10Z/);
  assert.match((await hamlet('schedules none')).stderr, /"none" not found/);
});

test('runs reads from the api with a token; without one the error explains how to get a token', async () => {
  const member = clientOf(play.url, TOKENS.member);
  await member.createRun({ agent_id: 'ada', prompt: 'Water the flowers.' });
  const place = { HAMLET_URL: play.url, HAMLET_TOKEN: TOKENS.member };
  assert.match(
    (await hamlet('runs ada', place)).stdout,
    /^RUN +AGENT +MIND +STATE +FROM +AGE +ATTEMPT +DELIVERED +SUMMARY\n\S+ +ada +- +queued +key member +\d+[sm] +0 +Water the flowers\.\n$/,
  );
  const { runs } = JSON.parse((await hamlet('runs -o json --state queued', place)).stdout) as {
    runs: readonly { prompt: string }[];
  };
  assert.deepEqual(pluck(runs, 'prompt'), ['Water the flowers.']);
  assert.match((await hamlet('runs')).stderr, /make an API key in the web.* and put it into HAMLET_TOKEN/);
  assert.match((await hamlet('runs', { ...place, HAMLET_TOKEN: 'wrong' })).stderr, /token/);
  assert.match((await hamlet('runs --state resting', place)).stderr, /must be one of queued, running/);
});

test('run shows, cancels and continues a run; permissions prints an empty list; deny refuses an unknown id', async () => {
  const created = await play.admin.createRun({ agent_id: 'ada', prompt: 'Sweep the square.' });
  const place = { HAMLET_URL: play.url, HAMLET_TOKEN: TOKENS.admin };
  const id = created.run.run_id;
  assert.match(
    (await hamlet(`run ${id}`, place)).stdout,
    /^run of ada, \d+[sm] old: Sweep the square\.\n {2}waits for the agent\nqueued: 0 steps, 0 tokens, 0 aiDollars\n$/,
  );
  assert.equal((await hamlet(`run ${id} cancel --reason mistake`, place)).stdout, 'cancelled\n');
  assert.equal((await hamlet(`run ${id} cancel`, place)).code, 1);
  assert.match((await hamlet(`run ${id} continue`, place)).stdout, /^run \S+ continues it\n$/);
  assert.match((await hamlet(`run ${id} repeat`, place)).stderr, /the verbs are cancel and continue/);
  const none = await hamlet('permissions ada', place);
  assert.deepEqual([none.code, none.stdout], [0, 'no permission is pending\n']);
  assert.match((await hamlet('approve 0f7c2b1e', place)).stderr, /no pending permission begins with 0f7c2b1e/);
  const unknown = await hamlet(`deny ${id} --reason no`, place);
  assert.deepEqual([unknown.code, unknown.stdout], [1, '']);
});

test('runs NAME --follow prints the open run as it happens, and ends with it', async () => {
  const given = await play.admin.createRun({ agent_id: 'bob', prompt: 'Fetch water.' });
  const params = { run_id: given.run.run_id };
  const { said, firstOutput } = listening('runs', 'bob', '--follow');
  await firstOutput;
  const bob = play.as('bob');
  const { cycle } = await play.agent('bob');
  const { run } = await bob.startRun({ ...params, cycle });
  const claim = { cycle, attempt: run.attempt };
  const step = { ...claim, step: 0, outcome: 'done', text: 'Went to the well.' } as const;
  await bob.recordRunStep({ ...params, ...step });
  await bob.settleRun({ ...params, ...claim, state: 'done', summary: 'The bucket is full.' });
  const { code, stdout } = await said;
  assert.equal(code, 0, stdout);
  assert.match(
    stdout,
    /^run \S+: Fetch water\.\n {2}waits for the agent\n {2}started\n {2}step: [^\n]*Went to the well[^]*\ndone: \d+ steps?, [^\n]*\nThe bucket is full\.\n$/,
  );
});

test('chat sends a message, prints the answer once, and then exits', async () => {
  const { said } = listening('chat', 'cleo', '--once=How is the bread?');
  const cleo = play.as('cleo');
  const asked = await eventually('the message is a run', async () => {
    return (await cleo.nextRun({ agent_id: 'cleo', lane: 'message' })).run;
  });
  assert.equal(asked.prompt, 'How is the bread?');
  const params = { run_id: asked.run_id };
  const { cycle } = await play.agent('cleo');
  const { run: started } = await cleo.startRun({ ...params, cycle, runtime: 'engine' });
  const answer = 'Warm \u001b[31mand good.';
  await cleo.settleRun({ ...params, cycle, attempt: started.attempt, state: 'done', summary: 'Answered.', answer });
  const { code, stdout, stderr } = await said;
  assert.deepEqual([code, stderr], [0, '']);
  assert.match(stdout, /\nWarm \ufffd\[31mand good\.\n {2}0 steps, 0 aiDollars\n$/);
  assert.equal(stdout.split('Warm').length, 2);
  assert.match((await hamlet('chat cleo', { HAMLET_URL: play.url, HAMLET_TOKEN: TOKENS.admin })).stderr, /--once=TEXT/);
});

test('chat gives files with the message, and refuses an unfit one before it sends anything', async () => {
  const csv = join(folder, 'sums.csv');
  writeFileSync(csv, 'a,b\n1,2\n');
  const { said } = listening('chat', 'cleo', '--once=Add them up.', `--file=${csv}`);
  const cleo = play.as('cleo');
  const asked = await eventually('the message is a run', async () => {
    return (await cleo.nextRun({ agent_id: 'cleo', lane: 'message' })).run;
  });
  assert.match(asked.prompt, /^Add them up\.\n\nFiles of this message:\n- .*\/sums\.csv \(text\/plain, 8 bytes\)$/);
  const params = { run_id: asked.run_id };
  const { cycle } = await play.agent('cleo');
  const { run: started, files = [] } = await cleo.startRun({ ...params, cycle, runtime: 'engine' });
  assert.equal(files.length, 1);
  await cleo.settleRun({
    ...params,
    cycle,
    attempt: started.attempt,
    state: 'done',
    summary: 'Three.',
    answer: 'Three.',
  });
  assert.equal((await said).code, 0);
  const place = { HAMLET_URL: play.url, HAMLET_TOKEN: TOKENS.admin };
  assert.match((await hamlet(`run ${asked.run_id}`, place)).stdout, /: Add them up\.\nfiles: sums\.csv\n/);
  const refused = await hamlet(`chat cleo --once=Hi --file=${join(folder, 'missing.csv')}`, place);
  assert.deepEqual([refused.code, refused.stdout], [1, '']);
  assert.match(refused.stderr, /cannot read .*missing\.csv/);
});

test('models lists the provider of each model; a failed test of a model explains the failure', async () => {
  const place = { HAMLET_URL: play.url, HAMLET_TOKEN: TOKENS.member };
  const listed = await hamlet('models', place);
  assert.equal(listed.code, 0, listed.stderr);
  assert.match(listed.stdout, /^NAME +STATE +PROVIDER +KIND +CONTEXT +TIERS\n/);
  assert.match(listed.stdout, /^small +Scripted +scripted +scripted /m);
  assert.match(listed.stdout, /No language model answers/);
  assert.match((await hamlet('models list --agent ada', place)).stdout, /^ada may use .*small/m);
  const refused = await hamlet('models test small', place);
  assert.deepEqual([refused.code, refused.stdout], [1, '']);
  const asAdmin = { ...place, HAMLET_TOKEN: TOKENS.admin };
  const tested = await hamlet('models test small', asAdmin);
  assert.deepEqual([tested.code, tested.stderr], [0, '']);
  assert.match(tested.stdout, /^small: the scripted mind answered, and no language model was asked\n/);
  assert.match((await hamlet('models test none --provider', asAdmin)).stderr, /No provider of this name is connected/);
});

test('logs of an agent without a pod explain why there are none', async () => {
  assert.match((await hamlet('logs ada')).stderr, /ada has no pod/);
});
