/** Writes that leave a pod, over the broker's routes on a real Postgres. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { permitEgress, type CallData, type Permission } from '@hamlet/contract';
import { untilEnd } from '@hamlet/test/env/at-end';
import { type TestClient, dataOf, refuses } from '@hamlet/test/env/client';
import { openSuperuser } from '@hamlet/test/env/superuser';
import { outlast, startPermits } from '../../permissions/testing/permission-play.ts';
import { type Working } from '../../permissions/testing/permission-play.ts';
import { clientOf, eventually, TOKENS } from '../../testing/test-village.ts';
import { WRITES_WAITING_MAX } from './permit-write.ts';
import { SHA, type Write, writeOf as ofWrite } from '../testing/egress-bodies.ts';

type Answer = CallData<typeof permitEgress>;

const DAN = `apiVersion: hamlet.village/v1alpha1
kind: Agent
metadata: { name: dan }
spec:
  tools: { rules: [{ tools: [network], verdict: deny, reason: Dan sends nothing }] }
`;

const { village, permits } = await startPermits({ samples: { 'good-agent-dan.yaml': DAN } });
const broker = clientOf(permits.play.url, TOKENS.broker);
const elsewhere = clientOf((await village.startReplica()).peopleUrl, TOKENS.broker);
const db = village.openDb();
const superuser = untilEnd(openSuperuser(village.postgres));

const writeOf = (working: Working, changes?: Partial<Write>): Promise<Write> =>
  ofWrite({ permits, broker }, working, changes);
const send = (body: Write, by = broker): Promise<Answer> => by.permitEgress(body);

/** The verdict, or the code of the denial. */
async function verdictOf(body: Write, by = broker): Promise<string> {
  const answer = await send(body, by);
  return answer.verdict === 'deny' ? answer.code : answer.verdict;
}

async function asked(body: Write): Promise<string> {
  const answer = await send(body);
  assert.equal(answer.verdict, 'wait');
  return answer.permission_id;
}

async function permissionOf(id: string, by: TestClient = permits.play.admin): Promise<Permission | undefined> {
  const { permissions } = await by.listPermissions();
  return permissions.find(({ permission_id: each }) => each === id);
}

function effectOf({ run, ask }: Write) {
  return db
    .selectFrom('effect')
    .selectAll()
    .where('run_id', '=', run ?? '')
    .where('call_id', '=', `out.${ask}`)
    .executeTakeFirst();
}

async function allowed(working: Working): Promise<Write> {
  const body = await writeOf(working);
  dataOf(await permits.answer(await asked(body), { answer: 'allow' }));
  assert.equal(await verdictOf(body), 'allow');
  return body;
}

/** The record of a write that was sent. */
function attemptOf(
  { ask: id, uid, cycle, run, call }: Write,
  { status, address }: { readonly status: number | null; readonly address: string | null },
) {
  const where = { form: 'inspect', host: 'api.example.org', port: 443, method: 'POST', path: '/v1/notes' } as const;
  return {
    begin: { id, agent: 'ada', uid, cycle, run, call, ...where, refused: null, at: new Date().toISOString() },
    end: { id, address, status, sent_bytes: 1, received_bytes: 0, refused: null, duration_ms: 1 },
  };
}

test('a write waits for a person, is allowed once, and its effect is stored before it is sent', async () => {
  const working = await permits.startRun('ada');
  const hidden = {
    summary: `POST https://api.example.org/v1/notes?secret=x/../../org/delete?confirm=yes`,
    details: [`x-note: sk-${'production-database-'.repeat(2)}`],
    body: 'password=hunter22/and&more',
  };
  const body = await writeOf(working, hidden);
  const id = await asked(body);
  const shown = await permissionOf(id);
  assert.deepEqual([shown?.state, shown?.tool, shown?.run_id], ['pending', 'send_request', working.runId]);
  assert.deepEqual(JSON.parse(shown?.arguments ?? ''), {
    ...hidden,
    bytes: 16,
    sha256: SHA,
    call: 'call-1',
  });
  assert.equal(await verdictOf(body), 'wait');
  const answer = send({ ...body, wait_ms: 10_000 });
  dataOf(await permits.answer(id, { answer: 'allow' }));
  assert.deepEqual(await answer, { verdict: 'allow', permission_id: id });
  assert.equal((await effectOf(body))?.state, 'begun');
  assert.equal((await permissionOf(id))?.state, 'consumed');
  const { events } = await permits.play.admin.listRunEvents({ run_id: working.runId });
  const begun = events.find(({ event }) => event === 'call_begun');
  assert.match(JSON.stringify(begun), /password=\[secret\]/, 'the record of the run stays without them');
  assert.equal(await verdictOf(body), 'allow', 'the broker lost the answer and asks again');
  assert.equal(await verdictOf({ ...body, body: 'other' }), 'egress_write_differs');
  assert.notEqual(await asked({ ...body, ask: randomUUID() }), id, 'a second equal write needs its own permission');
});

