/** The sealed log over HTTP: checkpoint, tiles, entries and proofs, each compared with the others. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { getLogCheckpoint, getLogKey, type InclusionProof } from '@hamlet/contract';
import {
  EMPTY_EDGE,
  growEdge,
  isConsistent,
  leafHash,
  openNote,
  openRecord,
  readCheckpoint,
  readEntryBundle,
  readVerifierKey,
  rootByInclusion,
  rootOf,
  sidesOf,
} from '@hamlet/core';
import type { Checkpoint } from '@hamlet/core';
import { sha256 } from '@hamlet/store';
import { openSuperuser } from '@hamlet/test/env/superuser';
import { untilEnd } from '@hamlet/test/env/at-end';
import { refuses } from '@hamlet/test/env/client';
import { agentToken, clientOf, eventually, TOKENS, testVillage } from '../testing/test-village.ts';
import { verifyEd25519 } from './log-signer.ts';

/** A replica without a key: it seals nothing, and serves the log that others seal. */

const village = await testVillage();
const keyless = (await village.startReplica({ HAMLET_LOG_DIR: '' })).peopleUrl;
for (const route of [getLogCheckpoint, getLogKey]) {
  const answer = await clientOf(keyless).call(route, {});
  assert.equal(answer.ok ? '' : answer.problem.code, 'not_sealed');
}
const { peopleUrl: url } = await village.startReplica();
const admin = clientOf(url, TOKENS.admin);
const member = clientOf(url, TOKENS.member);
const superuser = untilEnd(openSuperuser(village.postgres));

async function reward(agent_id: string, amount: string): Promise<string> {
  return (await admin.rewardAgent({ agent_id, amount, reason: 'good bread' })).ledger_entry_id;
}

/** Opens the newest checkpoint with the key that the village publishes. */
function opened(note: string, keyText: string): Checkpoint {
  const key = readVerifierKey(keyText, sha256);
  assert.ok(key !== null);
  const text = openNote(note, key, { sha256, verify: verifyEd25519 });
  assert.ok(text !== null, 'signed');
  const checkpoint = readCheckpoint(text);
  assert.equal(checkpoint?.origin, 'hamlet.village/hamlet');
  assert.ok(checkpoint !== null);
  return checkpoint;
}

async function keyText(): Promise<string> {
  return await clientOf(url).getLogKey();
}

async function proofOf(record_id: string): Promise<InclusionProof> {
  return eventually('the record to be sealed', async () => {
    const answer = await admin.raw.getLogProof({ record_id });
    if (!answer.ok) assert.equal(answer.problem.code, 'not_sealed');
    return answer.ok && answer.data;
  });
}

function holds(proof: Pick<InclusionProof, 'position' | 'leaf' | 'hashes' | 'checkpoint'>, key: string): boolean {
  const { size, root } = opened(proof.checkpoint, key);
  const led = rootByInclusion(
    {
      position: proof.position,
      size,
      hash: leafHash(Uint8Array.fromBase64(proof.leaf), sha256),
      proof: proof.hashes.map((hash) => Uint8Array.fromBase64(hash)),
    },
    sha256,
  );
  return led !== null && Buffer.from(root).equals(led);
}

test('entries and tiles hash to the signed root', async () => {
  await reward('ada', '5');
  await proofOf(await reward('bob', '2'));
  const { size, root } = opened(await clientOf(url).getLogCheckpoint(), await keyText());
  assert.ok(size >= 4 && size < 256, `two entries and two acts at least: ${size}`);
  const tile = `000.p/${size}`;
  const [hashes, bundle] = await Promise.all([
    clientOf(url).raw.getLogTile({ level: '0', tile }),
    admin.raw.getLogEntries({ tile }),
  ]);
  assert.ok(hashes.ok && bundle.ok);
  const entries = readEntryBundle(bundle.data) ?? [];
  assert.equal(entries.length, size);
  assert.deepEqual(Buffer.from(hashes.data), Buffer.concat(entries.map((entry) => leafHash(entry, sha256))));
  assert.deepEqual(Buffer.from(rootOf(growEdge(EMPTY_EDGE, hashes.data, sha256).edge, sha256)), Buffer.from(root));
  await clientOf(keyless).getLogCheckpoint();
  const bare = await fetch(`${url}/log/tile/0/${tile}`);
  assert.equal(bare.headers.get('content-type'), 'application/octet-stream');
  assert.equal((await bare.arrayBuffer()).byteLength, size * 32);
});

