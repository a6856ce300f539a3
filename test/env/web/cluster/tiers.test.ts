import assert from 'node:assert/strict';
import { until } from '../../until.ts';
import { visit } from '../../browser.ts';
import { test } from '../../cluster-test.ts';
import { apply, page, shot, signedIn, stored } from './stage.ts';

test('an admin pins an agent to a tier, and the form previews what happens to the agent and its pod', async () => {
  await signedIn();
  await visit(page, '?view=tiers&agent=ada&tab=money');
  await page.waitForSelector('.pin[data-policy="ByBalance"]');
  assert.equal(await page.getAttribute('.pin button[type="submit"]', 'aria-disabled'), 'true', 'nothing to write yet');
  await page.click('.pin [data-choice="Pinned"]');
  await page.selectOption('.pin [name="pin-tier"]', 'tier-2');
  await page
    .locator('.pin .preview[data-preview="tier-2"]', { hasText: 'Its pod is replaced; its volume stays.' })
    .waitFor();
  await page.locator('.pin .preview-bad', { hasText: 'it has no pod there until it can pay' }).waitFor();
  await page.locator('.pin').scrollIntoViewIfNeeded();
  await shot('pin');
  await page.selectOption('.pin [name="pin-tier"]', 'tier-1');
  await page.locator('.pin button', { hasText: 'Pin Ada to tier-1' }).click();
  await page.waitForSelector('.pin[data-policy="Pinned"][data-pinned-to="tier-1"]');
  assert.deepEqual((await stored('Agent', 'ada')).spec['entitlement'], { policy: 'Pinned', name: 'tier-1' });
  await page.click('[data-tab="now"]');
  await page.locator('.facts', { hasText: 'pinned' }).waitFor();
});

test('if GitOps has pinned an agent, the form names the owner and asks for confirmation', async () => {
  await visit(page, '?view=tiers&agent=bob&tab=money');
  await page.click('.pin[data-pinned-to="tier-0"] [data-choice="ByBalance"]');
  await page.click('.pin button[type="submit"]');
  await page.locator('.pin .notice-bad[data-code="field_owned_elsewhere"]', { hasText: '"argocd"' }).waitFor();
  assert.deepEqual(
    (await stored('Agent', 'bob')).spec['entitlement'],
    { policy: 'Pinned', name: 'tier-0' },
    'nothing was written',
  );
  await page.locator('.pin').scrollIntoViewIfNeeded();
  await shot('pin-owned');
  await page.click('.pin [data-action="take-over"]');
  await page.waitForSelector('.pin[data-policy="ByBalance"]');
  await page.locator('.pin .notice-good').waitFor();
  assert.deepEqual((await stored('Agent', 'bob')).spec['entitlement'], { policy: 'ByBalance' });
});

test('the form of a tier previews its changes and the agents that they affect', async () => {
  await visit(page, '?view=tiers');
  await page.click('.tier[data-tier="tier-1"] [data-action="edit-tier"]');
  await page.locator('.tier-effects', { hasText: 'No change yet.' }).waitFor();
  await page.fill('.tier-form [name="cpu"]', 'plenty');
  await page.locator('.tier-form .field-problem', { hasText: 'Write cores or thousandths of a core' }).waitFor();
  await page.fill('.tier-form [name="cpu"]', '1');
  await page.fill('.tier-form [name="perHour"]', '0,1');
  await page.fill('.tier-form [name="minBalance"]', '0');
  await page.locator('[data-change="Price an hour"]', { hasText: '0.1' }).waitFor();
  await page
    .locator('.tier-effects [data-move="bob"]', { hasText: 'Bob moves from tier-0 to tier-1, by its balance.' })
    .waitFor();
  assert.deepEqual(
    await page
      .locator('.change-lines [data-change]')
      .evaluateAll((lines) => lines.map((line) => line.getAttribute('data-change'))),
    ['Opens', 'Processor', 'Price an hour'],
  );
  await shot('tier-form');
  await page.setViewportSize({ width: 390, height: 780 });
  await shot('tier-form-phone');
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.click('.tier-form button[type="submit"]');
  await page.waitForSelector('[data-saved="tier-1"]');
  await page.locator('.tier[data-tier="tier-1"]', { hasText: '0.10 ai$ an hour' }).waitFor();
  const { spec } = await stored('Entitlement', 'tier-1');
  assert.deepEqual(
    [spec['minBalance'], spec['price'], (spec['compute'] as { resources: unknown }).resources],
    ['0', { perHour: '0.1', perThousandTokens: '0.002' }, { cpu: '1', memory: '512Mi' }],
  );
  await shot('tiers-admin');
});