test('the end of the attempt settles the effect; an end without an answer leaves it unknown', async () => {
  const working = await permits.startRun('ada');
  const end = async (status: number | null, address: string | null): Promise<unknown> => {
    const body = await allowed(working);
    const { begin, end: over } = attemptOf(body, { status, address });
    await broker.keepEgressAttempts({ begin: [begin], end: [] });
    await broker.keepEgressAttempts({ begin: [], end: [over] });
    assert.equal(await verdictOf(body), 'egress_write_withdrawn', 'a settled write is not allowed again');
    return (await effectOf(body))?.outcome;
  };
  assert.deepEqual(await end(201, '93.184.216.34'), { kind: 'ok', text: 'The server answered 201.' });
  assert.equal(JSON.parse(JSON.stringify(await end(403, '93.184.216.34'))).code, 'server_refused');
  assert.equal(JSON.parse(JSON.stringify(await end(null, null))).code, 'egress_unreachable');
  assert.equal(JSON.parse(JSON.stringify(await end(null, '93.184.216.34'))).code, 'effect_unknown');
  const { events } = await permits.play.admin.listRunEvents({ run_id: working.runId });
  const kinds = events.map(({ event }) => event).filter((event) => event.startsWith('call_'));
  assert.deepEqual(kinds.slice(-2), ['call_begun', 'call_unknown']);
  const repeated = await permissionOf(await asked(await writeOf(working)));
  assert.match(repeated?.reason ?? '', /^The same write was sent at .*, and it is unknown whether it happened/);
});

test('a write whose end cannot be stored does not hold up the ends after it', async () => {
  const working = await permits.startRun('ada');
  const writes = [await allowed(working), await allowed(working)] as const;
  const records = writes.map((body) => attemptOf(body, { status: 201, address: '93.184.216.34' }));
  await superuser.run(
    "create function break_effect() returns trigger language plpgsql as $$begin raise exception 'broken'; end$$",
  );
  await superuser.run(
    `create trigger break_effect before update on effect for each row when (new.call_id = 'out.${writes[0].ask}') execute function break_effect()`,
  );
  await broker.keepEgressAttempts({ begin: records.map(({ begin }) => begin), end: records.map(({ end }) => end) });
  const states = await Promise.all(writes.map(async (body) => (await effectOf(body))?.state));
  assert.deepEqual(states, ['begun', 'settled']);
  await superuser.run('drop function break_effect cascade');
});

test('a denial, an expiry, a cancel, a measure and the end of the program have their own refusal codes', async () => {
  const working = await permits.startRun('ada');
  const refusedAfter = async (act: (permissionId: string, body: Write) => Promise<unknown>): Promise<string> => {
    const body = await writeOf(working);
    const id = await asked(body);
    const answer = verdictOf({ ...body, wait_ms: 10_000 });
    await act(id, body);
    const code = await answer;
    assert.equal(await effectOf(body), undefined);
    return code;
  };
  const denied = await writeOf(working);
  dataOf(await permits.answer(await asked(denied), { answer: 'deny', reply: 'Not there' }));
  const answer = await send(denied);
  assert.deepEqual(answer.verdict === 'deny' && [answer.code, answer.message], [
    'egress_person_denied',
    'a person denied this write: Not there',
  ]);
  assert.equal(await refusedAfter((id) => outlast(village, id)), 'egress_permission_expired');
  const gone = await refusedAfter(async (_id, { ask, uid, run }) =>
    assert.deepEqual(await broker.withdrawEgress({ ask, uid, run }), { withdrawn: true }),
  );
  assert.equal(gone, 'egress_permission_stale');
  const stopped = await writeOf(working);
  const id = await asked(stopped);
  const reason = { reason: 'odd' };
  await permits.play.admin.freezeAgent({ agent_id: 'ada', ...reason });
  assert.equal(await verdictOf(stopped), 'egress_agent_stopped');
  assert.equal((await permissionOf(id))?.state, 'withdrawn');
  await permits.play.admin.liftFreeze({ agent_id: 'ada', reason: 'over' });
  const cancelled = await refusedAfter(() => permits.play.admin.raw.cancelRun({ run_id: working.runId }));
  assert.equal(cancelled, 'egress_run_cancelled');
});

