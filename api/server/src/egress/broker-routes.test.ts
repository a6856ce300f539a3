/** The broker's routes over HTTP on a real Postgres. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import type { CallData, CallInput, EgressAttempt } from '@hamlet/contract';
import { admitEgress, EGRESS_ATTEMPTS_MAX, listEgress } from '@hamlet/contract';
import { dataOf, follow, refuses } from '@hamlet/test/env/client';
import { RunPlay } from '../testing/play/run-play.ts';
import { clientOf, eventually, TOKENS, type AgentId, testVillage } from '../testing/test-village.ts';
import { EGRESS_ATTEMPTS_AN_HOUR, EGRESS_RECORDED_AN_HOUR } from './broker-handlers.ts';
import { forgetOldAttempts } from './start-egress.ts';
import { attemptOf as ofAttempt } from './testing/egress-bodies.ts';

const ADA = `apiVersion: hamlet.village/v1alpha1
kind: Agent
metadata: { name: ada }
spec:
  entitlement: { policy: Pinned, name: tier-1 }
  egress:
    allow:
      - { host: api.example.org, paths: [/v1/**], secret: ada-key }
      - { host: mallory.example.org, methods: [GET], secret: ada-key }
`;
const DAY_MS = 86_400_000;
const VILLAGE = { allow: [{ host: 'docs.example.org' }], deny: [{ host: '*.evil.org' }], registries: { pip: true } };

const askedSecrets: string[] = [];

const village = await testVillage();
await village.writeSample('good-agent-ada.yaml', ADA);
const file = await village.writeSample('egress.json', JSON.stringify(VILLAGE));
const egressSecrets = {
  read: async (name: string) => {
    askedSecrets.push(name);
    return name === 'ada-key' ? { value: 'the real value', hosts: ['api.example.org'] } : null;
  },
};
const replica = await village.startReplica({ HAMLET_EGRESS_FILE: file }, { agents: { egressSecrets } });
const runs = new RunPlay(replica.peopleUrl);
await runs.play.everybody();
const broker = clientOf(replica.peopleUrl, TOKENS.broker);
const db = village.openDb();

const tokenOf = async (agentId: AgentId) => (await runs.play.as(agentId).exchangeAgentToken()).access_token;
const admitted = (token: string): Promise<CallData<typeof admitEgress>> => broker.admitEgress({ token });

async function codeOfToken(token: string): Promise<string> {
  const answer = await admitted(token);
  return 'verdict' in answer ? answer.code : 'admitted';
}

/** The life that a denial names for the record; null if it names none. */
async function deniedLife(token: string) {
  const answer = await admitted(token);
  assert.ok('verdict' in answer);
  return answer.life ?? null;
}

const attemptOf = (agentId: AgentId, changes?: Partial<EgressAttempt>) => ofAttempt(runs.play, agentId, changes);

const endOf = (id: string) => ({
  id,
  address: '93.184.216.34',
  status: 200,
  sent_bytes: 10,
  received_bytes: 2000,
  refused: null,
  duration_ms: 12,
});

function stored(id: string) {
  return db.selectFrom('egress_attempt').selectAll().where('attempt_id', '=', id).executeTakeFirst();
}

test("an agent's token is admitted with the rules of village, tier and agent", async () => {
  const answer = await admitted(await tokenOf('ada'));
  assert.ok('policy' in answer);
  const { uid, cycle } = await runs.play.agent('ada');
  assert.deepEqual([answer.agent, answer.uid, answer.cycle], ['ada', uid, cycle]);
  const { policy } = answer;
  assert.equal(policy.allow.find(({ host }) => host === 'api.example.org')?.secret, 'ada-key');
  for (const host of ['docs.example.org', 'pypi.org', 'files.pythonhosted.org'])
    assert.ok(
      policy.allow.some((rule) => rule.host === host),
      host,
    );
  for (const host of ['*.evil.org', 'paypal.com', '*.stripe.com'])
    assert.ok(
      policy.deny.some((ban) => ban.host === host),
      host,
    );
  assert.deepEqual(policy.registries, { pip: { url: 'https://pypi.org/simple/' } });
  const bob = await admitted(await tokenOf('bob'));
  assert.ok('policy' in bob && bob.policy.allow.every(({ secret }) => secret === undefined));
});