test('missing parts of the log are refused', async () => {
  for (const tile of ['x001/000', '000.p/255', '001'])
    await refuses(admin.getLogTile({ level: '0', tile }), 'no_such_tile', tile);
  await refuses(admin.getLogEntries({ tile: 'x001/000' }), 'no_such_tile');
  assert.equal((await fetch(`${url}/log/tile/0/0`)).status, 400, 'a number that is not in the form of tlog-tiles');
  await refuses(admin.getLogProof({ record_id: randomUUID() }), 'no_such_record');
});

test('a reward, its act and a turn are proven to actors who may read them', async () => {
  const key = await keyText();
  const entry = await reward('ada', '1.5');
  assert.ok(holds(await proofOf(entry), key));
  for (const token of [TOKENS.member, agentToken('ada')]) await clientOf(url, token).getLogProof({ record_id: entry });
  await refuses(clientOf(url, agentToken('bob')).getLogProof({ record_id: entry }), 'not_own_agent');
  const [act] = (await admin.listAudit({ kind: 'act', object: 'ada', q: 'bread', limit: 1 })).records;
  assert.ok(act !== undefined);
  const proof = await proofOf(act.record_id);
  assert.equal(proof.kind, 'act');
  assert.ok(holds(proof, key));
  await refuses(member.getLogProof({ record_id: act.record_id }), 'forbidden');
  const turn = {
    turn_id: randomUUID(),
    cycle: 1_000,
    trigger: 'tick' as const,
    perceived: {},
    decided: { why: 'hungry' },
    acted: { tool: 'http', argument: 'x' },
    reflected: {},
  };
  await clientOf(url, agentToken('ada')).recordTurn({ agent_id: 'ada', ...turn });
  const turnProof = await proofOf(turn.turn_id);
  assert.equal(turnProof.kind, 'turn');
  assert.ok(holds(turnProof, key));
});

test('the newest sealed entry of an account proves its balance', async () => {
  const entry = await reward('cleo', '7.25');
  await proofOf(entry);
  const answer = await clientOf(url, agentToken('cleo')).getBalanceProof({ agent_id: 'cleo' });
  const { balance, version, ledger_entry_id, account } = answer;
  assert.deepEqual([balance, version, ledger_entry_id], ['7.25', 1, entry]);
  assert.ok(holds(answer, await keyText()));
  const side = sidesOf(openRecord(Uint8Array.fromBase64(answer.leaf)))?.find(({ owner }) => owner === 'agent/cleo');
  assert.deepEqual([side?.account, side?.version, side?.balanceAfter], [BigInt(account), 1n, 7_250_000n]);
  await refuses(admin.getBalanceProof({ agent_id: 'fay' }), 'not_sealed');
  await refuses(admin.getBalanceProof({ agent_id: 'nobody' }), 'no_such_agent');
});

test('a proof shows that an earlier checkpoint is the beginning of the newest', async () => {
  const key = await keyText();
  const first = opened(await clientOf(url).getLogCheckpoint(), key);
  await proofOf(await reward('dan', '1'));
  const answer = await clientOf(url).getLogConsistency({ from: first.size });
  const second = opened(answer.checkpoint, key);
  assert.ok(second.size > first.size);
  assert.ok(isConsistent({ first, second, proof: answer.hashes.map((hash) => Uint8Array.fromBase64(hash)) }, sha256));
  await refuses(clientOf(url).getLogConsistency({ from: 1_000_000 }), 'not_sealed');
});

test('a row that was changed without the API gets no proof', async () => {
  const entry = await reward('eve', '3');
  await proofOf(entry);
  const change = async (note: string): Promise<void> => {
    await superuser.run('alter table ledger.transfer disable trigger append_only');
    await superuser.run(`update ledger.transfer set note = '${note}' where transfer_id = '${entry}'`);
    await superuser.run('alter table ledger.transfer enable always trigger append_only');
  };
  await change('good cake');
  await refuses(admin.getLogProof({ record_id: entry }), 'log_differs');
  await change('good bread');
  await admin.getLogProof({ record_id: entry });
});
