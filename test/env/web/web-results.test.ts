/**
 * Results of runs in a real browser: cards with content, screenshots, sources, links that were never opened, and an output as JSON.
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { after, before } from 'node:test';
import { crc32, deflateSync } from 'node:zlib';
import { keepArtifact, type CallReport, type DeliverableKind } from '@hamlet/contract';
import { attemptOf } from '../../../api/server/src/egress/testing/egress-bodies.ts';
import { PermissionPlay, type Working } from '../../../api/server/src/permissions/testing/permission-play.ts';
import { clientOf, TOKENS } from '../../../api/server/src/testing/test-village.ts';
import { visit } from '../browser.ts';
import { assertSound, startViewerStage, testOnDevices, type ViewerStage } from './web-viewers.ts';

const PATCH = `diff --git a/bread.py b/bread.py
--- a/bread.py
+++ b/bread.py
@@ -1,2 +1,2 @@
 import oven
-HEAT = 180
+HEAT = 240
diff --git a/notes/<script>.txt b/notes/<script>.txt
new file mode 100644
--- /dev/null
+++ b/notes/<script>.txt
@@ -0,0 +1 @@
+<script>document.title = 'taken'</script>
`;
const TABLE = {
  columns: ['Bread', 'Price'],
  rows: [
    { cells: ['Rye', '4.20'], sources: ['https://bakery.example/rye', 'https://prices.example/today'] },
    { cells: ['Spelt', '<b>5</b>'], sources: [] },
  ],
};
const ANSWER =
  'Rye costs 4.20 ([the bakery](https://bakery.example/rye)). More at https://never.example/opened and https://prices.example/today.';
const AT = '2026-11-25T10:00:00Z';
const OPENED = [
  { url: 'https://bakery.example/rye', title: 'Rye bread of the old bakery at the market square', at: AT },
  { url: 'https://prices.example/today', title: '', at: AT },
];

let stage: ViewerStage;
let permits: PermissionPlay;
let working: Working;
let sessionId = '';
let formedRun = '';

before(async () => {
  stage = await startViewerStage({ kim: 'admin' });
  permits = new PermissionPlay(stage.url);
  await permits.play.everybody();
  sessionId = (await permits.play.admin.createSession({ agent_id: 'ada' })).session.session_id;
  const message = { session_id: sessionId, text: 'What does rye bread cost?' };
  assert.ok((await permits.play.admin.raw.sendMessage(message)).ok);
  const next = await permits.play.as('ada').nextRun({ agent_id: 'ada' });
  assert.ok(next.run !== null);
  working = await permits.start('ada', next.run);
  await called('1.0', { opened: OPENED });
  await kept('2.0', { name: 'bread.patch', type: 'text/x-diff', content: Buffer.from(PATCH), deliverable: 'patch' });
  await called('2.1', {}, { tool: 'web_fetch', args: { url: 'https://bakery.example/rye' } });
  const run = { run: working.runId, call: '2.1', host: 'bakery.example', path: '/rye' };
  const begin = [await attemptOf(permits.play, 'ada', run)];
  await clientOf(stage.url, TOKENS.broker).keepEgressAttempts({ begin, end: [] });
  const table = Buffer.from(JSON.stringify(TABLE));
  await kept('3.0', { name: 'prices.json', type: 'application/json', content: table, deliverable: 'table' });
  await kept('4.0', { name: 'shop.png', type: 'image/png', content: aPng() });
  const { runId, cycle, attempt } = working;
  const end = { cycle, attempt, state: 'done' as const, summary: ANSWER, answer: ANSWER };
  const settled = await permits.play.as('ada').raw.settleRun({ run_id: runId, ...end });
  assert.ok(settled.ok, JSON.stringify(settled));
  formedRun = await runWithOutput();
});
after(() => stage?.remove());

const OUTPUT = '{"loaves":["rye <b>4</b>"],"id":12345678901234567890}';

/** A run of bob that is done with an output. Returns its id. */
async function runWithOutput(): Promise<string> {
  const schema = { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] };
  const { run } = await permits.play.admin.createRun({ agent_id: 'bob', prompt: 'List it.', output_schema: schema });
  const { runId, cycle, attempt } = await permits.start('bob', run);
  const end = { cycle, attempt, state: 'done' as const, summary: 'A list.', answer: 'A list.', output: OUTPUT };
  await permits.play.as('bob').settleRun({ run_id: runId, ...end });
  return runId;
}

interface Calling {
  readonly tool?: string;
  readonly args?: object;
  readonly during?: () => Promise<void>;
}

/** Stores a call in the hands with start, end and produced bytes. */
async function called(
  callId: string,
  report: CallReport,
  { tool = 'read_file', args = { path: 'a' }, during }: Calling = {},
): Promise<void> {
  assert.equal(await permits.begun(working, { callId, tool, args }), 'begun');
  await during?.();
  await permits.finish(working, callId, { report });
}

interface Made {
  readonly name: string;
  readonly type: string;
  readonly content: Buffer;
  readonly deliverable?: DeliverableKind;
}

const kept = (callId: string, { name, type, content, deliverable }: Made): Promise<void> =>
  called(
    callId,
    {},
    {
      during: async () => {
        const { runId, cycle, attempt } = working;
        const answer = await permits.play.as('ada').call(keepArtifact, {
          params: { run_id: runId, call_id: callId, sha256: createHash('sha256').update(content).digest('hex') },
          query: { cycle, attempt, name, media_type: type, ...(deliverable && { deliverable }) },
          body: new Uint8Array(content),
        });
        assert.ok(answer.ok, JSON.stringify(answer));
      },
    },
  );

