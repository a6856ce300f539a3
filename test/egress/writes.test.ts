/** A write to the outside waits for a person, from any program: Python, a plain socket, and git. Real API, database and broker. */
import assert from 'node:assert/strict';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { after, afterEach, before, test } from 'node:test';
import { dataOf } from '../env/client.ts';
import { outlast, type Working } from '../../api/server/src/permissions/testing/permission-play.ts';
import { eventually } from '../../api/server/src/testing/test-village.ts';
import type { BrokerProcess, GuardedVillage, Program } from './guarded-village.ts';
import { runProgram, startGuardedVillage } from './guarded-village.ts';

const OWN = 'refs/heads/hamlet/ada/fix';
const URLLIB = resolve(import.meta.dirname, 'urllib-post.py');
const SOCKET = resolve(import.meta.dirname, 'socket-post.py');

let world: GuardedVillage;
let broker: BrokerProcess;
let working: Working;

before(async () => {
  world = await startGuardedVillage();
  broker = await world.startBroker();
});
after(async () => {
  await broker?.stop();
  await world.remove();
});
afterEach(async () => {
  await world.permits.endAll();
  world.arrived.length = 0;
});

/**
 * A program, the summary of its write in the permission, the output of its success, and the number of its writes that
 * arrived.
 */
interface Case {
  readonly name: string;
  readonly tool: string;
  readonly asks: RegExp;
  readonly done: RegExp;
  prepare(): Promise<Program>;
  arrivals(): number;
}

const post = (url: string, body: string): Program => ({ program: ['python3', URLLIB, url, body] });

async function git(cwd: string, proxy: string, ...args: string[]): Promise<void> {
  const own = ['-c', 'user.name=Ada', '-c', 'user.email=ada@hamlet'];
  const { code, out } = await runProgram(world, proxy, { program: ['git', ...own, ...args], cwd }).ended;
  assert.equal(code, 0, `git ${args.join(' ')}: ${out}`);
}

async function cloneWithCommit(): Promise<string> {
  const proxy = await world.proxyOf(broker, working);
  const folder = await mkdtemp(join(world.folder, 'work-'));
  await git(folder, proxy, 'clone', '-q', 'http://hamlet/git/git.home/acme/app.git', 'app');
  const app = join(folder, 'app');
  await writeFile(join(app, 'file'), folder);
  await git(app, proxy, 'add', '-A');
  await git(app, proxy, 'commit', '-q', '-m', 'change');
  return app;
}

const arrivedAt = (line: string): number => world.arrived.filter((each) => each === line).length;

const CASES: readonly Case[] = [
  {
    name: 'urllib',
    tool: 'send_request',
    asks: /^POST https:\/\/api\.home\/notes$/,
    done: /^200 done/,
    prepare: async () => post('https://api.home/notes', 'by urllib'),
    arrivals: () => arrivedAt('POST api.home/notes by urllib'),
  },
  {
    name: 'a plain socket',
    tool: 'send_request',
    asks: /^POST https:\/\/api\.home\/socket$/,
    done: /^HTTP\/1\.1 200 [^]*done/,
    prepare: async () => ({ program: ['python3', SOCKET, 'api.home', '/socket', 'by hand'] }),
    arrivals: () => arrivedAt('POST api.home/socket by hand'),
  },
  {
    name: 'git',
    tool: 'git_push',
    asks: /^push to git\.home\/acme\/app\.git: new refs\/heads\/hamlet\/ada\/fix at /,
    done: /new branch/,
    prepare: async () => ({ program: ['git', 'push', 'origin', `HEAD:${OWN}`], cwd: await cloneWithCommit() }),
    arrivals: () => (world.onServer('for-each-ref', OWN) === '' ? 0 : 1),
  },
];

/** Starts a program of a call; returns when a person is asked about its write. */
async function begin({ tool, asks, prepare }: Case) {
  const program = await prepare();
  const running = runProgram(world, await world.proxyOf(broker, working), program);
  const permission = await world.asked(working);
  assert.equal(permission.tool, tool);
  const shown = JSON.parse(permission.arguments);
  assert.match(shown.summary, asks);
  assert.equal(shown.call, 'call-1');
  return { ...running, permission };
}

/** Outcomes that block the write, and the code that the program reads; null if its connection is cut. */
const ENDS: Readonly<
  Record<string, readonly [(begun: Awaited<ReturnType<typeof begin>>) => Promise<unknown>, string | null]>
> = {
  denied: [
    async ({ permission }) =>
      dataOf(await world.permits.answer(permission.permission_id, { answer: 'deny', reply: 'not today' })),
    'egress_person_denied',
  ],
  expired: [({ permission }) => outlast(world.village, permission.permission_id), 'egress_permission_expired'],
  cancelled: [async () => await world.permits.play.admin.cancelRun({ run_id: working.runId }), 'egress_run_cancelled'],
  braked: [
    async ({ ended }) => {
      const { admin } = world.permits.play;
      await admin.freezeAgent({ agent_id: 'ada', reason: 'odd' });
      await ended;
      await admin.liftFreeze({ agent_id: 'ada', reason: 'over' });
    },
    null,
  ],
  'given up': [async ({ killAll }) => killAll(), null],
};