test('an admin creates a tier, and cannot overwrite an existing one', async () => {
  await page.click('[data-action="new-tier"]');
  await page.click('.tier-form button[type="submit"]');
  await page.locator('.tier-form .field-problem').first().waitFor();
  await page.fill('.tier-form [name="name"]', 'tier-2');
  await page.locator('.tier-form .field-problem', { hasText: 'There is a tier tier-2' }).waitFor();
  for (const [name, text] of [
    ['name', 'tier-3'],
    ['minBalance', '1000'],
    ['requestsPerMinute', '5000'],
    ['concurrentTools', '16'],
    ['tokensPerHour', '5,000,000'],
    ['models', 'large, small'],
    ['perHour', '2'],
  ] as const)
    await page.fill(`.tier-form [name="${name}"]`, text);
  await page.click('.tier-form [data-choice="Exclusive"]');
  await page.fill('.tier-form [name="gpuCount"]', '2');
  await page.locator('[data-change="GPU"]', { hasText: 'Exclusive 2 nvidia.com/gpu' }).waitFor();
  await shot('tier-new');
  await page.locator('.tier-form button', { hasText: 'Create tier-3' }).click();
  await page.waitForSelector('.tier[data-tier="tier-3"]');
  const { spec } = await stored('Entitlement', 'tier-3');
  assert.deepEqual(
    [spec['rank'], spec['minBalance'], (spec['compute'] as { gpu: unknown }).gpu],
    [3, '1000', { mode: 'Exclusive', count: 2 }],
  );
});

test('the form names the owner of the fields of a tier, and asks before it takes them over', async () => {
  await page.click('.tier[data-tier="tier-2"] [data-action="edit-tier"]');
  await page.fill('.tier-form [name="tokensPerHour"]', '2000000');
  await page.click('.tier-form button[type="submit"]');
  await page
    .locator('.tier-form .notice-bad[data-code="field_owned_elsewhere"]', {
      hasText: 'spec.limits.tokensPerHour is managed by "argocd"',
    })
    .waitFor();
  await page.locator('.tier-form .notice-bad').scrollIntoViewIfNeeded();
  await shot('tier-owned');
  await page.click('.tier-form [data-action="take-over"]');
  await page.waitForSelector('[data-saved="tier-2"]');
  assert.equal(
    ((await stored('Entitlement', 'tier-2')).spec['limits'] as { tokensPerHour: number }).tokensPerHour,
    2_000_000,
  );
});

test("the form does not overwrite another person's change unseen", async () => {
  const { spec } = await stored('Entitlement', 'tier-0');
  await page.click('.tier[data-tier="tier-0"] [data-action="edit-tier"]');
  await page.fill('.tier-form [name="memory"]', '384Mi');
  await apply('Entitlement', 'tier-0', {
    spec: {
      ...spec,
      rank: 0,
      limits: { requestsPerMinute: 150, concurrentTools: 1, tokensPerHour: 20_000, models: ['small'] },
    },
    manager: 'hamlet-api',
  });
  await page.click('.tier-form button[type="submit"]');
  await page
    .locator('.tier-form .notice-bad[data-code="precondition_failed"]', {
      hasText: 'This tier changed while you were editing',
    })
    .waitFor();
  assert.equal(await page.inputValue('.tier-form [name="memory"]'), '384Mi');
  // The API receives the change a moment later; until then it refuses again.
  await until('the page shows the change that would be undone', async () => {
    await page.click('[data-action="read-again"]');
    await page.locator('[data-action="read-again"]').waitFor({ state: 'detached' });
    if ((await page.locator('[data-change="Requests a minute"]').count()) === 1) return true;
    await page.click('.tier-form button[type="submit"]');
    await page.waitForSelector('[data-action="read-again"]');
    return false;
  });
  await page.locator('[data-change="Requests a minute"]', { hasText: '150' }).waitFor();
  await page.fill('.tier-form [name="requestsPerMinute"]', '150');
  await page.click('.tier-form button[type="submit"]');
  await page.waitForSelector('[data-saved="tier-0"]');
  const written = (await stored('Entitlement', 'tier-0')).spec;
  assert.deepEqual(
    [
      (written['limits'] as { requestsPerMinute: number }).requestsPerMinute,
      (written['compute'] as { resources: unknown }).resources,
    ],
    [150, { cpu: '250m', memory: '384Mi' }],
    'both changes stand',
  );
});