test('a token that is unknown, belongs to a person, or is of an older cycle is refused', async () => {
  const old = await tokenOf('cleo');
  await runs.play.admin.rebootAgent({ agent_id: 'cleo' });
  await tokenOf('cleo');
  for (const token of ['hat_unknown', TOKENS.admin, TOKENS.operator, 'a.projected.token', 'with space', old])
    assert.equal(await codeOfToken(token), 'egress_identity_refused', token);
  assert.equal(await deniedLife('hat_unknown'), null);
  assert.equal((await deniedLife(old))?.agent, 'cleo', 'an older cycle of a known agent is recorded');
});

test('a measure or a freeze of the village refuses the token, with the reason', async () => {
  const token = await tokenOf('bob');
  await runs.play.admin.quarantineAgent({ agent_id: 'bob', reason: 'odd posts' });
  const denied = await admitted(token);
  assert.ok('verdict' in denied && denied.message.includes('odd posts'));
  assert.equal(denied.code, 'egress_agent_stopped');
  const { uid, cycle } = await runs.play.agent('bob');
  assert.deepEqual(denied.life, { agent: 'bob', uid, cycle });
  await runs.play.admin.liftQuarantine({ agent_id: 'bob', reason: 'explained' });
  const again = await tokenOf('bob');
  assert.equal(await codeOfToken(again), 'admitted');
  await runs.play.admin.freezeVillage({ reason: 'a drill' });
  assert.equal(await codeOfToken(again), 'egress_agent_stopped');
  await runs.play.admin.liftVillageFreeze({ reason: 'over' });
  assert.equal(await codeOfToken(again), 'admitted');
});

test('attempts and their ends are stored once, even if the broker repeats them', async () => {
  const attempt = await attemptOf('ada');
  const body = { begin: [attempt], end: [] };
  assert.deepEqual(await broker.keepEgressAttempts(body), { begun: 1, ended: 0 });
  assert.deepEqual(await broker.keepEgressAttempts(body), { begun: 0, ended: 0 });
  const ends = { begin: [], end: [endOf(attempt.id), endOf(attempt.id), endOf(randomUUID())] };
  assert.deepEqual(await broker.keepEgressAttempts(ends), { begun: 0, ended: 1 });
  assert.deepEqual(await broker.keepEgressAttempts(ends), { begun: 0, ended: 0 });
  assert.equal((await stored(attempt.id))?.received_bytes, 2000);
  const refused = await attemptOf('ada', { refused: 'egress_denied' });
  await broker.keepEgressAttempts({ begin: [refused], end: [endOf(refused.id)] });
  assert.equal((await stored(refused.id))?.received_bytes, null, 'a refused attempt has no end');
  await assert.rejects(
    db.updateTable('egress_attempt').set({ host: 'other.org' }).where('attempt_id', '=', attempt.id).execute(),
    /only ends, and once/,
  );
});

