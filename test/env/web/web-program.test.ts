/**
 * The work of another maker's program in a real browser: its words and calls in order, its mind in lists, its use
 * without steps.
 */
import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import type { JournalEntry, Run } from '@hamlet/contract';
import { PermissionPlay } from '../../../api/server/src/permissions/testing/permission-play.ts';
import { visit } from '../browser.ts';
import { assertSound, startViewerStage, testOnDevices, type ViewerStage } from './web-viewers.ts';

const MIND = { runtime: 'acp', preset: 'opencode', program: 'OpenCode', version: '1.18.33', installed: true };
const NOTES = [
  ['s1', 'program.say', { kind: 'say', title: '', output: 'I look at the test first.' }],
  ['t1', 'program.read', { kind: 'read', title: 'bread.test.ts' }],
  ['s2', 'program.say', { kind: 'say', title: '', output: 'The oven is too cold.' }],
  ['t2', 'program.edit', { kind: 'edit', title: 'oven.ts' }],
] as const;
const EVENT = { v: 1, type: 'program_noted', stage: 'main', fence: 1, at: 1, elapsedMs: 1, call: '1.0', outcome: 'ok' };
const ANSWER = 'I look at the test first.\n\nThe oven is too cold.\n\nRepaired: all tests pass.';

let stage: ViewerStage;
let sessionId = '';
let run: Run;

before(async () => {
  stage = await startViewerStage({ kim: 'admin' });
  const { play } = new PermissionPlay(stage.url);
  await play.everybody();
  sessionId = (await play.admin.createSession({ agent_id: 'ada', people: ['kim'] })).session.session_id;
  await play.admin.sendMessage({ session_id: sessionId, text: 'Repair the failing test.' });
  const ada = play.as('ada');
  const next = await ada.nextRun({ agent_id: 'ada', lane: 'message' });
  assert.ok(next.run !== null);
  const { cycle } = await play.agent('ada');
  ({ run } = await ada.startRun({ run_id: next.run.run_id, cycle, runtime: 'acp', mind: MIND }));
  const { attempt, run_id } = run;
  await ada.storeRunJournal({ run_id, cycle, attempt, ...journalOf(run_id) });
  await ada.settleRun({ run_id, cycle, attempt, state: 'done', summary: 'Repaired.', answer: ANSWER });
});
after(() => stage?.remove());

function journalOf(runId: string): { entries: JournalEntry[]; payloads: { ref: string; text: string }[] } {
  const ref = (id: string): string => `claim-${id}`.padEnd(22, '_');
  return {
    entries: NOTES.map(([id, tool], index) => ({
      seq: index + 1,
      event: {
        ...EVENT,
        run: runId,
        note: `1.0.${id}`,
        tool,
        claim: ref(id),
      },
    })),
    payloads: NOTES.map(([id, , claim]) => ({ ref: ref(id), text: JSON.stringify(claim) })),
  };
}

testOnDevices('words and calls of a program stand in the order in which they happened', async (viewer, device) => {
  const { page } = viewer;
  await visit(page, `?view=tiers&agent=ada&tab=chat&chat=${sessionId}`);
  const answer = page.locator('.answer[data-message]');
  // Folded work: the whole answer.
  await answer.locator('.markdown p').nth(2).waitFor();
  assert.doesNotMatch(await page.locator('.inspector').innerText(), /\d+ steps?\b/);
  await page.locator('.work-line').click();
  await page.locator('.work .call').nth(1).waitFor();
  assert.match(await page.locator('.work-line').innerText(), /: 2 calls$/);
  const order = await page.evaluate<string[]>(
    `[...document.querySelectorAll('.work > li')].map((item) => item.querySelector('.call-word')?.textContent ?? item.textContent.trim())`,
  );
  assert.deepEqual(order, ['I look at the test first.', 'Read', 'The oven is too cold.', 'Edit']);
  assert.deepEqual(await answer.locator('.markdown p').allInnerTexts(), ['Repaired: all tests pass.']);
  await stage.shot(viewer, `program-chat-${device}`);
  await assertSound(viewer);
});

testOnDevices('lists of runs name the mind, and the page of a run counts no steps for it', async (viewer, device) => {
  const { page } = viewer;
  await visit(page, '?view=runs');
  await page.locator('.run .agent-mind', { hasText: 'OpenCode' }).first().waitFor();
  await stage.shot(viewer, `program-runs-${device}`);
  await visit(page, `?view=runs&run=${run.run_id}`);
  await page.waitForSelector('.run-budget [data-limit="tokens"]');
  assert.equal(await page.locator('.run-budget [data-limit="steps"]').count(), 0);
  await page.locator('.course', { hasText: 'The oven is too cold.' }).waitFor();
  await stage.shot(viewer, `program-run-${device}`);
  await assertSound(viewer);
});
