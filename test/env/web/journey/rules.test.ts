import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Locator } from 'playwright-core';
import { testClient, type TestClient } from '../../client.ts';
import { PURCHASE, PURCHASE_DONE, startJourneyMind } from '../../minds/journey-mind.ts';
import { visit } from '../../browser.ts';
import { clientOf, page, PASSWORD, shot, signedIn, url } from './stage.ts';

const CONNECTION = 'journey';

/** Sends a message in the open conversation, and returns its exchange. */
async function say(text: string): Promise<Locator> {
  const before = await page.locator('.exchange').count();
  await page.fill('.composer textarea', text);
  await page.press('.composer textarea', 'Enter');
  const exchange = page.locator('.exchange').nth(before);
  await exchange.locator('.bubble', { hasText: text }).waitFor();
  return exchange;
}

/** Connects the language model, and gives ada money for its tokens and purchases. */
async function connect(mindUrl: string): Promise<void> {
  const models = ['small', 'large'].map((name) => ({ name, model: CONNECTION }));
  const connection = { name: CONNECTION, kind: 'compatible' as const, base_url: `${mindUrl}/v1`, models };
  await clientOf('admin').putModelCredential(connection);
  // The reward opens tier-1, because earlier tests may have used up the request limit of tier-0.
  const reward = { agent_id: 'ada', amount: '50', reason: 'for tokens and purchases' };
  await clientOf('admin').rewardAgent(reward);
}

async function memberClient(name: string): Promise<TestClient> {
  const made = await clientOf('admin').createAccount({ name, role: 'member' });
  const body = { code: made.invitation?.code ?? '', password: PASSWORD };
  const redeemed = await testClient({ baseUrl: url }).raw.redeemCode(body);
  assert.ok(redeemed.ok);
  const cookie = redeemed.response.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  return testClient({ baseUrl: url, cookie });
}

const mind = startJourneyMind();
after(async () => (await mind).close());

test('a person allows a tool for the whole conversation on a card, and the next call needs no card', async () => {
  await signedIn();
  await connect((await mind).url);
  await visit(page, '?view=tiers&agent=ada&tab=chat');
  await page.waitForSelector('.composer textarea');
  const first = await say(PURCHASE);
  const card = first.locator('.permission');
  await card.locator('.always-allow summary').click();
  await shot('always-allow');
  await card.locator('[data-always="conversation"]').click();
  await first.locator('.answer', { hasText: PURCHASE_DONE }).waitFor();
  const second = await say(PURCHASE);
  // A card would hold the run, so an answer shows that the rule applied.
  await second.locator('.answer', { hasText: PURCHASE_DONE }).waitFor();
  await second.locator('.work-line').click();
  await second.locator('.call[data-call="buy"][data-state="done"]').waitFor();
  assert.match(await second.locator('.permission-answered').innerText(), /Allowed by a rule of you/);
});

test('the menu of the conversation lists the rule with its number of uses, and after its removal the agent asks again', async () => {
  await page.click('[data-action="menu"]');
  const rule = page.locator('.allow-rule[data-tool="buy"]');
  await rule.locator('span', { hasText: 'used once' }).waitFor();
  await shot('allow-rules');
  await rule.locator('[data-action="revoke-rule"]').click();
  await rule.waitFor({ state: 'detached' });
  await page.click('[data-action="menu"]');
  const third = await say(PURCHASE);
  await third.locator('.permission [data-answer="deny"]').click();
  // The answer also contains the words before the call, so its first text is not final.
  await third.locator('.answer', { hasText: 'not bought' }).waitFor();
});

test('a person removed from a conversation can no longer read it', async () => {
  const noah = await memberClient('noah');
  const params = { session_id: (await page.getAttribute('.chat', 'data-session')) ?? '' };
  const reads = async (): Promise<boolean> => (await noah.raw.listMessages(params)).ok;

  await page.click('[data-action="menu"]');
  assert.equal(await page.locator('[data-action="remove-person"]').count(), 0, 'the last person stays');
  await page.fill('.invite [name="person"]', 'noah');
  await page.press('.invite [name="person"]', 'Enter');
  const person = page.locator('.conversation-people [data-person="noah"]');
  await person.waitFor();
  assert.equal(await reads(), true);
  await person.locator('[data-action="remove-person"]').click();
  await shot('conversation-people');
  await person.locator('[data-action="confirm-remove-person"]').click();
  await person.waitFor({ state: 'detached' });
  assert.equal(await reads(), false);
});

test('the language model of these tests is removed', async () => {
  await clientOf('admin').deleteModelCredential({ name: CONNECTION });
});
