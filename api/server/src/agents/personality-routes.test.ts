/** The text that an agent adds to its personality: its history, its undo, and the configuration of the resident. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PERSONALITY_VERSIONS_A_DAY } from '@hamlet/contract';
import { readAudit } from '@hamlet/store';
import { dataOf, refuses } from '@hamlet/test/env/client';
import { pluck } from '@hamlet/test/env/pluck';
import { PermissionPlay } from '../permissions/testing/permission-play.ts';
import { startPlay } from '../testing/test-village.ts';

const { village, play } = await startPlay();
const ada = { agent_id: 'ada' } as const;

const amended = async (): Promise<string | undefined> => (await play.as('ada').getAgentConfig(ada)).persona.amended;
const list = async () => await play.admin.listPersonality(ada);

test('an agent changes its personality in a run or by itself; its configuration shows the newest version', async () => {
  assert.deepEqual([(await list()).current, await amended()], [null, '']);
  const permits = new PermissionPlay(play.url);
  const working = await permits.startRun('ada');
  const call = { tool: 'amend_personality', callId: '1.0', args: { text: 'I am patient.', reason: 'A person asked.' } };
  for (const replayed of [false, true]) {
    const done = dataOf(await permits.perform(working, call));
    assert.deepEqual([done.outcome.kind, done.outcome.data, done.replayed], ['ok', { version: 1 }, replayed]);
  }
  await permits.endAll();
  const body = { text: 'I am patient, and brief.', reason: 'Shorter is better.' };
  await play.as('ada').amendPersonality({ ...ada, ...body });
  assert.equal(await amended(), body.text);
  const { history } = await list();
  assert.deepEqual(
    history.map(({ version, text, by }) => [version, text, by.role]),
    [
      [2, body.text, 'agent'],
      [1, 'I am patient.', 'agent'],
    ],
  );
});

test('an admin restores an earlier version or removes the text; history and audit keep every change', async () => {
  const undo = (version: number) => play.admin.undoPersonality({ ...ada, version, reason: 'Back.' });
  await undo(1);
  assert.equal(await amended(), 'I am patient.');
  await undo(0);
  assert.equal(await amended(), '');
  await refuses(undo(99), 'no_such_version');
  await refuses(undo(Number.MAX_SAFE_INTEGER), 'no_such_version');
  assert.deepEqual(pluck((await list()).history, 'version', 'restores'), [
    [4, 0],
    [3, 1],
    [2, null],
    [1, null],
  ]);
  const acts = (await readAudit(village.openDb(), 'ada', 100)).map(({ action }) => action);
  assert.equal(acts.filter((action) => action === 'personality.undo').length, 2);
});

test('an agent may change its personality only a limited number of times a day', async () => {
  const amend = () => play.as('ada').amendPersonality({ ...ada, text: 'Again.', reason: 'Why not?' });
  for (let version = 4; version < PERSONALITY_VERSIONS_A_DAY; version += 1) await amend();
  await refuses(amend(), 'personality_limited');
});
