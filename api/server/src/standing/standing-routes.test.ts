/** Measures of admins: the refusals that follow at once, the audit, and the events for the operator. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type AgentStanding, type Bar, type Refusal } from '@hamlet/contract';
import { insertAgentSession, openLife, readAudit } from '@hamlet/store';
import { createHash, randomUUID } from 'node:crypto';
import { dataOf, refusalOf, codeOf, follow, refuses } from '@hamlet/test/env/client';
import { pluck } from '@hamlet/test/env/pluck';
import { agentToken, clientOf, eventually, TOKENS, type AgentId, Play, startPlay } from '../testing/test-village.ts';

const { village, play } = await startPlay();
const other = new Play((await village.startReplica()).peopleUrl);
const db = village.openDb();

const on = (agentId: string) => ({ agent_id: agentId });
const because = (agentId: string, reason: string, expiresAt?: string) => ({
  ...on(agentId),
  reason,
  ...(expiresAt === undefined ? {} : { expires_at: expiresAt }),
});

async function refusalsOfAgent(at: Play, agentId: AgentId): Promise<readonly (Refusal | null)[]> {
  const client = at.as(agentId);
  // The agent talks instead of moving, because water may block its way.
  const said = await client.raw.actAsAgent({ ...on(agentId), kind: 'talk', text: 'is this heard?' });
  const config = await client.raw.getAgentConfig(on(agentId));
  const exchanged = await clientOf(at.url, agentToken(agentId)).raw.exchangeAgentToken();
  return [refusalOf(said), refusalOf(config), refusalOf(exchanged)];
}

const MEASURES = [
  {
    take: 'quarantineAgent',
    lift: 'liftQuarantine',
    flag: 'quarantined',
    code: 'agent_quarantined',
    action: 'quarantine',
  },
  { take: 'freezeAgent', lift: 'liftFreeze', flag: 'frozen', code: 'agent_frozen', action: 'freeze' },
  { take: 'banAgent', lift: 'liftBan', flag: 'banned', code: 'agent_banned', action: 'ban' },
  { take: 'killAgent', lift: 'liftKill', flag: 'killed', code: 'agent_killed', action: 'kill' },
  {
    take: 'revokeAgentToken',
    lift: 'liftTokenRevocation',
    flag: 'token_revoked',
    code: 'token_revoked',
    action: 'revoke_token',
  },
] as const satisfies readonly {
  readonly code: Bar;
  readonly flag: keyof AgentStanding;
  readonly [key: string]: unknown;
}[];

for (const { take, lift, flag, code, action } of MEASURES)
  test(`${action}: every replica refuses at once, the audit records it, and it ends when an admin lifts it`, async () => {
    assert.deepEqual(await refusalsOfAgent(play, 'bob'), [null, null, null]);
    const held = await play.admin[take](because('bob', `a test of ${action}`));
    assert.deepEqual(
      [held[flag], held.reason, held.measures.map(({ measure }) => measure)],
      [true, `a test of ${action}`, [action]],
    );
    for (const at of [play, other]) assert.deepEqual(await refusalsOfAgent(at, 'bob'), [code, code, code]);
    await eventually('the details', async () => (await other.agent('bob')).standing[flag]);
    assert.deepEqual(await clientOf(other.url, TOKENS.member).getStanding(on('bob')), held);

    const lifted = await play.admin[lift]({ ...on('bob'), reason: 'enough' });
    assert.deepEqual([lifted[flag], lifted.reason, lifted.measures], [false, null, []]);
    for (const at of [play, other]) assert.deepEqual(await refusalsOfAgent(at, 'bob'), [null, null, null]);
    assert.deepEqual(await play.admin[lift](on('bob')), lifted, 'a second lift changes nothing');

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

test('measures need a known agent, and an end in the future', async () => {
  for (const { take, lift } of MEASURES) {
    await refuses(play.admin[take](because('nobody', 'why not')), 'no_such_agent');
    await refuses(play.admin[lift](on('nobody')), 'no_such_agent');
  }
  await refuses(play.admin.getStanding(on('nobody')), 'no_such_agent');
  await refuses(play.admin.banAgent(because('bob', 'too late', '2020-01-01T00:00:00Z')), 'expiry_in_the_past');
});

test('a refusal names the strictest of several measures, and each one is lifted separately', async () => {
  await play.admin.freezeAgent(because('cleo', 'too dear'));
  await play.admin.killAgent(because('cleo', 'runs wild'));
  const both = await play.admin.getStanding(on('cleo'));
  assert.deepEqual([both.killed, both.frozen, both.reason], [true, true, 'runs wild']);
  await refuses(play.as('cleo').getAgentConfig(on('cleo')), 'agent_killed', /runs wild .*until it is lifted/);
  await play.admin.liftKill(on('cleo'));
  await refuses(play.as('cleo').getAgentConfig(on('cleo')), 'agent_frozen');
  await play.admin.liftFreeze(on('cleo'));
});

test('repeating a measure changes its reason; the audit keeps the old one', async () => {
  await play.admin.quarantineAgent(because('cleo', 'first'));
  const second = await play.admin.quarantineAgent(because('cleo', 'second'));
  assert.deepEqual(pluck(second.measures, 'reason'), ['second']);
  await play.admin.liftQuarantine(on('cleo'));
  const { length } = await db
    .selectFrom('standing_measure')
    .select('measure_id')
    .where('agent_id', '=', 'cleo')
    .where('measure', '=', 'quarantine')
    .execute();
  assert.equal(length, 2);
});

test('a banned agent can be put to sleep but not woken; the refusal has the reason and the end', async () => {
  const end = new Date(Date.now() + 3_600_000).toISOString();
  await play.admin.banAgent(because('dan', 'sells the river', end));
  for (const route of ['awakenAgent', 'rebootAgent'] as const)
    await refuses(play.admin[route](on('dan')), 'agent_banned', new RegExp(`sells the river .*${end}`));
  await play.admin.liftBan(on('dan'));
  await play.admin.awakenAgent(on('dan'));
});

test('an expired ban ends by itself, with an audit entry and an event for the operator', async () => {
  const reading = readInternal();
  dataOf(await play.admin.raw.banAgent(because('dan', 'for an hour', new Date(Date.now() + 3_600_000).toISOString())));
  await refuses(play.admin.awakenAgent(on('dan')), 'agent_banned');
  // Moves the end of the ban into the past.
  await db
    .updateTable('standing_measure')
    .set({ expires_at: new Date() })
    .where('agent_id', '=', 'dan')
    .where('lifted_at', 'is', null)
    .execute();
  await eventually('the ban to end', async () => (await play.admin.raw.awakenAgent(on('dan'))).ok);
  await eventually('the event for the operator', () => bannedOf(reading.events, 'dan').join() === 'true,false');
  reading.stop();
  const [entry] = await readAudit(db, 'dan', 1);
  assert.ok(['lift.ban', 'awaken'].includes(entry?.action ?? ''));
  assert.deepEqual((await play.admin.getStanding(on('dan'))).measures, []);
});

test('an open wake stream ends when its agent is barred; a new one can be opened afterwards', async () => {
  const read = (at: Play) => Array.fromAsync(at.as('eve').openWakes(on('eve')));
  const first = read(play);
  await eventually('eve online', async () => (await play.agent('eve')).status.online);
  // The second stream replaces the first; its replica does not receive the request to freeze.
  const second = read(other);
  await first;
  await play.admin.freezeAgent(because('eve', 'a rest'));
  await second;
  await assert.rejects(read(other), /agent_frozen|frozen/);
  await eventually('eve offline', async () => !(await other.agent('eve')).status.online);
  await play.admin.liftFreeze(on('eve'));
  assert.equal(await codeOf(other.as('eve').getAgentConfig(on('eve'))), null);
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
  assert.equal(await codeOf(client.getAgentConfig(on('fay'))), null);
  await play.admin.revokeAgentToken(because('fay', 'leaked'));
  await refuses(client.getAgentConfig(on('fay')), 'token_revoked');
  await play.admin.liftTokenRevocation(on('fay'));
  await refuses(client.getAgentConfig(on('fay')), 'token_invalid');
});

const readInternal = (at = play) =>
  follow((signal) => clientOf(at.url, TOKENS.operator).openInternalStream({}, { signal }));

function bannedOf(events: ReturnType<typeof readInternal>['events'], agentId: string): readonly boolean[] {
  return events
    .flatMap((event) => (event.event === 'standing' && event.data.agent_id === agentId ? [event.data.banned] : []))
    .filter((banned, index, all) => banned !== all[index - 1] && (index > 0 || banned));
}

test('a new stream begins with all measures and `synced`; measures on one replica reach streams of another', async () => {
  await play.admin.quarantineAgent(because('ada', 'inspection'));
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
  await play.admin.liftQuarantine(on('ada'));
  await eventually('the end of the measure', () =>
    reading.events.some(
      (event, index) =>
        index > synced && event.event === 'standing' && event.data.agent_id === 'ada' && !event.data.quarantined,
    ),
  );
  reading.stop();
});