/** A picture of 320 × 200 pixels. */
function aPng(): Buffer {
  const [width, height] = [320, 200];
  const rows = Buffer.alloc((width * 3 + 1) * height, 0xd8);
  for (let row = 0; row < height; row += 1) rows[row * (width * 3 + 1)] = 0;
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 2, 0, 0, 0], 8);
  const chunk = (type: string, data: Buffer): Buffer => {
    const body = Buffer.concat([Buffer.from(type), data]);
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
    length.writeUInt32BE(data.length);
    sum.writeUInt32BE(crc32(body));
    return Buffer.concat([length, body, sum]);
  };
  const magic = Buffer.from('89504e470d0a1a0a', 'hex');
  return Buffer.concat([magic, chunk('IHDR', head), chunk('IDAT', deflateSync(rows)), chunk('IEND', Buffer.alloc(0))]);
}

testOnDevices('the page of a run shows deliverables, screenshots and links', async (viewer, name) => {
  const { page } = viewer;
  await visit(page, `?view=runs&run=${working.runId}`);
  const patch = page.locator('.artifact[data-kind="patch"]');
  await patch.getByRole('button', { name: 'Open' }).click();
  await patch.locator('.diff-line[data-kind="added"]', { hasText: 'HEAT = 240' }).waitFor();
  assert.match(await patch.innerText(), /bread\.py[^]*\+1 −1[^]*<script>\.txt[^]*new/);
  const table = page.locator('.artifact[data-kind="table"]');
  await table.getByRole('button', { name: 'Open' }).click();
  const link = table.locator('tbody tr').first().locator('a').first();
  assert.equal(await link.getAttribute('href'), 'https://bakery.example/rye');
  assert.match((await link.getAttribute('rel')) ?? '', /noopener noreferrer/);
  assert.match(await table.innerText(), /<b>5<\/b>/);
  assert.match(
    await table.locator('.artifact-taint').innerText(),
    /text from outside .*: a connection to bakery\.example\./,
  );
  assert.equal(await patch.locator('.artifact-taint').count(), 0, 'it was made before');
  await page.waitForFunction(`document.querySelector('.artifact-image img')?.naturalWidth === 320`);
  // Sources load separately from the results.
  await page.locator('.source').first().waitFor();
  assert.equal(await page.locator('.run-summary .link-unopened').count(), 1);
  assert.match(await page.locator('.run-summary .link-unopened').innerText(), /never\.example\/opened[^]*not opened/);
  assert.equal(await page.locator('.run-summary .page-link').count(), 2);
  assert.equal(await page.locator('.source').count(), 2);
  assert.notEqual(await page.title(), 'taken');
  await stage.shot(viewer, `results-${name}`);
  const [download] = await Promise.all([page.waitForEvent('download'), patch.locator('a[download]').click()]);
  assert.equal(download.suggestedFilename(), 'bread.patch');
  await assertSound(viewer);
});

testOnDevices(
  'the page of a run shows its output as JSON, which a person copies and downloads',
  async (viewer, name) => {
    const { page } = viewer;
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await visit(page, `?view=runs&run=${formedRun}`);
    const shown = '{\n  "loaves": [\n    "rye <b>4</b>"\n  ],\n  "id": 12345678901234567890\n}';
    const output = page.locator('.run-output');
    assert.equal(await output.locator('pre').innerText(), shown);
    assert.equal(await page.locator('.run-summary').count(), 0);
    await output.getByRole('button', { name: 'Copy the JSON' }).click();
    await output.getByRole('button', { name: 'Copied' }).waitFor();
    assert.equal(await page.evaluate('navigator.clipboard.readText()'), shown);
    await stage.shot(viewer, `output-${name}`);
    await page.evaluate(`Object.defineProperty(navigator, 'clipboard', { value: undefined })`);
    await output.getByRole('button', { name: 'Copied' }).click();
    await output.getByText('The browser refused to copy').waitFor();
    const [color, link] = await page.evaluate<[string, string]>(
      `[document.body, document.querySelector('.run-output a')].map((part) => getComputedStyle(part).color)`,
    );
    assert.equal(link, color, 'a link that looks like a button has the colour of its theme');
    const [download] = await Promise.all([page.waitForEvent('download'), output.locator('a[download]').click()]);
    assert.equal(download.suggestedFilename(), `${formedRun}.json`);
    assert.equal(readFileSync(await download.path(), 'utf8'), shown);
    await assertSound(viewer);
  },
);

testOnDevices(
  "the chat shows an answer's deliverables, its sources, and a link that was never opened",
  async (viewer, name) => {
    const { page } = viewer;
    await visit(page, `?agent=ada&tab=chat&chat=${sessionId}`);
    const answer = page.locator('.answer[data-message]');
    await answer.locator('.artifact[data-kind="table"]').waitFor();
    assert.equal(await answer.locator('.artifact').count(), 2);
    assert.equal(await answer.locator('.artifact-taint').count(), 1);
    assert.equal(await answer.locator('.source').count(), 2);
    assert.match(await answer.locator('.markdown .link-unopened').innerText(), /never\.example\/opened/);
    assert.equal(await answer.locator('.markdown .page-link').first().innerText(), 'the bakery (bakery.example)');
    assert.match(await answer.locator('.unopened').innerText(), /1 link was not opened/);
    await stage.shot(viewer, `results-chat-${name}`);
  },
);
