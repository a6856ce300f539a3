/** The page Workflows writes ConfigMaps: the first manifests of an agent, a conflict of two people, and the form of a Schedule that starts the workflow. */
import assert from 'node:assert/strict';
import { visit } from '../../browser.ts';
import { test } from '../../cluster-test.ts';
import { until } from '../../until.ts';
import { admin, page, shot, signedIn, stored } from './stage.ts';

const textOf = async (file: string): Promise<string | undefined> =>
  (await admin.getAgentManifests({ agent_id: 'ada' })).files.find(({ path }) => path === file)?.text;

/** Saves another text as another admin does, with the newest version. */
async function saveElsewhere(file: 'agents.yaml' | 'workflow.yaml', change: (text: string) => string): Promise<void> {
  const { files, version } = await admin.getAgentManifests({ agent_id: 'ada' });
  const changed = files.map(({ path, text }) => ({ path, text: path === file ? change(text) : text }));
  await admin.putAgentManifests({ agent_id: 'ada', files: changed, version });
}

/** Types before the first line of the open file. */
async function typeAtStart(text: string): Promise<void> {
  await page.locator('.cm-content').click();
  await page.keyboard.press('Control+Home');
  await page.keyboard.type(text);
  await page.locator('.save-state[data-unsaved="1"]').waitFor();
  await page.locator('.problems[data-count="0"][data-current="true"]').waitFor();
}

test('an admin begins with a sample and saves it; the village makes a ConfigMap', async () => {
  await signedIn();
  await visit(page, '?view=workflows&who=ada');
  await page.click('[data-begin="review"]');
  await page.locator('.problems[data-count="0"][data-current="true"]').waitFor();
  await page.click('[data-action="save"]');
  await page.locator('.save-state[data-unsaved="0"]', { hasText: 'Saved' }).waitFor();
  assert.deepEqual((await stored('Agent', 'ada')).spec['manifests'], { configMapName: 'ada-manifests' });
  assert.match((await textOf('workflow.yaml')) ?? '', /Three critics/);
  await page.locator('.workbench-start .workflow-start').waitFor();
});

test('a change of another file by another admin stays, below the changes of this one', async () => {
  await typeAtStart('# mine\n');
  await saveElsewhere('agents.yaml', (text) => `# theirs\n${text}`);
  await page.keyboard.press('Control+s');
  await page.locator('.save-bar', { hasText: 'Another person saved other files meanwhile' }).waitFor();
  await page.click('[data-action="save"]');
  await page.locator('.save-state[data-unsaved="0"]').waitFor();
  assert.match((await textOf('workflow.yaml')) ?? '', /^# mine\n/);
  assert.match((await textOf('agents.yaml')) ?? '', /^# theirs\n/);
});

test('a conflict shows both texts; the chosen one is saved, and the other comes back by undo', async () => {
  await typeAtStart('# mine again\n');
  await saveElsewhere('workflow.yaml', (text) => `# theirs now\n${text}`);
  await page.click('[data-action="save"]');
  const conflict = page.locator('[data-conflict="workflow.yaml"]');
  await conflict.locator('mark', { hasText: '# mine again' }).waitFor();
  await conflict.locator('mark', { hasText: '# theirs now' }).waitFor();
  await shot('manifests-conflict');
  assert.match((await textOf('workflow.yaml')) ?? '', /^# theirs now/, 'nothing was overwritten');
  await conflict.locator('[data-action="theirs"]').click();
  await page.locator('.cm-content', { hasText: '# theirs now' }).waitFor();
  await page.locator('.cm-content').click();
  await page.keyboard.press('Control+z');
  await page.locator('.cm-content', { hasText: '# mine again' }).waitFor();
  await page.locator('.problems[data-current="true"]').waitFor();
  await page.click('[data-action="save"]');
  await page.locator('.save-state[data-unsaved="0"]').waitFor();
  assert.match((await textOf('workflow.yaml')) ?? '', /^# mine again/);
});

test('a Schedule starts the workflow with a pipeline', async () => {
  await visit(page, '?view=schedules');
  await page.locator('[data-action="new-schedule"], .button-strong').first().click();
  await page.fill('.schedule-form [name="name"]', 'nightly');
  await page.selectOption('.schedule-form [name="agent"]', 'ada');
  await page.fill('.schedule-form [name="prompt"]', 'Review the board.');
  await page.check('.schedule-form [name="workflow"]');
  await page.fill('.schedule-form [name="pipeline"]', 'Quick!');
  await page.locator('.schedule-form .field-problem').waitFor();
  await page.fill('.schedule-form [name="pipeline"]', 'default');
  await shot('schedule-workflow');
  await page.click('.schedule-form button[type="submit"]');
  await until('the schedule', async () => {
    const { schedules } = await admin.listSchedules({});
    return schedules.some(({ workflow }) => workflow?.pipeline === 'default');
  });
});
