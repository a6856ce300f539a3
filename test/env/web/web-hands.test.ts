/** The page of a run in a real browser: commands, changes of files, workers, and the button that ends one. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type CallReport } from '@hamlet/contract';
import { PermissionPlay, type Working } from '../../../api/server/src/permissions/testing/permission-play.ts';
import { until } from '../until.ts';
import { visit } from '../browser.ts';
import { assertSound, startViewerStage, testOnDevices, type ViewerStage } from './web-viewers.ts';

const DIFF = [
  '--- a/bread.py',
  '+++ b/bread.py',
  '@@ -1,3 +1,3 @@',
  ' import oven',
  '-HEAT = 180',
  '+HEAT = 240',
  ' bake()',
  '',
];

let stage: ViewerStage;
let permits: PermissionPlay;
let working: Working;

before(async () => {
  stage = await startViewerStage({ kim: 'admin' });
  permits = new PermissionPlay(stage.url);
  await permits.play.everybody();
  working = await permits.startRun('ada');
  await called(
    '1.0',
    { tool: 'shell', args: { command: 'pytest -q' } },
    {
      command: 'pytest -q',
      cwd: '/workspace/bakery',
      stdout: '..F.\n1 failed, 3 passed\n',
      stderr: 'warning: the oven is cold\n',
      refused: [
        'egress_registry_off: the registry pip is switched off in this village; ask an admin to add pip to egress.registries',
      ],
      exit: 1,
      duration_ms: 2_340,
    },
  );
  const edit = { path: '/workspace/bakery/bread.py', diff: DIFF.join('\n') };
  await called(
    '2.0',
    { tool: 'edit_file', args: { path: edit.path, old: 'HEAT = 180', new: 'HEAT = 240' } },
    { ...edit, change: 7 },
  );
  const page = { url: 'https://bread.test/', title: 'Bread', at: '2026-11-25T12:00:00Z' };
  await called('2.1', { tool: 'web_fetch', args: { url: page.url } }, { bytes: 40, opened: [page] });
  await permits.perform(working, {
    tool: 'delegate',
    callId: '3.0',
    args: { role: 'taster', prompt: 'Taste the bread' },
  });
});
after(() => stage?.remove());

/** Stores the start and the end of a call in the hands, as the resident does. */
async function called(
  callId: string,
  { tool, args }: { readonly tool: string; readonly args: object },
  report: CallReport,
): Promise<void> {
  assert.equal(await permits.begun(working, { callId, tool, args }), 'begun');
  await permits.finish(working, callId, { report });
}

testOnDevices('the page of a run shows commands, changes and workers', async (viewer, name) => {
  const { page } = viewer;
  await visit(page, `?view=runs&run=${working.runId}`);
  const file = page.locator('.run-files details', { hasText: 'bread.py' });
  await file.locator('summary').click();
  assert.match(await file.innerText(), /\+1 −1/);
  assert.equal(
    await file
      .locator('.diff-line[data-kind="added"]')
      .innerText()
      .then((text) => text.includes('HEAT = 240')),
    true,
  );
  const worker = page.locator('.run-worker');
  assert.match(await worker.innerText(), /taster[^]*Taste the bread/);
  await page.locator('.call[data-call="shell"] summary').click();
  await page.locator('.command', { hasText: 'pytest -q' }).waitFor();
  assert.match(await page.locator('.command-end').innerText(), /exit 1 · 2\.?3? s · in \/workspace\/bakery/);
  assert.match(
    await page.locator('.call-report').first().innerText(),
    /Refused by the broker\s+egress_registry_off: [^]*1 failed, 3 passed[^]*the oven is cold/,
  );
  await page.locator('.call[data-call="web_fetch"] summary').click();
  const web = await page.locator('.call[data-call="web_fetch"]').innerText();
  assert.match(web, /Read a web page[^]*web_fetch\s*sandbox[^]*bread\.test/);
  await stage.shot(viewer, `hands-${name}`);
  await assertSound(viewer);
});

test('a person cancels a worker on the page of its parent run', async () => {
  const viewer = await stage.viewer();
  const { page } = viewer;
  await stage.signIn(viewer, 'kim');
  await visit(page, `?view=runs&run=${working.runId}`);
  await page.locator('.run-worker').getByRole('button', { name: /End/ }).click();
  await until('the worker is cancelled', async () => {
    const answer = await stage.admin.raw.listWorkers({ agent_id: 'ada', parent_run_id: working.runId });
    return answer.ok && answer.data.workers[0]?.run.state === 'cancelled';
  });
  await page.locator('.run-worker[data-state="cancelled"]').waitFor();
  await viewer.close();
});
