/** An admission verifies its caller under the lock of the agent's hour. */
import assert from 'node:assert/strict';
import { createHash, randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { insertAgentSession, revokeAgentSessions } from '../agents/agent-sessions.ts';
import { closeLife, openLife, raiseCycle } from '../agents/lives.ts';
import { replaceApiKeys } from '../people/api-keys.ts';
import { testLedger } from '../ledger/testing/test-ledger.ts';
import { takeMeasure } from '../standing/measures.ts';
import { admitModelRequest, type Admission, type CallerProof } from './model-admission.ts';
import { readModelHour } from './model-requests.ts';
import { anAdmission } from './testing/an-admission.ts';

const LIFE = { limitS: 150 };
const BY = { role: 'admin', id: 'ann' };
const ledger = await testLedger(4);

const hashOf = (token: string): Buffer => createHash('sha256').update(token).digest();

/** A life of an agent with a token of its cycle 2. */
async function proofOf(agentId: string, expiresAt = new Date(Date.now() + 300_000)): Promise<CallerProof> {
  const tokenHash = hashOf(randomUUID());
  const uid = `uid-${agentId}`;
  await openLife(ledger.db, uid, agentId);
  await raiseCycle(ledger.db, uid, 2);
  await insertAgentSession(ledger.db, {
    tokenHash,
    jti: randomUUID(),
    agentId,
    uid,
    podUid: null,
    cycle: 2,
    expiresAt,
  });
  return { tokenHash, cycle: 2 };
}

/** @param pays false if the request must wait for its provider. */
const ask = (agentId: string, proof: CallerProof | null, pays = true): Promise<Admission> =>
  admitModelRequest(ledger.db, anAdmission(agentId, { proof, ...(pays ? {} : { payment: null }) }));

const verdictOf = async (asked: Promise<Admission>): Promise<string> => (await asked).verdict;
const usedBy = async (agentId: string): Promise<number> => (await readModelHour(ledger.db, agentId, LIFE)).used;

test('a valid token is admitted, with or without payment', async () => {
  const proof = await proofOf('ada');
  assert.deepEqual(
    [await verdictOf(ask('ada', proof)), await verdictOf(ask('ada', proof, false))],
    ['admitted', 'admitted'],
  );
  assert.equal(await usedBy('ada'), 2);
});

test('a revoked, expired, unknown or foreign token, or one of an ended life, is refused, and nothing is stored', async () => {
  const bob = await proofOf('bob');
  await revokeAgentSessions(ledger.db, 'bob');
  const cleo = await proofOf('cleo', new Date(Date.now() - 1_000));
  const dan = await proofOf('dan');
  await closeLife(ledger.db, 'uid-dan', 'dan');
  const unknown = { tokenHash: hashOf('unknown'), cycle: 2 };
  const ofGil = await proofOf('gil');
  for (const pays of [true, false]) {
    for (const [agentId, proof] of [
      ['bob', bob],
      ['cleo', cleo],
      ['dan', dan],
      ['bob', unknown],
      ['bob', ofGil],
    ] as const)
      assert.equal(await verdictOf(ask(agentId, proof, pays)), 'token_invalid', agentId);
  }
  for (const agentId of ['bob', 'cleo', 'dan']) assert.equal(await usedBy(agentId), 0, agentId);
});

test('a token of an older cycle is refused', async () => {
  const proof = await proofOf('eve');
  assert.equal(await verdictOf(ask('eve', proof)), 'admitted');
  await raiseCycle(ledger.db, 'uid-eve', 3);
  assert.equal(await verdictOf(ask('eve', proof)), 'stale_cycle');
});

test('an API key is valid for its own agent until it is revoked', async () => {
  const key = { name: 'agent fay', role: 'agent', agentId: 'fay', hash: hashOf('key of fay') } as const;
  await replaceApiKeys(ledger.db, [key, { name: 'member', role: 'member', agentId: null, hash: hashOf('member') }]);
  const proof = { tokenHash: key.hash, cycle: 0 };
  assert.equal(await verdictOf(ask('fay', proof)), 'admitted');
  assert.equal(await verdictOf(ask('ada', proof)), 'token_invalid', "another agent's");
  assert.equal(await verdictOf(ask('fay', { tokenHash: hashOf('member'), cycle: 0 })), 'token_invalid', "a person's");
  await replaceApiKeys(ledger.db, []);
  assert.equal(await verdictOf(ask('fay', proof)), 'token_invalid');
});

test('a measure takes precedence over an invalid token, also for a request that has to wait', async () => {
  const proof = await proofOf('hal');
  await ledger.within((tx) =>
    takeMeasure(tx, { agentId: 'hal', measure: 'freeze', reason: 'too loud', expiresAt: null }, BY),
  );
  const barred = { verdict: 'barred', bar: { measure: 'freeze', reason: 'too loud', expiresAt: null } };
  assert.deepEqual(await ask('hal', proof), barred);
  assert.deepEqual(await ask('hal', proof, false), barred);
  await revokeAgentSessions(ledger.db, 'hal');
  assert.deepEqual(await ask('hal', proof), barred);
});

test('the admission sees a revocation that commits while it waits for the lock', async () => {
  const proof = await proofOf('ivy');
  assert.equal(await verdictOf(ask('ivy', proof)), 'admitted');
  let admission = Promise.resolve('not asked');
  await ledger.within(async (tx) => {
    await tx.updateTable('model_hour').set({ used: 0 }).where('agent_id', '=', 'ivy').execute();
    admission = verdictOf(ask('ivy', proof));
    await ledger.blocked();
    await revokeAgentSessions(tx, 'ivy');
  });
  assert.equal(await admission, 'token_invalid');
});
