/** In a real browser: the top bar and the title count what waits for a person, and one click settles each. */
import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import { inTransaction, insertPermission, taintRun } from '@hamlet/store';
import { hostOf } from '../../../api/server/src/egress/testing/egress-bodies.ts';
import { ASKING_RULES, PermissionPlay, post } from '../../../api/server/src/permissions/testing/permission-play.ts';
import { clientOf, TOKENS } from '../../../api/server/src/testing/test-village.ts';
import { dataOf } from '../client.ts';
import { visit, type TestBrowser } from '../browser.ts';
import { until } from '../until.ts';
import { startViewerStage, testOnDevices, type ViewerStage } from './web-viewers.ts';

let stage: ViewerStage;
let permits: PermissionPlay;

before(async () => {
  stage = await startViewerStage({ kim: 'admin', environment: { HAMLET_TOOL_RULES: ASKING_RULES } });
  permits = new PermissionPlay(stage.url);
  await permits.play.everybody();
  await permits.play.admin.banAgent({ agent_id: 'cleo', reason: 'Loud' });
});
after(() => stage?.remove());

/** More requests of one run than the list of the newest requests has. */
async function askMuch(agentId: string, runId: string): Promise<void> {
  const of = { agentId, runId, tool: 'post_to_board', arguments: '{}', argumentsHash: Buffer.alloc(32), opens: [] };
  const because = { why: 'policy', reason: 'A rule asks.', question: null, amount: null, taint: null } as const;
  const policyVersion = '0'.repeat(64);
  await inTransaction(stage.village.openDb(), async (tx) => {
    for (let at = 0; at < 101; at += 1)
      await insertPermission(tx, {
        ...of,
        ...because,
        policyVersion,
        request: `r${at}`,
        callId: `${at}.0`,
        lastsS: 600,
      });
  });
}

/** Things that wait for an admin: a request that many newer ones follow, a run near its limit, and a flag. */
async function someNeeds(): Promise<void> {
  await permits.endAll();
  const working = await permits.startRun('ada');
  dataOf(await permits.ask(working, post('1.0', 'Bread is ready')));
  const near = await permits.startRun('bob');
  await askMuch('bob', near.runId);
  const { run } = await permits.play.admin.getRun({ run_id: near.runId });
  const db = stage.village.openDb();
  const tokens = Math.ceil((run.budgets?.tokens ?? 0) * 0.9);
  await db.updateTable('run').set({ tokens }).where('run_id', '=', near.runId).execute();
  const { post: rude } = await permits.play.admin.createPost({ title: 'Rude', body: 'Rude words.' });
  await permits.member.flagPost({ post_id: rude.post_id, reason: 'abuse' });
}

const titleOf = ({ page }: TestBrowser): Promise<string> => page.title();

/** On a wide window each count of the top bar has its word, and the bar fits. */
async function assertWords({ page }: TestBrowser): Promise<void> {
  await page.setViewportSize({ width: 1400, height: 900 });
  const found = await page.evaluate<readonly (readonly [string, boolean])[]>(
    `[...document.querySelectorAll('.top-bar :is(.needs-word, .population-word)')].map((word) => [word.textContent, word.offsetWidth > 1])`,
  );
  assert.deepEqual(found, [
    ['not ready', true],
    ['restricted', true],
    ['Needs you', true],
  ]);
  assert.ok(
    await page.evaluate<boolean>(
      `(({ scrollWidth, clientWidth }) => scrollWidth <= clientWidth)(document.querySelector('.top-bar'))`,
    ),
  );
  await page.setViewportSize({ width: 1280, height: 800 });
}

testOnDevices(
  'the count leads to the list, a request is allowed after reading it, and limits are raised',
  async (viewer, name) => {
    const { page } = viewer;
    page.setDefaultTimeout(30_000);
    await someNeeds();
    await visit(page, '');
    const link = page.locator('.needs-link');
    const count = (await permits.play.admin.listMyNeeds()).needs.length;
    await link.locator(`[data-needs="${count}"]`).waitFor();
    await until('the title counts', async () => (await titleOf(viewer)).startsWith(`(${count}) `));
    await link.focus();
    await page.keyboard.press('Enter');
    await page.waitForURL(/view=needs/);
    await page.locator('.page h1', { hasText: 'Needs you' }).waitFor();
    const budget = page.locator('[data-need="budget"]');
    await budget.waitFor();
    assert.match(await budget.innerText(), /has used 90 % of the tokens of a task/);
    await page.locator('.permission', { hasText: 'Bread is ready' }).waitFor();
    await stage.shot(viewer, `needs-${name}`);
    const spill = await page.evaluate<number>(
      `(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector('.top-bar'))`,
    );
    if (name === 'desktop') {
      assert.equal(spill, 0, 'the top bar fits beside the counts');
      await assertWords(viewer);
    }

    await budget.locator('[data-action="remedy"]').click();
    await budget.waitFor({ state: 'detached' });
    await page.locator('.permission', { hasText: 'Bread is ready' }).locator('[data-answer="allow"]').click();
    await page.locator('.permission-answered[data-state="allowed"]').waitFor();
    await page.locator('.permission-whose', { hasText: 'Post on the board' }).waitFor();
    await link.locator(`[data-needs="${count - 2}"]`).waitFor();
    await stage.shot(viewer, `needs-settled-${name}`);

    await page.locator('[data-need="moderation"] [data-action="open-need"]').first().click();
    await page.waitForURL(/view=moderation/);
  },
);

testOnDevices(
  'the page of a run says that it read its repository, and one card asks about all hosts of the task',
  async (viewer, name) => {
    const { page } = viewer;
    await permits.endAll();
    const prompt = 'Compare https://new.example.org/prices with https://shop.example.com/list.';
    const working = await permits.start('ada', (await permits.play.admin.createRun({ agent_id: 'ada', prompt })).run);
    const mark = { runId: working.runId, source: 'supply', detail: 'git.example.org' } as const;
    await inTransaction(stage.village.openDb(), (tx) => taintRun(tx, mark));
    const broker = clientOf(stage.url, TOKENS.broker);
    await broker.permitEgressHost(await hostOf({ permits, broker }, working));
    dataOf(await permits.ask(working, post('1.0', 'Bread is ready')));
    await visit(page, `?view=runs&run=${working.runId}`);
    const facts = page.locator('.run-facts .taint-marks');
    assert.match(await facts.innerText(), /^Its repository or a registry \(git\.example\.org\)/);
    const hosts = page.locator('.permission', { hasText: 'new.example.org' });
    await hosts.getByText('shop.example.com (ports 80 and 443)').waitFor();
    await hosts.getByText('An admin chose where it comes from').waitFor();
    await stage.shot(viewer, `run-supply-${name}`);
    await hosts.locator('[data-answer="allow"]').scrollIntoViewIfNeeded();
    await stage.shot(viewer, `run-hosts-${name}`);
    await hosts.locator('[data-answer="allow"]').click();
    await page.locator('.permission-answered[data-state="allowed"]').waitFor();
    const other = await broker.permitEgressHost(
      await hostOf({ permits, broker }, working, { host: 'shop.example.com' }),
    );
    assert.equal(other.verdict, 'allow');
    await permits.endAll();
  },
);
