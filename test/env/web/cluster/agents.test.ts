/** The forms of agents write custom resources: a new one with a schedule, a copy, and changes beside GitOps and other people. */
import assert from 'node:assert/strict';
import { visit } from '../../browser.ts';
import { test } from '../../cluster-test.ts';
import { until } from '../../until.ts';
import { seriousFindings } from '../axe.ts';
import { admin, apply, page, shot, signedIn, stored } from './stage.ts';

const yaml = (): Promise<string> => page.innerText('[data-yaml]');

async function submit(): Promise<void> {
  await page.locator('[data-check="accepted"]').waitFor();
  await page.click('.agent-send button[type="submit"]');
}

test('an admin makes an agent with a schedule; the YAML beside the form has the same', async () => {
  await signedIn();
  await visit(page, '');
  await page.click('[data-action="new-agent"]');
  await page.fill('[name="displayName"]', 'Zoë the Baker');
  assert.equal(await page.inputValue('[name="agent-id"]'), 'zoe-the-baker', 'the name follows the title');
  await page.fill('[name="agent-id"]', 'ada');
  await page.locator('.field-problem', { hasText: 'has an agent “ada” already' }).waitFor();
  await page.fill('[name="agent-id"]', 'zoe');
  await page.fill('[name="persona.identity"]', 'You bake the bread.');
  await page.locator('.agent-part', { hasText: 'Its work and its limits' }).waitFor();
  await page.click('[data-add="host"]');
  await page.fill('[data-list="egress.allow"] [name="host"]', 'Not A Host');
  await page.locator('.field-problem', { hasText: 'Write a host in lower case' }).waitFor();
  await page.locator('[data-check="wrong"]').waitFor();
  await page.fill('[data-list="egress.allow"] [name="host"]', 'flour.example.org');
  await page.fill('[data-list="egress.allow"] [name="ports"]', 'https');
  await page.locator('.field-problem', { hasText: 'Write a number' }).waitFor();
  await page.locator('[data-list="egress.allow"] [name="ports"]').fill('');
  await page.locator('[data-list="egress.allow"] [name="ports"]').pressSequentially('443, 8443');
  await page.locator('[data-list="egress.allow"] [name="paths"]').pressSequentially('/mills/**, /prices');
  await page.click('[data-add="closed host"]');
  await page.fill('[data-list="egress.deny"] [name="host"]', '*.ads.example');
  await page.check('[name="skill-write-a-patch"]');
  await page.check('[name="skill-map/house"]');
  await page.uncheck('[name="skill-write-a-patch"]');
  await page.locator('[data-skill="map/broken"]', { hasText: 'has no SKILL.md: add one' }).waitFor();
  assert.ok(await page.isDisabled('[name="skill-map/broken"]'));
  await page.check('[name="skill-research-with-sources"]');
  await page.click('[data-add="skill"]');
  await page.fill('[data-list="skills"] [name="name"]', 'of-our-image');
  await page.check('[name="has-work"]');
  await page.fill('[name="work-prompt"]', 'Bake.');
  assert.match(await yaml(), /kind: Agent\nmetadata:\n {2}name: zoe\nspec:\n {2}displayName: Zoë the Baker\n/);
  assert.match(await yaml(), /- host: flour\.example\.org\n[^]*kind: Schedule\n[^]*agentName: zoe\n/);
  await shot('agent-new');
  await submit();
  await page.waitForSelector('[data-made="zoe"]');
  const { spec } = await stored('Agent', 'zoe');
  assert.equal(spec['displayName'], 'Zoë the Baker');
  assert.deepEqual(spec['egress'], {
    allow: [{ host: 'flour.example.org', ports: [443, 8443], paths: ['/mills/**', '/prices'] }],
    deny: [{ host: '*.ads.example' }],
  });
  assert.deepEqual(spec['skills'], [
    { name: 'house-style', from: 'ConfigMap', configMapName: 'house' },
    { name: 'research-with-sources' },
    { name: 'of-our-image' },
  ]);
  await until('the schedule', async () => {
    const { schedules } = await admin.listSchedules({});
    return schedules.some(({ name, agent_name }) => name === 'zoe-work' && agent_name === 'zoe');
  });
  await page.click('[data-action="show-agent"]:enabled');
  await page.locator('.inspector h2', { hasText: 'Zoë the Baker' }).waitFor();
});

test('a character fills the form, with a schedule as a suggestion', async () => {
  await visit(page, '?view=new-agent');
  await page.locator('.agent-start').nth(6).waitFor();
  assert.equal(await page.locator('.agent-start').count(), 7, 'blank and six characters');
  await page.click('[data-start="reviewer"]');
  await page.fill('[name="displayName"]', 'Rita');
  await page.check('[name="has-work"]');
  assert.notEqual(await page.inputValue('[name="work-prompt"]'), '');
  await page.uncheck('[name="has-work"]');
  await shot('agent-character');
  await submit();
  await page.waitForSelector('[data-made="rita"]');
  const { spec } = await stored('Agent', 'rita');
  assert.match(JSON.stringify(spec['persona']), /You review changes/);
});