test('an attempt counts for a run only while its agent works on that run', async () => {
  const run = (await runs.give('dan')).run_id;
  const queued = await attemptOf('dan', { run });
  const keep = async (...begin: EgressAttempt[]): Promise<void> =>
    void (await broker.keepEgressAttempts({ begin, end: [] }));
  await keep(queued);
  dataOf(await runs.start('dan', run));
  const { uid, cycle } = await runs.play.agent('dan');
  await db
    .insertInto('effect')
    .values({
      run_id: run,
      call_id: 'call-1',
      agent_id: 'dan',
      agent_uid: uid,
      cycle,
      attempt: 1,
      tool: 'shell',
      arguments_hash: Buffer.alloc(32),
      policy_version: 'a'.repeat(64),
      permission_id: null,
      state: 'begun',
    })
    .execute();
  const [live, other, strange] = [
    await attemptOf('dan', { run, call: 'call-1' }),
    await attemptOf('eve', { run, call: 'call-1' }),
    await attemptOf('dan', { run, call: 'call-2' }),
  ];
  await keep(live, other, strange, await attemptOf('dan', { run: randomUUID(), call: 'call-1' }));
  dataOf(await runs.settle('dan', run, { state: 'done', summary: 'Done.' }));
  const late = await attemptOf('dan', { run, call: 'call-1' });
  await keep(late);
  const witnessed = async (id: string): Promise<readonly boolean[]> => {
    const row = await stored(id);
    return row === undefined ? [] : [row.run_witnessed, row.call_witnessed];
  };
  assert.deepEqual(await witnessed(queued.id), [false, false]);
  assert.deepEqual(await witnessed(live.id), [true, true]);
  assert.deepEqual(await witnessed(other.id), [false, false], "another agent's run");
  assert.deepEqual(await witnessed(strange.id), [true, false], 'a call that the API has not begun');
  assert.deepEqual(await witnessed(late.id), [false, false], 'a run that has ended');
});

test('an agent with too many attempts in an hour is refused until the next hour', async () => {
  const token = await tokenOf('fay');
  assert.equal(await codeOfToken(token), 'admitted');
  for (let kept = 0; kept < EGRESS_ATTEMPTS_AN_HOUR; kept += EGRESS_ATTEMPTS_MAX) {
    const attempt = await attemptOf('fay', { refused: 'egress_not_allowed' });
    const begin = Array.from({ length: EGRESS_ATTEMPTS_MAX }, () => ({ ...attempt, id: randomUUID() }));
    assert.equal((await broker.keepEgressAttempts({ begin, end: [] })).begun, begin.length);
  }
  assert.equal(await codeOfToken(token), 'egress_too_many');
  assert.equal((await deniedLife(token))?.agent, 'fay', 'the record shows that the agent is refused from now on');
  const keep = async (refused: EgressAttempt['refused'], count: number): Promise<number> => {
    const attempt = await attemptOf('fay', { refused });
    const begin = Array.from({ length: count }, () => ({ ...attempt, id: randomUUID() }));
    return (await broker.keepEgressAttempts({ begin, end: [] })).begun;
  };
  const more = EGRESS_RECORDED_AN_HOUR - EGRESS_ATTEMPTS_AN_HOUR;
  assert.equal(await keep('egress_too_many', more), more);
  assert.equal(await keep('egress_too_many', 10), 0, 'further attempts do not fill the disk');
  assert.equal(await deniedLife(token), null);
  assert.equal(await keep(null, 1), 1, 'nothing goes out unrecorded');
});

test('only an agent with a rule that names secret and host can use it, and only if the owner of the secret names the host', async () => {
  const [ada, bob] = [await runs.play.agent('ada'), await runs.play.agent('bob')];
  const read = async (uid: string, name: string, host = 'api.example.org') =>
    (await broker.readEgressSecret({ uid, name, host })).value;
  assert.equal(await read(ada.uid, 'ada-key'), 'the real value');
  assert.equal(await read(ada.uid, 'other-key'), null);
  assert.equal(await read(bob.uid, 'ada-key'), null);
  assert.equal(await read('no-such-life', 'ada-key'), null);
  assert.equal(await read(ada.uid, 'ada-key', 'other.example.org'), null, 'no rule names this host');
  assert.deepEqual(askedSecrets, ['ada-key']);
  const stolen = await broker.readEgressSecret({ uid: ada.uid, name: 'ada-key', host: 'mallory.example.org' });
  assert.deepEqual(stolen, { value: null, for_host: false });
});

const readBroker = () => follow((signal) => broker.openBrokerStream({}, { signal }));

/** The last event about an agent: the reason of its stop, or `current`. */
function lastOf({ events }: ReturnType<typeof readBroker>, uid: string): string | undefined {
  const last = events.findLast((event) => event.event !== 'synced' && event.data.uid === uid);
  return last?.event === 'stopped' ? last.data.reason : last?.event;
}