test('a replica obeys a measure as soon as the API has confirmed it, even before it is notified', async () => {
  const working = await permits.startRun('ada');
  const params = { agent_id: 'ada' };
  const body = await writeOf(working);
  await endListeners();
  await permits.play.admin.freezeAgent({ ...params, reason: 'odd' });
  assert.equal(await verdictOf(body, elsewhere), 'egress_agent_stopped');
  await permits.play.admin.liftFreeze({ ...params, reason: 'over' });
  assert.equal(await verdictOf(body, elsewhere), 'wait', 'the end of the measure is obeyed at once too');
});

/** Closes the connections that carry notifications; the API opens new ones. */
async function endListeners(): Promise<void> {
  const ended = await db
    .withTables<{ pg_stat_activity: { pid: number; application_name: string; datname: string } }>()
    .selectFrom('pg_stat_activity')
    .select((build) => build.fn<boolean>('pg_terminate_backend', ['pid']).as('ended'))
    .where('application_name', '=', 'hamlet-api listener')
    .where(({ eb, fn }) => eb('datname', '=', fn<string>('current_database')))
    .execute();
  assert.ok(ended.length >= 2, `${ended.length} connections of listeners were found`);
}

test('a permission holds for one agent, run, cycle, write and version of the rules; agents can neither request nor answer one', async () => {
  const working = await permits.startRun('ada');
  const body = await writeOf(working);
  const id = await asked(body);
  dataOf(await permits.answer(id, { answer: 'allow' }));
  const bob = await permits.startRun('bob');
  const { uid: ofBob } = await permits.play.agent('bob');
  const forged: Readonly<Record<string, readonly [Partial<Write>, string]>> = {
    'no run': [{ run: null }, 'egress_no_run'],
    'an unknown run': [{ run: randomUUID() }, 'egress_no_run'],
    'the run of another agent': [{ uid: ofBob }, 'egress_no_run'],
    'another cycle': [{ cycle: working.cycle + 1, ask: randomUUID() }, 'egress_no_run'],
    'another body': [{ sha256: 'f'.repeat(64) }, 'egress_write_differs'],
    'another call': [{ call: 'call-2' }, 'egress_write_differs'],
    'another kind': [{ kind: 'push' }, 'egress_write_differs'],
    'older rules of egress': [{ rules: 'old', ask: randomUUID() }, 'egress_permission_stale'],
  };
  for (const [what, [changes, code]] of Object.entries(forged))
    assert.equal(await verdictOf({ ...body, ...changes }), code, what);
  const byBob = await writeOf(bob, { ask: body.ask });
  assert.equal(await verdictOf(byBob), 'wait', 'the same id in the run of another agent is another write');
  const byAgent = { tool: 'send_request', callId: `out.${randomUUID()}`, args: {} };
  for (const why of ['policy', 'unknown'] as const)
    await refuses(permits.ask(working, byAgent, { why }), 'policy_denied');
  await refuses(permits.answer(id, { answer: 'allow' }, permits.play.as('ada')), 'forbidden');
  const next = await asked(await writeOf(working));
  await refuses(permits.answer(next, { answer: 'allow', always: 'agent' }), 'validation_failed');
  await refuses(permits.answer(next, { answer: 'allow' }, permits.member), 'permission_not_yours');
});

test('rules decide before people: they deny a class of writes, or allow plain writes of an agent', async () => {
  const dan = await permits.startRun('dan');
  const answer = await send(await writeOf(dan));
  assert.ok(answer.verdict === 'deny' && answer.message.endsWith('Dan sends nothing'));
  assert.equal(answer.code, 'egress_policy_denied');
  assert.equal(await verdictOf(await writeOf(dan, { by_rule: true })), 'egress_policy_denied');
  const eve = await permits.startRun('eve');
  const body = await writeOf(eve, { by_rule: true });
  assert.deepEqual(await send(body), { verdict: 'allow', permission_id: null });
  assert.equal((await effectOf(body))?.permission_id, null);
  for (const kind of ['push', 'publish', 'checkout'] as const)
    assert.equal(await verdictOf(await writeOf(eve, { kind, by_rule: true })), 'wait', kind);
});

test('a run that has ended sends nothing; a run may ask for a limited number of writes', async () => {
  const working = await permits.startRun('fay');
  const first = await writeOf(working);
  for (let waiting = 0; waiting < WRITES_WAITING_MAX; waiting += 1) await asked({ ...first, ask: randomUUID() });
  assert.equal(await verdictOf(first), 'egress_too_many');
  await permits.end(working);
  assert.equal(await verdictOf(first), 'egress_no_run');
  await eventually('no permission waits', async () => {
    const query = { run_id: working.runId, state: 'pending' } as const;
    return (await permits.play.admin.listPermissions(query)).permissions.length === 0;
  });
});
