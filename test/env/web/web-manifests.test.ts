/**
 * The page Workflows in a real browser: an error while typing with its marker and its line in the list, the graph, a reload with unsaved
 * text, starting points, and a task. Saving needs a cluster (cluster/manifests.test.ts).
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { visit, type TestBrowser } from '../browser.ts';
import { assertSound, startViewerStage, testOnDevices, type ViewerStage } from './web-viewers.ts';

const WORKFLOW = `workflow:
  id: letters
  description: Writes a letter.
  nodes:
    - { id: draft, role: agent, agent: writer }
    - { id: sign, role: linear, output: "={'letter': input}" }
  edges:
    - { from: draft, to: sign }
`;
const AGENTS = `agents:
  - id: writer
    description: Writes letters.
    instructions: Write the letter that the task asks for.
    model: default
`;
const FILES = { 'agents.yaml': AGENTS, 'workflow.yaml': WORKFLOW };

let stage: ViewerStage;

before(async () => {
  stage = await startViewerStage({ kim: 'admin', manifests: { ada: FILES } });
  await stage.account('mo', 'member');
});
after(() => stage?.remove());

async function open({ page }: TestBrowser, agent = 'ada'): Promise<void> {
  await visit(page, `?view=workflows&who=${agent}`);
  await page.locator('.workbench, .starting-points').waitFor();
}

async function typeAtEnd(page: Page, text: string): Promise<void> {
  await page.locator('.cm-content').click();
  await page.keyboard.press('Control+End');
  await page.keyboard.type(text);
}

const stages = (page: Page, count: number): Promise<void> =>
  page.locator(`.workbench-graph[data-stages="${count}"]`).waitFor();

testOnDevices('an error shows its marker and its line; the graph follows once it is gone', async (viewer, name) => {
  const { page } = viewer;
  await open(viewer);
  await stages(page, 2);
  await stage.shot(viewer, `manifests-${name}`);
  await typeAtEnd(page, '    - { from: sign, to: post }');
  const problem = page.locator('.problem', { hasText: 'workflow.yaml:9' });
  await problem.waitFor();
  assert.equal(await page.locator('.problems').getAttribute('data-count'), '1');
  await page.locator('.cm-lint-marker-error').waitFor();
  await page.locator('.cm-lintRange-error').waitFor();
  await stages(page, 2);
  await page.locator('[data-tab="workflow.yaml"] .mark-bad').waitFor({ state: 'attached' });
  await stage.shot(viewer, `manifests-error-${name}`);
  await page.click('[data-tab="agents.yaml"]');
  await problem.click();
  await page.locator('.code-editor[data-file="workflow.yaml"]').waitFor();
  await page.locator('.cm-activeLine', { hasText: 'to: post' }).waitFor();
  await page.locator('[data-jump="draft"]').click();
  await page.locator('.cm-activeLine', { hasText: 'id: draft' }).waitFor();
  await page.keyboard.press('Home');
  await page.keyboard.type("- { id: post, role: linear, output: '=input' }\n");
  await page.locator('.problems[data-count="0"][data-current="true"]').waitFor();
  await stages(page, 3);
  await page.locator('.graph-node[data-stage="post"]').click();
  await page.locator('.cm-activeLine', { hasText: 'id: post' }).waitFor();
  await page.locator('.workbench-graph').scrollIntoViewIfNeeded();
  await stage.shot(viewer, `manifests-graph-${name}`);
  await assertSound(viewer);
});

test('unsaved text survives a reload of the page, which the browser asks about; discarding asks too', async (context) => {
  const viewer = await stage.viewer({});
  context.after(() => viewer.close());
  const { page } = viewer;
  await stage.signIn(viewer, 'kim');
  await open(viewer);
  await typeAtEnd(page, '# mine');
  await page.locator('.save-state[data-unsaved="1"]').waitFor();
  const asked: string[] = [];
  page.on('dialog', (dialog) => {
    asked.push(dialog.type());
    void dialog.accept();
  });
  await page.reload();
  await page.locator('.cm-content', { hasText: '# mine' }).waitFor();
  assert.deepEqual(asked, ['beforeunload']);
  await page.click('[data-action="discard"]');
  await page.click('[data-action="discard"]');
  await page.locator('.save-state[data-unsaved="0"]').waitFor();
  assert.doesNotMatch(await page.innerText('.cm-content'), /mine/);
});

test('Tab indents, Escape and Tab leave the editor, and keys of the editor are not those of the page', async (context) => {
  const viewer = await stage.viewer({});
  context.after(() => viewer.close());
  const { page } = viewer;
  await stage.signIn(viewer, 'kim');
  await open(viewer);
  await typeAtEnd(page, '2');
  await page.keyboard.press('Tab');
  const inEditor = (): Promise<boolean> => page.evaluate("document.activeElement.className === 'code-editor'");
  assert.ok(await inEditor());
  await page.keyboard.press('Escape');
  assert.ok(await inEditor(), 'the page does not close');
  await page.keyboard.press('Tab');
  assert.ok(!(await inEditor()));
  assert.match(page.url(), /view=workflows/);
});

testOnDevices(
  'an agent without a workflow begins with a sample, whose files can be added and deleted',
  async (viewer, name) => {
    const { page } = viewer;
    await open(viewer, 'bob');
    await page.locator('[data-begin="research"]').waitFor();
    await stage.shot(viewer, `manifests-begin-${name}`);
    for (const begin of ['blank', 'nightly-report', 'research', 'review']) {
      await page.click(`[data-begin="${begin}"]`);
      await page.locator('.problems[data-count="0"][data-current="true"]').waitFor();
      await page.locator('.graph-node').first().waitFor();
      if (begin === 'review') break;
      await page.click('[data-action="discard"]');
      await page.click('[data-action="discard"]');
    }
    await page.selectOption('[name="add-file"]', 'pipelines.yaml');
    await page.locator('.cm-content').click();
    await page.keyboard.type('pipelines: [{ id: quick }, { id: slow, modes: [careful] }]');
    await page.selectOption('[name="graph-pipeline"]', 'slow');
    await stage.shot(viewer, `manifests-sample-${name}`);
    await page.click('[data-action="delete-file"]');
    await page.click('[data-action="delete-file"]');
    await page.locator('[data-tab="pipelines.yaml"]').waitFor({ state: 'detached' });
    await page.locator('[name="graph-pipeline"]').waitFor({ state: 'detached' });
    await assertSound(viewer);
  },
);

testOnDevices(
  'the form starts a task on the page of the workflow, and in the panel of the agent',
  async (viewer, name) => {
    const { page } = viewer;
    await visit(page, '?view=tiers&agent=ada&tab=runs');
    await page.locator('[data-choice="workflow"]').click();
    await page.locator('.inspector .workflow-start').waitFor();
    await stage.shot(viewer, `manifests-panel-${name}`);
    await page.click('[data-action="workflow"]');
    const form = page.locator('.workbench-start');
    await form.locator('[data-choice="json"]').click();
    await form.locator('[name="input-json"]').fill('{');
    await form.locator('button[type="submit"]').click();
    await form.locator('.field-problem', { hasText: 'JSON' }).waitFor();
    await form.scrollIntoViewIfNeeded();
    await stage.shot(viewer, `manifests-start-${name}`);
    await form.locator('[name="input-json"]').fill('{"to": "Bob"}');
    await form.locator('[name="tags"]').fill('short, friendly');
    await form.locator('button[type="submit"]').click();
    await page.waitForURL(/view=runs&run=/);
    const runId = new URL(page.url()).searchParams.get('run') ?? '';
    const { run } = await stage.admin.getRun({ run_id: runId });
    assert.deepEqual([run.workflow?.input_json, run.workflow?.tags], ['{"to": "Bob"}', ['short', 'friendly']]);
  },
);

test('members read workflows and start tasks; they cannot edit', async (context) => {
  const viewer = await stage.viewer({});
  context.after(() => viewer.close());
  const { page } = viewer;
  await stage.signIn(viewer, 'mo');
  await open(viewer);
  await page.locator('.cm-content').click();
  await page.keyboard.type('x');
  assert.equal(await page.locator('.cm-content').getAttribute('aria-readonly'), 'true');
  assert.doesNotMatch(await page.innerText('.cm-content'), /x/);
  assert.equal(await page.locator('[data-action="save"]').count(), 0);
  await page.locator('.workflow-start').waitFor();
});
