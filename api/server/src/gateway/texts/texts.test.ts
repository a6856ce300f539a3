/** Prompts and answers: stored only if the village enables it, read only by admins, deleted on demand or at expiry. */
import assert from 'node:assert/strict';
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { deleteExpiredModelTexts, inTransaction, keepModelText, readAudit, readModelText } from '@hamlet/store';
import { dataOf, refuses } from '@hamlet/test/env/client';
import { clientOf, eventually, TOKENS, type AgentId, Play, startPlay } from '../../testing/test-village.ts';

const SECRET = 'The secret word is xylophone.';

const { village, play: keeping } = await startPlay({ environment: { HAMLET_MODEL_TEXT_DAYS: '7' } });
const silent = new Play((await village.startReplica({})).peopleUrl);
const db = village.openDb();

/** Asks a model, and returns the id of the request. */
async function ask(play: Play, agentId: AgentId): Promise<string> {
  const messages = [{ role: 'user' as const, content: SECRET }];
  await play.as(agentId).completeChat({ model: 'small', messages });
  const { recent } = await play.admin.getModelUse({ agent_id: agentId });
  return recent[0]?.request_id ?? '';
}

const look = (request_id: string) => keeping.admin.raw.getModelText({ request_id });

test('a village keeps no text by default', async () => {
  await refuses(look(await ask(silent, 'bob')), 'no_such_model_text');
});

test('only admins read a stored text; the audit records that with salted hashes, but no word of the text', async () => {
  const requestId = await ask(keeping, 'bob');
  const { text } = dataOf(await look(requestId));
  assert.equal(text.agent_id, 'bob');
  assert.deepEqual(JSON.parse(text.prompt), [{ role: 'user', content: SECRET }]);
  assert.match((JSON.parse(text.answer) as { content: string }).content, /\w/);
  assert.equal(Date.parse(text.expires_at) - Date.parse(text.kept_at), 7 * 86_400_000);
  await refuses(clientOf(keeping.url, TOKENS.member).getModelText({ request_id: requestId }), 'forbidden');
  const rows = await readAudit(db, requestId, 10);
  assert.deepEqual(rows.map(({ action }) => action).toSorted(), [
    'models.call',
    'models.text_keep',
    'models.text_read',
  ]);
  const kept = JSON.stringify(rows);
  assert.doesNotMatch(kept, /xylophone/);
  assert.match(kept, /"prompt_sha256":"[0-9a-f]{64}"/);
  assert.ok(!kept.includes(createHash('sha256').update(text.prompt).digest('hex')), 'the hash is salted');
});

test('an admin deletes one text, or all texts of an agent', async () => {
  const requestId = await ask(keeping, 'cleo');
  const forget = () => keeping.admin.raw.forgetModelText({ request_id: requestId });
  assert.equal(dataOf(await forget()).forgotten, 1);
  await refuses(look(requestId), 'no_such_model_text');
  await refuses(forget(), 'no_such_model_text');
  const ids = [await ask(keeping, 'cleo'), await ask(keeping, 'cleo')];
  assert.equal((await keeping.admin.forgetModelTexts({ agent_id: 'cleo' })).forgotten, 2);
  for (const id of ids) assert.equal(await readModelText(db, id), null);
});

test('an expired text is not shown, and the job deletes it', async () => {
  const requestId = randomUUID();
  const text = { requestId, agentId: 'dan', runId: null, prompt: '[]', answer: '{}', salt: randomBytes(32) };
  await inTransaction(db, (tx) => keepModelText(tx, { ...text, days: 1e-8 }));
  await refuses(look(requestId), 'no_such_model_text');
  assert.equal(await eventually('the expiry', async () => (await deleteExpiredModelTexts(db, 10)) > 0), true);
  assert.equal(await deleteExpiredModelTexts(db, 10), 0);
});