test('the stream begins with all agents, and carries each stop, return and new cycle', async () => {
  const { uid } = await runs.play.agent('eve');
  const reading = readBroker();
  await eventually('the beginning', () => reading.events.some(({ event }) => event === 'synced'));
  assert.equal(lastOf(reading, uid), 'current');
  await runs.play.admin.quarantineAgent({ agent_id: 'eve', reason: 'odd' });
  await eventually('the stop', () => lastOf(reading, uid) === 'agent_quarantined');
  const second = readBroker();
  await eventually('the beginning', () => second.events.some(({ event }) => event === 'synced'));
  assert.equal(lastOf(second, uid), 'agent_quarantined');
  second.stop();
  await runs.play.admin.liftQuarantine({ agent_id: 'eve', reason: 'fine' });
  await eventually('the return', () => lastOf(reading, uid) === 'current');
  await runs.play.admin.freezeVillage({ reason: 'a drill' });
  await eventually('the freeze', () => lastOf(reading, uid) === 'village_frozen');
  await runs.play.admin.liftVillageFreeze({ reason: 'over' });
  await eventually('the end of the freeze', () => lastOf(reading, uid) === 'current');
  const { cycle } = await runs.play.agent('eve');
  await runs.play.admin.rebootAgent({ agent_id: 'eve' });
  await eventually('the new cycle', () =>
    reading.events.some((event) => event.event === 'current' && event.data.uid === uid && event.data.cycle > cycle),
  );
  reading.stop();
});

test('an admin finds attempts by agent, run, host and refusal, newest first, in pages', async () => {
  const host = 'found.example.org';
  const run = (await runs.give('cleo')).run_id;
  const attempts = [
    await attemptOf('cleo', { host, run }),
    await attemptOf('cleo', { host, refused: 'egress_denied' }),
    await attemptOf('ada', { host }),
  ];
  for (const attempt of attempts) await broker.keepEgressAttempts({ begin: [attempt], end: [] });
  const [first, second, third] = attempts.map(({ id }) => id);
  await broker.keepEgressAttempts({ begin: [], end: [endOf(third ?? '')] });
  const found = async (query: NonNullable<CallInput<typeof listEgress>['query']>): Promise<readonly string[]> =>
    (await runs.play.admin.listEgress(query)).attempts.map(({ id }) => id);
  assert.deepEqual(await found({ host }), [third, second, first]);
  assert.deepEqual(await found({ host, agent_id: 'cleo' }), [second, first]);
  assert.deepEqual(await found({ run_id: run }), [first]);
  assert.deepEqual(await found({ host, refused: 'true' }), [second]);
  assert.deepEqual(await found({ host, refused: 'false' }), [third, first]);
  const page = await runs.play.admin.listEgress({ host, limit: 2 });
  const { next_cursor: cursor } = page;
  assert.deepEqual(await found({ host, limit: 2, cursor: cursor ?? '' }), [first]);
  assert.equal(page.attempts[0]?.received_bytes, 2000);
  await refuses(runs.play.admin.listEgress({ cursor: cursor ?? '' }), 'cursor_invalid');
});

test('old attempts are deleted; newer ones stay', async () => {
  const [old, young] = [randomUUID(), randomUUID()];
  for (const [id, age] of [
    [old, 91],
    [young, 89],
  ] as const)
    await db
      .insertInto('egress_attempt')
      .values({
        attempt_id: id,
        agent_id: 'ada',
        agent_uid: 'a life',
        cycle: 1,
        run_witnessed: false,
        call_witnessed: false,
        form: 'tunnel',
        host: 'a.org',
        port: 443,
        begun_at: new Date(),
        kept_at: new Date(Date.now() - age * DAY_MS),
      })
      .execute();
  await forgetOldAttempts(db, 0);
  assert.ok((await stored(old)) !== undefined, '0 days keep everything');
  await forgetOldAttempts(db, 90);
  assert.equal(await stored(old), undefined);
  assert.ok((await stored(young)) !== undefined);
});
