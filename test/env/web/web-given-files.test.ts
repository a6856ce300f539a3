/** Files that people give with messages, in a real browser: attached, dropped, pasted, refused before sending, and shown by their names. */
import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import type { Page } from 'playwright-core';
import { GIVEN_FILE_MAX_BYTES } from '@hamlet/contract';
import { PermissionPlay } from '../../../api/server/src/permissions/testing/permission-play.ts';
import { visit } from '../browser.ts';
import { assertSound, startViewerStage, testOnDevices, type ViewerStage } from './web-viewers.ts';

let stage: ViewerStage;
let permits: PermissionPlay;

before(async () => {
  stage = await startViewerStage({ kim: 'admin' });
  permits = new PermissionPlay(stage.url);
  await permits.play.everybody();
});
after(() => stage?.remove());

const file = (name: string, buffer: Buffer, mimeType = 'text/csv') => ({ name, buffer, mimeType });
const SUMS = file('sums of the year.csv', Buffer.from('a,b\n1,2\n'));
const chips = (page: Page): Promise<string[]> => page.locator('.composer .given-name').allInnerTexts();

/** Gives the page a file as a drag or a paste does. */
async function bring(page: Page, how: 'drop' | 'paste', name: string): Promise<void> {
  const [place, event] =
    how === 'drop'
      ? ['.chat', `new DragEvent('drop', { bubbles: true, cancelable: true, dataTransfer: data })`]
      : ['.composer textarea', `new ClipboardEvent('paste', { bubbles: true, cancelable: true, clipboardData: data })`];
  await page.evaluate(
    `(() => { const data = new DataTransfer(); data.items.add(new File(['x'], '${name}', { type: 'text/plain' })); document.querySelector('${place}').dispatchEvent(${event}); })()`,
  );
  await page.locator('.composer .given-file', { hasText: name }).waitFor();
}

testOnDevices('files go with a message, and the conversation and the run show their names', async (viewer, device) => {
  const { page } = viewer;
  await visit(page, '?view=tiers&agent=ada&tab=chat');
  const input = page.locator('.composer input[name="files"]');
  await input.waitFor({ state: 'attached' });
  const large = file('large.bin', Buffer.alloc(GIVEN_FILE_MAX_BYTES + 1));
  await input.setInputFiles([SUMS, large, file('empty.txt', Buffer.alloc(0))]);
  const problems = page.locator('[data-problem="files"]');
  await problems.waitFor();
  assert.match(await problems.innerText(), /large\.bin has more than 512 KB[^]*empty\.txt is empty/);
  assert.deepEqual(await chips(page), ['sums of the year.csv']);
  await bring(page, 'drop', 'dropped.txt');
  await problems.waitFor({ state: 'detached' });
  await bring(page, 'paste', 'pasted.txt');
  await input.setInputFiles([file('four.txt', Buffer.from('4')), file('five.txt', Buffer.from('5'))]);
  await problems.waitFor();
  assert.match(await problems.innerText(), /1 file was not attached, because a message has at most 4/);
  await stage.shot(viewer, `given-files-${device}`);
  await page.click('.composer .given-file[data-file="pasted.txt"] button');
  await page.click('[data-tab="now"]');
  await page.click('[data-tab="chat"]');
  assert.deepEqual(
    await chips(page),
    ['sums of the year.csv', 'dropped.txt', 'four.txt'],
    'they stay, as the draft does',
  );
  await page.fill('.composer textarea', `Add them up on the ${device}.`);
  await page.click('.composer button[type="submit"]');
  const exchange = page.locator('.exchange', { hasText: `Add them up on the ${device}.` });
  await exchange.locator('.given-file').first().waitFor();
  assert.deepEqual(await exchange.locator('.given-name').allInnerTexts(), [
    'sums of the year.csv',
    'dropped.txt',
    'four.txt',
  ]);
  assert.doesNotMatch(await exchange.innerText(), /given\/|Files of this message/);
  assert.equal(await page.locator('.composer .given-file').count(), 0);
  const { run } = await permits.play.as('ada').nextRun({ agent_id: 'ada', lane: 'message' });
  assert.ok(run !== null);
  assert.match(
    run.prompt,
    /Files of this message:\n- \/workspace\/given\/[0-9a-f]{12}\/sums of the year\.csv \(text\/csv, 8 bytes\)\n/,
  );
  await stage.shot(viewer, `given-files-sent-${device}`);
  await visit(page, `?view=runs&run=${run.run_id}`);
  await page.locator('.run-page .given-file[data-file="dropped.txt"]').waitFor();
  assert.doesNotMatch(await page.locator('.run-page').innerText(), /\/workspace\/given/);
  await permits.play.admin.cancelRun({ run_id: run.run_id });
  await assertSound(viewer);
});