test('a copy has the spec of its original and a free name', async () => {
  await visit(page, '?agent=zoe&tab=now');
  await page.click('[data-action="clone-agent"]');
  await page.waitForSelector('.agent-form');
  assert.equal(await page.inputValue('[name="agent-id"]'), 'zoe-2');
  assert.equal(await page.inputValue('[name="displayName"]'), 'Zoë the Baker (copy)');
  await submit();
  await page.waitForSelector('[data-made="zoe-2"]');
  const { spec } = await stored('Agent', 'zoe-2');
  assert.deepEqual(spec['persona'], { identity: 'You bake the bread.' });
});

test('a change writes only its field, and what another person changed meanwhile stays', async () => {
  await visit(page, '?agent=zoe&tab=now');
  await page.click('[data-action="edit-agent"]');
  await page.locator('[data-schedule="zoe-work"]').waitFor();
  assert.equal(await page.getAttribute('.agent-send button', 'aria-disabled'), 'true', 'nothing to save yet');
  assert.deepEqual(await seriousFindings(page, 'light'), []);
  await shot('agent-edit');
  await page.fill('[name="model.name"]', 'qwen3:8b');
  await page.locator('[data-check="accepted"]').waitFor();
  const { resource_version } = await admin.getAgentSpec({ agent_id: 'zoe' });
  await admin.updateAgent({ agent_id: 'zoe', resource_version, spec: { displayName: 'Zoë' } });
  await page.waitForSelector('[data-moved]');
  await page.click('[data-action="rebase"]');
  assert.equal(await page.inputValue('[name="displayName"]'), 'Zoë');
  assert.equal(await page.inputValue('[name="model.name"]'), 'qwen3:8b');
  await submit();
  await page.locator('.notice-good', { hasText: 'Saved' }).waitFor();
  const { spec } = await stored('Agent', 'zoe');
  assert.deepEqual([spec['displayName'], spec['model']], ['Zoë', { name: 'qwen3:8b' }]);
});

test('the page begins with the agent of the open panel, and closes the panel', async () => {
  await visit(page, '?agent=zoe&tab=now');
  await page.locator('.inspector h2', { hasText: 'Zoë' }).waitFor();
  await page.keyboard.press('Control+k');
  await page.fill('.palette input', 'edit an agent');
  await page.keyboard.press('Enter');
  await page.locator('.page h1', { hasText: 'Edit Zoë' }).waitFor();
  assert.equal(await page.locator('.inspector').count(), 0);
});

test('a field of GitOps is locked with the name of its owner, until a person takes it over', async () => {
  await apply('Agent', 'gita', {
    spec: { displayName: 'Gita', persona: { identity: 'From git.' } },
    manager: 'argocd',
  });
  await visit(page, '?view=edit-agent&who=gita');
  await page.locator('[data-owners="argocd"]').waitFor();
  assert.equal(await page.isDisabled('[name="persona.identity"]'), true);
  await page.locator('[data-owner="argocd"]').first().waitFor();
  await page.fill('[name="persona.personality"]', 'Calm.');
  await submit();
  await page.locator('.notice-good', { hasText: 'Saved' }).waitFor();
  await shot('agent-owned');
  await page.click('[data-action="unlock"]');
  await page.fill('[name="persona.identity"]', 'From the village.');
  await submit();
  await until('the text is written', async () => {
    const { spec } = await stored('Agent', 'gita');
    return JSON.stringify(spec['persona']).includes('From the village.');
  });
  const { spec } = await stored('Agent', 'gita');
  assert.deepEqual(spec['persona'], { identity: 'From the village.', personality: 'Calm.' });
});

test('a deletion says what goes with the agent, and asks for its name', async () => {
  await visit(page, '?agent=zoe-2&tab=now');
  await page.click('[data-action="delete-agent"]');
  await page.locator('.agent-delete [data-goes="volume"]', { hasText: 'Its volume of 1Gi' }).waitFor();
  await shot('agent-delete');
  const button = page.locator('.agent-delete button[type="submit"]');
  await page.fill('[name="confirm"]', 'zoe');
  assert.equal(await button.getAttribute('aria-disabled'), 'true');
  await page.click('.agent-delete [data-choice="delete"]');
  await page.fill('[name="confirm"]', 'zoe-2');
  await button.click();
  await page.locator('.agent-delete').waitFor({ state: 'detached' });
  await assert.rejects(stored('Agent', 'zoe-2'), /not found/);
});