for (const each of CASES) {
  test(`${each.name}: a person allows its write, and the server receives it once`, async () => {
    working = await world.permits.startRun('ada');
    const { ended, permission } = await begin(each);
    assert.equal(each.arrivals(), 0);
    dataOf(await world.permits.answer(permission.permission_id, { answer: 'allow' }));
    const { out } = await ended;
    assert.match(out, each.done);
    assert.equal(each.arrivals(), 1);
    const row = await eventually('the end of the effect', () =>
      world.village
        .openDb()
        .selectFrom('effect')
        .selectAll()
        .where('permission_id', '=', permission.permission_id)
        .where('state', '=', 'settled')
        .executeTakeFirst(),
    );
    assert.deepEqual(row.outcome, { kind: 'ok', text: 'The server answered 200.' });
    if (each.tool === 'git_push') world.onServer('update-ref', '-d', OWN);
  });

  for (const [how, [act, code]] of Object.entries(ENDS))
    test(`${each.name}: its write is ${how}, and the server receives nothing`, async () => {
      working = await world.permits.startRun('ada');
      const begun = await begin(each);
      await act(begun);
      const { out } = await begun.ended;
      if (code !== null) assert.match(out, new RegExp(code));
      await eventually('no permission is pending', async () => (await world.pending(working)).length === 0);
      assert.equal(each.arrivals(), 0);
    });
}

test('git prints that its push waits for a person while it waits', async () => {
  working = await world.permits.startRun('ada');
  const [, , push] = CASES;
  assert.ok(push !== undefined);
  const { out: printed, ended, permission } = await begin(push);
  await eventually('the message about the wait', () =>
    /remote: This push waits for the permission of /.test(printed()),
  );
  dataOf(await world.permits.answer(permission.permission_id, { answer: 'deny', reply: 'not today' }));
  const { code, out } = await ended;
  assert.equal(code, 1);
  assert.match(out, /remote rejected[^\n]*egress_person_denied[^\n]*not today/);
});

test('writes need a live run, even if a rule allows them', async () => {
  working = await world.permits.startRun('ada');
  const proxy = await world.proxyOf(broker, working);
  const open = post('https://open.home/x', 'by rule');
  assert.match((await runProgram(world, proxy, open).ended).out, /^200 done/);
  assert.deepEqual(world.arrived, ['POST open.home/x by rule']);
  await world.permits.end(working);
  for (const url of ['https://open.home/x', 'https://api.home/x']) {
    const { out } = await runProgram(world, proxy, post(url, 'late')).ended;
    assert.match(out, /^403 .*egress_no_run/);
  }
  assert.equal(world.arrived.length, 1);
});

test('a person is asked about each repetition of a write, and a run of another agent is refused', async () => {
  working = await world.permits.startRun('ada');
  const [urllib] = CASES;
  assert.ok(urllib !== undefined);
  for (const answer of ['allow', 'deny'] as const) {
    const { ended, permission } = await begin(urllib);
    dataOf(await world.permits.answer(permission.permission_id, { answer }));
    assert.match((await ended).out, answer === 'allow' ? /^200/ : /^403/);
  }
  assert.equal(urllib.arrivals(), 1);
  const other = await world.permits.startRun('bob');
  const proxy = await world.proxyOf(broker, { ...working, runId: other.runId });
  const { out } = await runProgram(world, proxy, post('https://api.home/notes', 'x')).ended;
  assert.match(out, /^403 .*egress_no_run/);
});

test('a broker killed between permission and write leaves the outcome unknown, and the write is not repeated', async () => {
  working = await world.permits.startRun('ada');
  const dying = await world.startBroker({ dieWhenPermitted: true });
  const proxy = await world.proxyOf(dying, working);
  const running = runProgram(world, proxy, post('https://api.home/notes', 'by urllib'));
  const permission = await world.asked(working);
  dataOf(await world.permits.answer(permission.permission_id, { answer: 'allow' }));
  assert.match((await running.ended).out, /^broken/);
  const [urllib] = CASES;
  assert.ok(urllib !== undefined);
  const again = await begin(urllib);
  assert.match(again.permission.reason, /it is unknown whether it happened/);
  assert.equal(urllib.arrivals(), 0);
  dataOf(await world.permits.answer(again.permission.permission_id, { answer: 'allow' }));
  assert.match((await again.ended).out, /^200/);
  assert.equal(urllib.arrivals(), 1);
  await dying.stop();
});

test('egress records contain each write with run and call, and the code of each refusal', async () => {
  const { attempts } = await world.permits.play.admin.listEgress({ agent_id: 'ada', host: 'api.home', limit: 100 });
  const codes = new Set(attempts.map(({ refused }) => refused));
  for (const code of [
    null,
    'egress_person_denied',
    'egress_permission_expired',
    'egress_run_cancelled',
    'egress_no_run',
  ])
    assert.ok(codes.has(code), String(code));
  assert.ok(attempts.every(({ call_id: call }) => call === 'call-1'));
});
