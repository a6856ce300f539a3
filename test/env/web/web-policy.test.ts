/**
 * The page Rules in a real browser: the rules in force, a trial of proposed rules on the calls of the last week, and
 * its report.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { PermissionPlay, post } from '../../../api/server/src/permissions/testing/permission-play.ts';
import type { Page } from 'playwright-core';
import type { AgentId } from '../../../api/server/src/testing/test-village.ts';
import { visit, type BrowserOptions } from '../browser.ts';
import { seriousFindings } from './axe.ts';
import { startViewerStage, type ViewerStage } from './web-viewers.ts';

const COMMANDS = [
  'ls -l',
  'make test',
  'git push origin main',
  'pip install flask',
  'python3 a-very-long-name-of-a-script.py --with=options',
];
const RULES = [
  {
    tools: ['read', 'speak', 'act', 'publish', 'spend', 'exec', 'write_inside', 'network', 'install'],
    verdict: 'allow',
  },
  {
    tools: ['publish'],
    verdict: 'ask',
    when: 'run',
    reason: 'People see it',
    examples: { match: [{ tool: 'shell', command: 'git push origin main' }], not: [{ tool: 'say' }] },
  },
];

let stage: ViewerStage;

before(async () => {
  stage = await startViewerStage({ kim: 'admin', environment: { HAMLET_TOOL_RULES: JSON.stringify(RULES) } });
  await stage.account('mo', 'member');
  const permits = new PermissionPlay(stage.url);
  await permits.play.everybody();
  for (const agentId of ['ada', 'bob'] as const satisfies readonly AgentId[]) {
    const working = await permits.startRun(agentId);
    for (const [at, command] of COMMANDS.entries())
      await permits.begin(working, { callId: `1.${at}`, args: { command } });
    await permits.allow(working, post('2.0'));
    await permits.end(working);
  }
});
after(() => stage.remove());

async function open(options?: BrowserOptions, name = 'kim') {
  const viewer = await stage.viewer(options);
  await stage.signIn(viewer, name);
  await visit(viewer.page, '?view=rules');
  return viewer;
}

async function writeJson(page: Page, text: string): Promise<void> {
  await page.check('.trial-form [data-choice="json"] input');
  await page.fill('.trial-text', text);
}

const PROPOSED = JSON.stringify([RULES[0], { tools: ['exec', 'publish'], verdict: 'deny', reason: 'No code for now' }]);

test('an admin edits the rules in force and sees which past calls they would judge differently', async () => {
  const viewer = await open();
  const { page } = viewer;
  await page.locator('.rule-row', { hasText: 'People see it' }).locator('text=only in runs').waitFor();
  await page.click('[data-action="try-rules"]');
  await page.locator('.trial-report[data-changed="0"] h3', { hasText: 'change none of' }).waitFor();
  await writeJson(page, PROPOSED);
  await page.click('[data-action="try-rules"]');
  await page.locator('.trial-report:not([data-changed="0"])').waitFor();
  assert.ok((await page.locator('.trial-tile').count()) >= 2);
  await page.locator('.trial-example code', { hasText: 'git push origin main' }).first().waitFor();
  await stage.shot(viewer, 'rules');
  await page.locator('.trial-report').scrollIntoViewIfNeeded();
  await stage.shot(viewer, 'rules-report');
  await page.locator('.trial-example .link').first().click();
  await page.waitForURL(/view=runs&run=/);
  await viewer.close();
});

test('an admin puts rules in force, another one sees them, and the chart has its rules back', async () => {
  const viewer = await open();
  const { page } = viewer;
  await page.locator('[data-rules-from="chart"]').waitFor();
  await writeJson(page, PROPOSED);
  await page.click('[data-action="save-rules"]');
  await page.locator('[data-rules-from="village"]').waitFor();
  await page.locator('.rule-row', { hasText: 'No code for now' }).waitFor();
  await stage.shot(viewer, 'rules-in-force');
  const other = await open({ width: 390, height: 844 });
  await other.page.locator('.rule-row', { hasText: 'No code for now' }).waitFor();
  await page.click('[data-action="chart-rules"]');
  await page.locator('.rule-row', { hasText: 'People see it' }).waitFor();
  await writeJson(other.page, JSON.stringify([RULES[0]]));
  await other.page.click('[data-action="save-rules"]');
  await other.page.locator('.notice-bad[data-code="rules_changed"]').waitFor();
  await stage.shot(other, 'rules-changed-phone');
  await other.close();
  await viewer.close();
});

test('an admin changes rules in a list; the JSON beside it is the same document', async () => {
  const viewer = await open();
  const { page } = viewer;
  const second = page.locator('[data-rule="2"]');
  await second.locator('[name="verdict"]').selectOption('deny');
  await second.locator('[name="when"]').selectOption('');
  await second.locator('[name="reason"]').fill('Quiet week');
  await page.click('[data-add="rule"]');
  const third = page.locator('[data-rule="3"]');
  await third.locator('[name="tools"]').pressSequentially('buy, ');
  await third.locator('[name="class"]').selectOption('persona');
  await stage.shot(viewer, 'rules-list');
  await page.click('[data-action="save-rules"]');
  await page.locator('.rule-row', { hasText: 'Quiet week' }).waitFor();
  await page.check('.trial-form [data-choice="json"] input');
  const examples = {
    match: [{ tool: 'shell', when: 'run', command: 'git push origin main' }],
    not: [{ tool: 'say', when: 'run' }],
  };
  assert.deepEqual(JSON.parse(await page.inputValue('.trial-text')), [
    RULES[0],
    { tools: ['publish'], verdict: 'deny', reason: 'Quiet week', examples },
    { tools: ['buy', 'persona'], verdict: 'ask' },
  ]);
  assert.deepEqual(await seriousFindings(page, 'light'), []);
  await page.click('[data-action="chart-rules"]');
  await page.locator('.rule-row', { hasText: 'People see it' }).waitFor();
  await viewer.close();
});

test('text that is not JSON, and rules that contradict an example, show an error beside the button', async () => {
  const viewer = await open();
  const { page } = viewer;
  await writeJson(page, '[');
  await page.click('[data-action="try-rules"]');
  await page.locator('.trial-form', { hasText: 'Write JSON' }).waitFor();
  const wrong = [{ tools: ['spend'], verdict: 'deny', examples: { match: [{ tool: 'shell', command: 'git push' }] } }];
  await writeJson(page, JSON.stringify(wrong));
  await page.click('[data-action="try-rules"]');
  await page.locator('.notice-bad[data-code="policy_wrong"]', { hasText: 'rule 1 must match shell' }).waitFor();
  await stage.shot(viewer, 'rules-wrong');
  await viewer.close();
});

test('a trial adds rules of one Agent to those of the village; on a phone nothing is wider than the screen', async () => {
  const viewer = await open({ width: 400, height: 860, colorScheme: 'dark' });
  const { page } = viewer;
  await page.selectOption('select[name="layer"]', 'agent ada');
  await page.locator('.rules-card .empty', { hasText: 'no rules of its own' }).waitFor();
  await writeJson(page, JSON.stringify({ allow: ['read', 'shell'] }));
  await page.click('[data-action="try-rules"]');
  await page.locator('.trial-report:not([data-changed="0"])').waitFor();
  await page.locator('.trial-report').scrollIntoViewIfNeeded();
  await stage.shot(viewer, 'rules-phone');
  assert.equal(await page.evaluate<number>(`document.querySelector('.page').scrollWidth`), 400);
  await viewer.close();
});

test('members do not see the page', async () => {
  const viewer = await open({}, 'mo');
  await viewer.page.locator('.page-locked', { hasText: 'This page is for admins' }).waitFor();
  await viewer.close();
});
