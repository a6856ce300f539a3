/**
 * All commands of runs, sessions, permissions, workers and money at once, on trees of runs inside sessions, while connections to Postgres
 * are killed and the village freezes. No request fails internally, no effect is lost, and the books are balanced.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Outcome } from '@hamlet/contract';
import { checkLedger } from '@hamlet/store';
import { dataOf } from '@hamlet/test/env/client';
import { cases, Seeded, seeds } from '@hamlet/test/env/seeded';
import { countDeadlocks, openSuperuser } from '@hamlet/test/env/superuser';
import { heldModels } from '../gateway/testing/held-models.ts';
import { lostEffects } from '../permissions/lost-effects.ts';
import { PermissionPlay, type Working } from '../permissions/testing/permission-play.ts';
import { SessionPlay } from '../testing/play/session-play.ts';
import { eventually, testVillage, withTokenPrice, type AgentId } from '../testing/test-village.ts';

const ROUNDS = cases(2, 40);
const AGENTS = ['ada', 'bob', 'cleo'] as const;
const ACTS_OF_TREE = 24;
const TRIES_MAX = 40;
const RULES = JSON.stringify([
  { tools: ['read', 'speak', 'act', 'delegate', 'exec', 'spend', 'publish'], verdict: 'allow' },
  { tools: ['reply_on_board', 'close_post'], when: 'run', verdict: 'ask', reason: 'a person reads it first' },
]);
/** Refusals after which a client repeats its request. */
const LATER: ReadonlySet<string> = new Set(['unavailable', 'village_frozen', 'idempotency_in_flight']);

const village = await testVillage();
await village.writeSample('good-entitlement-tier-0.yaml', withTokenPrice);
await village.liftRequestLimits();
const { peopleUrl } = await village.startReplica({ HAMLET_TOOL_RULES: RULES }, { models: heldModels().models });
const permits = new PermissionPlay(peopleUrl);
const talk = new SessionPlay(peopleUrl);
const { admin } = talk.play;
await talk.play.everybody();
const db = village.openDb();
for (const agent_id of AGENTS) await admin.rewardAgent({ agent_id, amount: '5000', reason: 'money to spend' });
const { post_id: postId } = await admin.createPost({ title: 'Bread', body: 'Who bakes?' });

const seen = new Map<string, number>();

/** Counts the answer of a request by its code. */
async function note<T>(name: string, sent: Promise<Outcome<T>>): Promise<Outcome<T>> {
  const outcome = await sent;
  const key = `${name}: ${outcome.ok ? 'ok' : outcome.problem.code}`;
  seen.set(key, (seen.get(key) ?? 0) + 1);
  return outcome;
}

/** Repeats a request until it has a final answer, as residents and clients do. */
async function insist<T>(name: string, send: () => Promise<Outcome<T>>): Promise<Outcome<T>> {
  for (let tries = 1; ; tries += 1) {
    const outcome = await note(name, send()).catch((error: unknown) => {
      if (tries === TRIES_MAX) throw error;
      return null;
    });
    if (outcome === null) continue;
    if (outcome.ok || !LATER.has(outcome.problem.code) || tries === TRIES_MAX) return outcome;
    await sleep(25);
  }
}

interface Tree {
  readonly agentId: AgentId;
  readonly sessionId: string;
  /** A run, its worker, and that worker's own worker. */
  readonly runs: readonly Working[];
}

/** Calls that were answered as done, by run and call. */
const done = new Set<string>();

async function perform(working: Working, call: { tool: string; callId: string; args: object }): Promise<string | null> {
  const answer = await insist(`perform ${call.tool}`, () => permits.perform(working, call));
  if (!answer.ok || answer.data.outcome.kind !== 'ok') return null;
  done.add(`${working.runId} ${call.callId}`);
  const data = answer.data.outcome.data as { readonly run_id?: string } | undefined;
  return data?.run_id ?? null;
}

async function grow(agentId: AgentId): Promise<Tree> {
  const { session_id: sessionId } = await talk.open(admin, agentId);
  const { run } = dataOf(await talk.say(admin, sessionId, 'Work with helpers.'));
  const runs = [await permits.start(agentId, run)];
  for (const parent of runs.slice(0, 1)) await addWorker(runs, parent);
  for (const parent of runs.slice(1, 2)) await addWorker(runs, parent);
  return { agentId, sessionId, runs };
}

async function addWorker(runs: Working[], parent: Working): Promise<void> {
  const args = { role: 'helper', prompt: 'Help.' };
  const run_id = await perform(parent, { tool: 'delegate', callId: '0.0', args });
  assert.ok(run_id !== null);
  runs.push(await permits.start(parent.agentId, { run_id }));
}

