import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { ableServer, startWireServer, type WireAnswer, type WireRequest } from '@hamlet/models/testing';
import { visit } from '../../browser.ts';
import { page, shot, signedIn, url } from './stage.ts';

const KEY = 'sk-web-0123456789abcdef';
const WORDS = 'Good day from a language model.';

/** A server that streams and writes JSON by a schema, but refuses tools. */
const able = ableServer(['tools', 'embeddings'], WORDS);

/** A model server with one key and one model. */
function answer(request: WireRequest): WireAnswer | null {
  if (request.headers['authorization'] !== `Bearer ${KEY}`)
    return {
      status: 401,
      chunks: [JSON.stringify({ error: { message: 'Incorrect API key', code: 'invalid_api_key' } })],
    };
  return able(request);
}

const starting = startWireServer([], { otherwise: answer });
after(async () => (await starting).close());

test('an admin without a model is led to the form, and a wrong key is explained before it is stored', async () => {
  await signedIn();
  const wire = await starting;
  await visit(page, '?view=board');
  await page.click('[data-notice="connect"] [data-action="open-models"]');
  await page.waitForSelector('[data-notice="scripted-only"]');
  assert.equal(await page.locator('[data-notice="connect"]').count(), 0, 'the page itself does not offer it again');
  await page.click('[data-action="connect"]');
  await page.selectOption('.connect-form [name="kind"]', 'compatible');
  await page.click('.connect-form button[type="submit"]');
  await page.locator('.connect-form .field-problem', { hasText: 'Write at least one model' }).waitFor();
  await page.fill('.connect-form [name="address"]', `${wire.url}/v1`);
  await page.fill('.connect-form [name="key"]', 'sk-wrong-0123456789');
  await page.locator('.connect-form [name="provider-name"]').first().fill('tiny');
  await page.click('[data-action="test-connection"]');
  await page.locator('.connect-form [data-test="auth"]', { hasText: 'The provider refuses the key.' }).waitFor();
  await page.click('.connect-form button[type="submit"]');
  await page.locator('[data-question="failed-test"]', { hasText: 'Connect it anyway?' }).waitFor();
  assert.equal(await page.locator('[data-notice="connected"]').count(), 0, 'it is not connected by one click');
  await shot('models-form');
});

test('a connected model passes its test, and the village no longer labels words as scripted', async () => {
  await page.fill('.connect-form [name="key"]', KEY);
  await page.click('[data-action="test-connection"]');
  await page.locator('.connect-form [data-test="ok"]', { hasText: WORDS }).waitFor();
  await page.click('.connect-form button[type="submit"]');
  const card = page.locator('.provider-card[data-provider="compatible"]');
  await card.waitFor();
  assert.equal(await page.getByText(KEY).count(), 0, 'the key is not shown');
  await page.waitForSelector('.model-name:is([data-state="Answers"], [data-state="Not used yet"])');
  await card.locator('[data-action="test"]').click();
  await card.locator('[data-test="ok"]').waitFor();
  const found = card.locator('.test-abilities li');
  assert.deepEqual(
    await found.evaluateAll((rows) => rows.map(({ dataset }) => `${dataset['ability']} ${dataset['can']}`)),
    ['stream true', 'tools false', 'json true', 'embeddings false'],
  );
  await card.locator('[data-ability="tools"]', { hasText: 'Agents that use it can only write' }).waitFor();
  await card.locator('.provider-abilities .badge', { hasText: 'No tools' }).waitFor();
  await card.locator('.badge-good', { hasText: 'Works' }).waitFor();
  await page.waitForSelector('[data-notice="scripted-only"]', { state: 'detached' });
  await shot('models');
  await card.getByRole('button', { name: 'Ada' }).click();
  await page.locator('[data-own-model]', { hasText: 'of the provider compatible: ' }).waitFor();
  await page.locator('[data-own-model]', { hasText: 'No tools. Agents that use it can only write' }).waitFor();
  await shot('own-model');
  await visit(page, '?view=models');
});

test('an admin sets prices of a provider, and the table shows them', async () => {
  await page.click('[data-provider="compatible"] [data-action="prices"]');
  await page.fill('.price-form [name="price-prompt"]', '0,25');
  await page.click('.price-form button[type="submit"]');
  await page.locator('.price-form .field-problem', { hasText: 'Write both prices of tiny' }).waitFor();
  await page.fill('.price-form [name="price-completion"]', '2');
  await page.click('.price-form button[type="submit"]');
  await page.locator('.price-card tr', { hasText: 'tiny' }).locator('td', { hasText: '0.25 USD' }).waitFor();
});

test('removing a provider needs a confirmation, and the village then offers to connect a model until the offer is dismissed', async () => {
  const card = page.locator('.provider-card[data-provider="compatible"]');
  await card.locator('[data-action="remove"]').click();
  await card.locator('[data-action="confirm-remove"]').click();
  await card.waitFor({ state: 'detached' });
  await page.waitForSelector('[data-notice="scripted-only"]');
  await visit(page, '?view=board');
  await page.locator('[data-notice="connect"]').getByRole('button', { name: 'Dismiss' }).click();
  await page.goto(url);
  await page.waitForSelector('.activity-feed .scripted', { state: 'attached' });
  assert.equal(await page.locator('[data-notice="connect"]').count(), 0);
});
