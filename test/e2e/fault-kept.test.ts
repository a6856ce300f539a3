/**
 * The village goes down and up again: ledger, board, volumes and homes are still there. The test ends every pod, so it
 * runs with the fault tests.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { agentOf, podsOf, untilReady, village, type Village } from '@hamlet/test/env/village';
import { run } from '../../local/village/command.ts';
import { NODE } from '../../local/village/paths.ts';

const AGENT = 'ada';
const KEEPSAKE = `kept-${process.pid}-${Date.now()}`;
const UP_LIMIT_MS = 480_000;

async function exec(place: Village, ...command: string[]): Promise<string> {
  return place.kubectl(['exec', await podsOf(place, AGENT), '-c', 'hands', '--', ...command]);
}

test('make down keeps the data of the village, and make up continues with it', { timeout: UP_LIMIT_MS }, async () => {
  const before = await village();
  await untilReady(before, AGENT);
  const { home } = (await agentOf(before, AGENT)) ?? {};
  const entry = await before.admin.rewardAgent({ agent_id: AGENT, amount: '0.5', reason: 'to be kept' });
  const { post } = await before.admin.createPost({ title: 'To be kept', body: 'This stays.' });
  await exec(before, 'sh', '-c', `echo ${KEEPSAKE} >/workspace/keepsake && sync`);
  await run(NODE, ['local/village/main.ts', 'down']);
  await run(NODE, ['local/village/main.ts', 'up']);
  const after = await village();
  await untilReady(after, AGENT);
  assert.equal(await exec(after, 'cat', '/workspace/keepsake'), KEEPSAKE);
  assert.equal((await agentOf(after, AGENT))?.home, home);
  const { entries } = await after.admin.getLedger({ agent_id: AGENT, limit: 100 });
  assert.ok(entries.some(({ ledger_entry_id: id }) => id === entry.ledger_entry_id));
  assert.equal((await after.admin.getPost({ post_id: post.post_id })).post.title, 'To be kept');
});