interface Acting {
  readonly tree: Tree;
  readonly run: Working;
  readonly callId: string;
  readonly step: number;
}

type Act = (acting: Acting) => Promise<unknown>;

const idOf = ({ runId, cycle, attempt }: Working) => ({ run_id: runId, cycle, attempt });

async function askAndAnswer({ run, callId }: Acting): Promise<void> {
  const call = { tool: 'reply_on_board', callId, args: { post_id: postId, body: `Me ${callId}.` } };
  const asked = await insist('askPermission', () => permits.ask(run, call));
  if (!asked.ok) return;
  const { permission_id } = asked.data.permission;
  await Promise.all([
    insist('waitRun', () => permits.play.as(run.agentId).raw.waitRun(idOf(run))),
    insist('answerPermission', () => permits.answer(permission_id, { answer: 'allow' })),
    insist('answerPermission', () => permits.answer(permission_id, { answer: 'deny' })),
  ]);
  await perform(run, call);
}

async function inHands({ run, callId }: Acting): Promise<void> {
  const begun = await insist('beginCall', () => permits.begin(run, { callId }));
  if (!begun.ok) return;
  const end = { outcome: { kind: 'ok' as const, text: 'Done.' }, report: {} };
  await insist('endCall', () => permits.play.as(run.agentId).raw.endCall({ call_id: callId, ...idOf(run), ...end }));
}

async function offer({ tree: { agentId } }: Acting): Promise<void> {
  const key = { idempotencyKey: crypto.randomUUID() };
  const asked = { agent_id: agentId, prompt: 'Bake.', offer: { amount: '0.01' } };
  const made = await insist('createRun', () => admin.raw.createRun(asked, key));
  if (!made.ok) return;
  const { run_id } = made.data.run;
  await insist('cancelRun', () => admin.raw.cancelRun({ run_id }));
  await insist('refuseOffer', () => admin.raw.refuseOffer({ run_id, reason: 'Burnt' }));
}

/** The acts in a tree of runs, each with its weight in the random choice. */
const ACTS: readonly (readonly [number, Act])[] = [
  [4, ({ run, callId }) => perform(run, { tool: 'say', callId, args: { text: `Hello ${callId}` } })],
  [2, ({ run, callId }) => perform(run, { tool: 'delegate', callId, args: { role: 'helper', prompt: 'Help.' } })],
  [2, ({ run, callId }) => perform(run, { tool: 'buy', callId, args: { item: { kind: 'priority' }, seconds: 60 } })],
  [3, askAndAnswer],
  [3, inHands],
  [3, offer],
  [
    4,
    ({ run, step }) =>
      insist('step', () =>
        permits.play.as(run.agentId).raw.recordRunStep({ ...idOf(run), step, outcome: 'done', text: 'x' } as never),
      ),
  ],
  [2, ({ run }) => insist('renew', () => permits.play.as(run.agentId).raw.renewRun(idOf(run)))],
  [
    2,
    ({ run }) =>
      insist('settle', () =>
        permits.play.as(run.agentId).raw.settleRun({ ...idOf(run), state: 'failed', summary: 'x' }),
      ),
  ],
  [1, ({ run }) => insist('cancelRun', () => admin.raw.cancelRun({ run_id: run.runId }))],
  [1, ({ tree: { sessionId } }) => insist('endSession', () => admin.raw.endSession({ session_id: sessionId }))],
  [2, ({ tree: { sessionId } }) => insist('sendMessage', () => talk.say(admin, sessionId, 'And this?'))],
  [1, ({ tree: { sessionId } }) => insist('pauseSession', () => admin.raw.pauseSession({ session_id: sessionId }))],
  [1, ({ tree: { sessionId } }) => insist('resumeSession', () => admin.raw.resumeSession({ session_id: sessionId }))],
  [
    2,
    ({ tree: { agentId: agent_id } }) =>
      insist('reward', () => admin.raw.rewardAgent({ agent_id, amount: '0.01', reason: 'thanks' })),
  ],
  [
    3,
    ({ run: { agentId, runId } }) =>
      insist('completeChat', () =>
        permits.play.as(agentId).raw.completeChat({
          model: 'small',
          messages: [{ role: 'user', content: 'Hello' }],
          metadata: { run_id: runId },
        }),
      ),
  ],
];
const DRAWN = ACTS.flatMap(([often, act]) => Array.from({ length: often }, () => act));

async function storm(trees: readonly Tree[], dice: Seeded): Promise<void> {
  const acts = trees.flatMap((tree) =>
    Array.from({ length: ACTS_OF_TREE }, (_, at) => async () => {
      await sleep(dice.between(0, 150));
      const [run, act] = [dice.one(tree.runs), dice.one(DRAWN)];
      if (run !== undefined) await act?.({ tree, run, callId: `1.${at}`, step: at });
    }),
  );
  await Promise.all([...acts.map((act) => act()), kill(dice), freeze(dice)]);
}

