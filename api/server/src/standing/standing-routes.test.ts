/** Measures of admins: the refusals that follow at once, the audit, and the events for the operator. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  actAsAgent,
  awakenAgent,
  banAgent,
  exchangeAgentToken,
  freezeAgent,
  getAgentConfig,
  getStanding,
  killAgent,
  liftBan,
  liftFreeze,
  liftKill,
  liftQuarantine,
  liftTokenRevocation,
  openInternalStream,
  openWakes,
  quarantineAgent,
  rebootAgent,
  revokeAgentToken,
} from '@hamlet/contract';
import type { AgentStanding, Bar, Refusal, StreamEvent } from '@hamlet/contract';
import { insertAgentSession, openLife, readAudit } from '@hamlet/store';
import { createHash, randomUUID } from 'node:crypto';
import { dataOf, Play, refusalOf, startPlay } from '../testing/play.ts';
import { agentToken, clientOf, eventually, TOKENS } from '../testing/test-village.ts';
import type { AgentId } from '../testing/test-village.ts';

const { village, play } = await startPlay();
const other = new Play((await village.startReplica()).peopleUrl);
const db = village.openDb();

const on = (agentId: string): { params: { agent_id: string } } => ({ params: { agent_id: agentId } });
const because = (
  agentId: string,
  reason: string,
  expiresAt?: string,
): { params: { agent_id: string }; body: { reason: string; expires_at?: string } } => ({
  ...on(agentId),
  body: { reason, ...(expiresAt === undefined ? {} : { expires_at: expiresAt }) },
});

async function whatAnAgentIsTold(at: Play, agentId: AgentId): Promise<readonly (Refusal | null)[]> {
  const client = at.as(agentId);
  // The agent talks instead of moving, because water may block its way.
  const said = await client.call(actAsAgent, { ...on(agentId), body: { kind: 'talk', text: 'is this heard?' } });
  const config = await client.call(getAgentConfig, on(agentId));
  const exchanged = await clientOf(at.url, agentToken(agentId)).call(exchangeAgentToken, {});
  return [refusalOf(said), refusalOf(config), refusalOf(exchanged)];
}

const MEASURES = [
  { take: quarantineAgent, lift: liftQuarantine, flag: 'quarantined', code: 'agent_quarantined', action: 'quarantine' },
  { take: freezeAgent, lift: liftFreeze, flag: 'frozen', code: 'agent_frozen', action: 'freeze' },
  { take: banAgent, lift: liftBan, flag: 'banned', code: 'agent_banned', action: 'ban' },
  { take: killAgent, lift: liftKill, flag: 'killed', code: 'agent_killed', action: 'kill' },
  {
    take: revokeAgentToken,
    lift: liftTokenRevocation,
    flag: 'token_revoked',
    code: 'token_revoked',
    action: 'revoke_token',
  },
] as const satisfies readonly {
  readonly code: Bar;
  readonly flag: keyof AgentStanding;
  readonly [key: string]: unknown;
}[];

for (const { take, lift, flag, code, action } of MEASURES) {
  test(`${action}: every replica refuses at once, the audit has it, and it ends when an admin lifts it`, async () => {
    assert.deepEqual(await whatAnAgentIsTold(play, 'bob'), [null, null, null]);
    const held = dataOf(await play.admin.call(take, because('bob', `a test of ${action}`)));
    assert.deepEqual(
      [held[flag], held.reason, held.measures.map(({ measure }) => measure)],
      [true, `a test of ${action}`, [action]],
    );
    for (const at of [play, other]) assert.deepEqual(await whatAnAgentIsTold(at, 'bob'), [code, code, code]);
    await eventually('the details', async () => (await other.agent('bob')).standing[flag]);
    assert.deepEqual(dataOf(await clientOf(other.url, TOKENS.member).call(getStanding, on('bob'))), held);

    const lifted = dataOf(await play.admin.call(lift, { ...on('bob'), query: { reason: 'enough' } }));
    assert.deepEqual([lifted[flag], lifted.reason, lifted.measures], [false, null, []]);
    for (const at of [play, other]) assert.deepEqual(await whatAnAgentIsTold(at, 'bob'), [null, null, null]);
    const again = dataOf(await play.admin.call(lift, on('bob')));
    assert.deepEqual(again, lifted, 'a second lift changes nothing');

    const acts = (await readAudit(db, 'bob', 2)).map((entry) => [
      entry.action,
      entry.actorRole,
      (entry.detail as { reason: string }).reason,
    ]);
    assert.deepEqual(acts, [
      [`lift.${action}`, 'admin', 'enough'],
      [action, 'admin', `a test of ${action}`],
    ]);
  });
}

test('only an admin may take measures, and only against a known agent', async () => {
  assert.equal(refusalOf(await clientOf(play.url, TOKENS.member).call(killAgent, because('bob', 'envy'))), 'forbidden');
  assert.equal(refusalOf(await clientOf(play.url).call(getStanding, on('bob'))), 'unauthenticated');
  for (const { take, lift } of MEASURES) {
    assert.equal(refusalOf(await play.admin.call(take, because('nobody', 'why not'))), 'no_such_agent');
    assert.equal(refusalOf(await play.admin.call(lift, on('nobody'))), 'no_such_agent');
  }
  assert.equal(refusalOf(await play.admin.call(getStanding, on('nobody'))), 'no_such_agent');
  assert.equal(
    refusalOf(await play.admin.call(banAgent, because('bob', 'too late', '2020-01-01T00:00:00Z'))),
    'expiry_in_the_past',
  );
});

test('a refusal names the hardest of several measures, and each one is lifted separately', async () => {
  dataOf(await play.admin.call(freezeAgent, because('cleo', 'too dear')));
  dataOf(await play.admin.call(killAgent, because('cleo', 'runs wild')));
  const both = dataOf(await play.admin.call(getStanding, on('cleo')));
  assert.deepEqual([both.killed, both.frozen, both.reason], [true, true, 'runs wild']);
  const refused = await play.as('cleo').call(getAgentConfig, on('cleo'));
  assert.match(refused.ok ? '' : refused.problem.detail, /runs wild .*until it is lifted/);
  dataOf(await play.admin.call(liftKill, on('cleo')));
  assert.equal(refusalOf(await play.as('cleo').call(getAgentConfig, on('cleo'))), 'agent_frozen');
  dataOf(await play.admin.call(liftFreeze, on('cleo')));
});

test('a repeated measure has the new reason, and the old reason stays in the audit', async () => {
  dataOf(await play.admin.call(quarantineAgent, because('cleo', 'first')));
  const second = dataOf(await play.admin.call(quarantineAgent, because('cleo', 'second')));
  assert.deepEqual(
    second.measures.map(({ reason }) => reason),
    ['second'],
  );
  dataOf(await play.admin.call(liftQuarantine, on('cleo')));
  const { length } = await db
    .selectFrom('standing_measure')
    .select('measure_id')
    .where('agent_id', '=', 'cleo')
    .where('measure', '=', 'quarantine')
    .execute();
  assert.equal(length, 2);
});

test('a banned agent cannot be awakened, the refusal has the reason and the end, and it can be put to sleep', async () => {
  const end = new Date(Date.now() + 3_600_000).toISOString();
  dataOf(await play.admin.call(banAgent, because('dan', 'sells the river', end)));
  for (const route of [awakenAgent, rebootAgent]) {
    const refused = await play.admin.call(route, on('dan'));
    assert.equal(refusalOf(refused), 'agent_banned');
    assert.match(refused.ok ? '' : refused.problem.detail, new RegExp(`sells the river .*${end}`));
  }
  dataOf(await play.admin.call(liftBan, on('dan')));
  dataOf(await play.admin.call(awakenAgent, on('dan')));
});

test('an expired ban ends by itself, with an audit entry and an event for the operator', async () => {
  const reading = readInternal();
  dataOf(
    await play.admin.call(banAgent, because('dan', 'for an hour', new Date(Date.now() + 3_600_000).toISOString())),
  );
  assert.equal(refusalOf(await play.admin.call(awakenAgent, on('dan'))), 'agent_banned');
  // Moves the end of the ban into the past.
  await db
    .updateTable('standing_measure')
    .set({ expires_at: new Date() })
    .where('agent_id', '=', 'dan')
    .where('lifted_at', 'is', null)
    .execute();
  await eventually('the ban to end', async () => (await play.admin.call(awakenAgent, on('dan'))).ok);
  await eventually('the event for the operator', () => bannedOf(reading.events, 'dan').join() === 'true,false');
  reading.stop();
  const [entry] = await readAudit(db, 'dan', 1);
  assert.ok(['lift.ban', 'awaken'].includes(entry?.action ?? ''));
  const standing = dataOf(await play.admin.call(getStanding, on('dan')));
  assert.deepEqual(standing.measures, []);
});

test('an open wake stream ends when its agent is barred, and opens again after', async () => {
  const read = async (at: Play): Promise<void> => {
    for await (const event of at.as('eve').open(openWakes, on('eve'))) void event;
  };
  const first = read(play);
  await eventually('eve online', async () => (await play.agent('eve')).status.online);
  // The second stream replaces the first; its replica does not receive the request to freeze.
  const second = read(other);
  await first;
  dataOf(await play.admin.call(freezeAgent, because('eve', 'a rest')));
  await second;
  await assert.rejects(async () => {
    for await (const event of other.as('eve').open(openWakes, on('eve'))) void event;
  }, /agent_frozen|frozen/);
  await eventually('eve offline', async () => !(await other.agent('eve')).status.online);
  dataOf(await play.admin.call(liftFreeze, on('eve')));
  assert.equal(refusalOf(await other.as('eve').call(getAgentConfig, on('eve'))), null);
});

test('a token that was revoked stays refused after the revocation is lifted', async () => {
  const { uid } = await play.agent('fay');
  await openLife(db, uid, 'fay');
  const token = `hat_${randomUUID()}`;
  const tokenHash = createHash('sha256').update(token).digest();
  await insertAgentSession(db, {
    tokenHash,
    jti: randomUUID(),
    agentId: 'fay',
    uid,
    podUid: null,
    cycle: 1,
    expiresAt: new Date(Date.now() + 300_000),
  });
  const client = clientOf(play.url, token);
  assert.equal(refusalOf(await client.call(getAgentConfig, on('fay'))), null);
  dataOf(await play.admin.call(revokeAgentToken, because('fay', 'leaked')));
  assert.equal(refusalOf(await client.call(getAgentConfig, on('fay'))), 'token_revoked');
  dataOf(await play.admin.call(liftTokenRevocation, on('fay')));
  assert.equal(refusalOf(await client.call(getAgentConfig, on('fay'))), 'token_invalid');
});

interface Reading {
  readonly events: StreamEvent<typeof openInternalStream>[];
  stop(): void;
}

function readInternal(at = play): Reading {
  const stopping = new AbortController();
  const events: StreamEvent<typeof openInternalStream>[] = [];
  const reading = (async () => {
    for await (const event of clientOf(at.url, TOKENS.operator).open(openInternalStream, {
      query: {},
      signal: stopping.signal,
    }))
      events.push(event);
  })();
  reading.catch(() => undefined);
  return { events, stop: () => stopping.abort() };
}

function bannedOf(events: Reading['events'], agentId: string): readonly boolean[] {
  return events
    .flatMap((event) => (event.event === 'standing' && event.data.agent_id === agentId ? [event.data.banned] : []))
    .filter((banned, index, all) => banned !== all[index - 1] && (index > 0 || banned));
}

test('a new stream begins with all measures and then reports `synced`; a measure on one replica reaches streams of another', async () => {
  dataOf(await play.admin.call(quarantineAgent, because('ada', 'inspection')));
  const reading = readInternal(other);
  await eventually('synced', () => reading.events.some(({ event }) => event === 'synced'));
  const [first] = reading.events;
  assert.equal(first?.event, 'reset');
  const synced = reading.events.findIndex(({ event }) => event === 'synced');
  const ada = reading.events.findIndex(
    (event) => event.event === 'standing' && event.data.agent_id === 'ada' && event.data.quarantined,
  );
  assert.ok(ada > 0 && ada < synced);
  assert.ok(
    reading.events.slice(0, synced).every(({ id }) => id === null),
    'a stream that broke before `synced` cannot resume',
  );
  dataOf(await play.admin.call(liftQuarantine, on('ada')));
  await eventually('the end of the measure', () =>
    reading.events.some(
      (event, index) =>
        index > synced && event.event === 'standing' && event.data.agent_id === 'ada' && !event.data.quarantined,
    ),
  );
  reading.stop();
});
