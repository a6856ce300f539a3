/** The page Models in a real browser: the vLLM server of the configuration, its figures and a test of its abilities. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startWireServer, vllmServer, type WireServer } from '@hamlet/models/testing';
import { agentToken } from '../../../api/server/src/testing/test-village.ts';
import { visit, type BrowserOptions } from '../browser.ts';
import { until } from '../until.ts';
import { startViewerStage, type ViewerStage } from './web-viewers.ts';

const MODEL = 'org/mixture-of-experts';

/** The part of an element of the page that the test reads. */
interface Shown {
  readonly dataset: object;
}

let stage: ViewerStage;
let wire: WireServer;

before(async () => {
  const vllm = vllmServer({ model: MODEL });
  Object.assign(vllm.load, { running: 7, waiting: 2, kvCacheUsed: 0.62 });
  wire = await startWireServer([], { otherwise: vllm.answer });
  const off = await startWireServer();
  await off.close();
  const models = {
    providers: {
      local: {
        kind: 'vllm',
        baseUrl: `${wire.url}/v1`,
        maxInFlight: 8,
        metricsUrls: [`${wire.url}/metrics`, `${off.url}/metrics`],
      },
    },
    routes: ['small', 'large'].map((match) => ({ match, provider: 'local', model: MODEL })),
    capabilities: [{ provider: 'local', model: '*', embeddings: false }],
  };
  stage = await startViewerStage({ kim: 'admin', environment: { HAMLET_MODELS: JSON.stringify(models) } });
  await until('the metrics of both servers', async () => (await stage.admin.listModelServers()).servers.length === 2);
});
after(async () => {
  await stage?.remove();
  await wire?.close();
});

async function open(options?: BrowserOptions) {
  const viewer = await stage.viewer(options);
  await stage.signIn(viewer, 'kim');
  await visit(viewer.page, '?view=models');
  return viewer;
}

test('an admin sees what each server of the village is doing, which one is off, and tests what the model can', async () => {
  const viewer = await open();
  const card = viewer.page.locator('[data-configured="local"]');
  const serving = card.locator('[data-state="serves"]');
  assert.match(await serving.innerText(), /Busy/);
  assert.deepEqual((await serving.locator('dd').allInnerTexts()).slice(2), ['7', '2', '62 %']);
  assert.match(
    await card.locator('[data-state="unreachable"]').innerText(),
    /Off or loading[\s\S]*takes minutes to load/,
  );
  // The API tests the models of its configuration by itself.
  await card.locator('.provider-abilities').waitFor({ timeout: 60_000 });
  assert.deepEqual(await card.locator('.provider-abilities > *').allInnerTexts(), [
    'Streams',
    'Tools',
    'JSON',
    'No embeddings',
  ]);
  await card.getByRole('button', { name: 'Test local' }).click();
  const abilities = card.locator('[aria-label="Abilities"] li');
  await abilities.first().waitFor();
  assert.deepEqual(await abilities.evaluateAll((found) => found.map((each) => (each as unknown as Shown).dataset)), [
    { ability: 'stream', can: 'true' },
    { ability: 'tools', can: 'true' },
    { ability: 'json', can: 'true' },
    { ability: 'embeddings', can: 'false' },
  ]);
  const answered = Promise.withResolvers<void>();
  wire.add({ answer: { chunks: [{ until: answered.promise }] } });
  const asked = fetch(`${stage.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${agentToken('bob')}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'small', messages: [{ role: 'user', content: 'Talk.' }] }),
  });
  await card.getByText('Requests that run or wait: Bob 1').waitFor();
  await stage.shot(viewer, 'models-servers');
  answered.resolve();
  await asked;
  await viewer.close();
});

test('on a phone the figures of a server stay within the screen', async () => {
  const viewer = await open({ width: 400, height: 800, phone: true });
  const { page } = viewer;
  await page.locator('[data-state="serves"]').scrollIntoViewIfNeeded();
  const wide = `Math.max(document.documentElement.scrollWidth, document.querySelector('.page')?.scrollWidth ?? 0)`;
  assert.equal(await page.evaluate<number>(wide), 400);
  await stage.shot(viewer, 'models-servers-phone');
  await viewer.close();
});

test('an admin reads that thoughts are a part of the answers, ticks the setting, and the next test finds no fault', async (context) => {
  const thinker = vllmServer({ model: 'org/r1', answer: () => ({ text: ['A greeting.\n</think>\n\n', 'Good day.'] }) });
  const thinking = await startWireServer([], { otherwise: thinker.answer });
  context.after(() => thinking.close());
  const viewer = await open();
  const { page } = viewer;
  await page.click('[data-action="connect"]');
  await page.selectOption('.connect-form [name="kind"]', 'vllm');
  await page.fill('.connect-form [name="address"]', `${thinking.url}/v1`);
  await page.locator('.connect-form [name="village-name"]').first().fill('thinker');
  await page.locator('.connect-form [name="provider-name"]').first().fill('org/r1');
  await page.click('[data-action="test-connection"]');
  await page.locator('.connect-form .test-fix', { hasText: 'with a reasoning parser' }).waitFor();
  await stage.shot(viewer, 'models-thoughts-form');
  await page.click('.connect-form button[type="submit"]');
  const card = page.locator('.provider-card[data-provider="vllm"]');
  await card.locator('[data-action="test"]').click();
  await card.locator('.test-fix').waitFor();
  await page.reload();
  await card.getByText('Last test').waitFor();
  await card.scrollIntoViewIfNeeded();
  await stage.shot(viewer, 'models-thoughts-card');
  await card.locator('[data-action="change"]').click();
  await page.locator('.connect-form summary').click();
  const boxes = page.locator('.connect-form [name="thoughts"]');
  assert.equal(await boxes.count(), 1);
  await page.click('.connect-form button:has-text("Another name")');
  await page.locator('.connect-form [name="village-name"]').last().fill('plain');
  await page.locator('.connect-form [name="provider-name"]').last().fill('org/plain');
  await page.check('.connect-form label:has-text("org/r1") [name="thoughts"]');
  assert.deepEqual([await boxes.nth(0).isChecked(), await boxes.nth(1).isChecked()], [true, false]);
  await page.click('[data-action="test-connection"]');
  await page.locator('.connect-form [data-test="ok"]', { hasText: '“Good day.”' }).waitFor();
  assert.equal(await page.locator('.connect-form .test-fix').count(), 0);
  await stage.shot(viewer, 'models-thoughts-set');
  await page.click('.connect-form button[type="submit"]');
  await page.locator('.connect-form').waitFor({ state: 'detached' });
  const { credentials } = await stage.admin.listModelCredentials();
  assert.deepEqual(
    credentials[0]?.provider?.models.map(({ thoughts }) => thoughts),
    ['opened', undefined],
  );
  await viewer.close();
});