/** Ends connections of the API that write runs. */
async function kill(dice: Seeded): Promise<void> {
  const superuser = openSuperuser(village.postgres);
  for (let count = 0; count < 4; count += 1) {
    await sleep(dice.between(10, 80));
    await superuser.run(`
      select pg_terminate_backend(pid) from pg_stat_activity a where datname = current_database() and application_name = 'hamlet-api'
        and pid <> pg_backend_pid() and exists (select from pg_locks l where l.pid = a.pid and l.relation = 'run'::regclass and l.mode = 'RowExclusiveLock') limit 1`);
  }
  await superuser.close();
}

async function freeze(dice: Seeded): Promise<void> {
  await sleep(dice.between(20, 120));
  // A kill may end the connection of the freeze itself.
  const frozen = await insist('freezeVillage', () => admin.raw.freezeVillage({ reason: 'emergency' }));
  assert.ok(frozen.ok, 'the kill switch works under load');
  const before = await lastActivity();
  await sleep(30);
  assert.deepEqual(await lastActivity(), before, 'nothing moved after the answer');
  await insist('liftVillageFreeze', () => admin.raw.liftVillageFreeze({ reason: 'over' }));
}

const lastActivity = async (): Promise<unknown> => {
  const { last_transfer_at, last_model_request_at, last_run_started_at } = await admin.getVillageFreeze();
  return [last_transfer_at, last_model_request_at, last_run_started_at];
};

const HAS_NOT_ENDED = ['queued', 'running', 'waiting_permission'] as const;

/** Ends all runs, as people and residents do after a storm. */
async function calm(): Promise<void> {
  await eventually('the end of all runs', async () => {
    const open = await db.selectFrom('run').selectAll().where('state', 'in', HAS_NOT_ENDED).execute();
    for (const { run_id, agent_id, cycle, attempt } of open) {
      await insist('cancelRun', () => admin.raw.cancelRun({ run_id }));
      if (cycle === null || attempt === 0) continue;
      const agent = permits.play.as(agent_id as AgentId);
      await insist('settle', () => agent.raw.settleRun({ run_id, cycle, attempt, state: 'cancelled', summary: 'x' }));
    }
    return open.length === 0;
  });
}

for (const seed of seeds(1))
  test(`all commands at once on trees of runs in sessions, with kills and freezes (seed ${seed})`, async (t) => {
    const dice = new Seeded(seed);
    for (let round = 0; round < ROUNDS; round += 1) {
      const trees = await Promise.all(AGENTS.map(grow));
      await storm(trees, dice);
      await calm();
      for (const { sessionId } of trees)
        await insist('endSession', () => admin.raw.endSession({ session_id: sessionId }));
    }
    t.diagnostic(JSON.stringify(Object.fromEntries([...seen].toSorted())));
    const failed = [...seen].filter(([key]) => key.endsWith(': internal'));
    assert.deepEqual(failed, [], village.logs.filter((line) => line.includes('"level":"error"')).join('\n'));
  });

test('no transactions deadlocked', async () => {
  assert.equal(await countDeadlocks(village.postgres), 0);
});

test('every effect has an end and one line in the audit, and every answer its effect', async (t) => {
  const lost = await lostEffects({ db, log: () => undefined })(0);
  const effects = await db
    .selectFrom('effect')
    .select(({ selectFrom, ref }) => [
      'run_id',
      'call_id',
      'state',
      selectFrom('audit')
        .select((build) => build.fn.countAll<number>().as('lines'))
        .where('action', '=', 'run.call')
        .where(({ eb, fn }) =>
          eb(fn('jsonb_extract_path_text', ['detail', eb.val('run_id')]), '=', fn('text', [ref('effect.run_id')])),
        )
        .where(({ eb, fn }) =>
          eb(fn('jsonb_extract_path_text', ['detail', eb.val('call_id')]), '=', ref('effect.call_id')),
        )
        .as('lines'),
    ])
    .execute();
  t.diagnostic(`${effects.length} effects, ${lost} of them without a known end`);
  assert.deepEqual(
    effects.filter(({ state, lines }) => state !== 'settled' || lines !== 1),
    [],
  );
  const known = new Set(effects.map(({ run_id, call_id }) => `${run_id} ${call_id}`));
  assert.deepEqual(
    [...done].filter((call) => !known.has(call)),
    [],
  );
});

test('the books are balanced', async () => {
  assert.deepEqual(
    (await checkLedger(db)).filter(({ broken }) => broken > 0),
    [],
  );
});
