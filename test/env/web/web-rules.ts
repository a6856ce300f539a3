import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { WireServer } from '@hamlet/models/testing';
import type { Locator } from 'playwright-core';
import { testClient, type TestClient } from '../client.ts';
import { PURCHASE, PURCHASE_DONE, startJourneyMind } from '../minds/journey-mind.ts';
import { visit, type WebStage } from './web-operator.ts';

const CONNECTION = 'journey';
const PASSWORD = 'correct horse battery';

/** The stage with the token of an admin's tool. */
export interface RuleStage extends WebStage {
  readonly adminToken: string;
}

type Stage = () => RuleStage;

const adminOf = ({ url, adminToken }: RuleStage): TestClient => testClient({ baseUrl: url, token: adminToken });

/** Sends a message in the open conversation, and returns its exchange. */
async function say({ page }: RuleStage, text: string): Promise<Locator> {
  const before = await page.locator('.exchange').count();
  await page.fill('.composer textarea', text);
  await page.press('.composer textarea', 'Enter');
  const exchange = page.locator('.exchange').nth(before);
  await exchange.locator('.bubble', { hasText: text }).waitFor();
  return exchange;
}

/** Connects the language model, and gives ada money for its tokens and purchases. */
async function connect(stage: RuleStage, mindUrl: string): Promise<void> {
  const models = ['small', 'large'].map((name) => ({ name, model: CONNECTION }));
  const connection = { name: CONNECTION, kind: 'compatible' as const, base_url: `${mindUrl}/v1`, models };
  await adminOf(stage).putModelCredential(connection);
  // It opens tier-1: in tier-0, the requests of all tests before may have used the limit of the minute.
  const reward = { agent_id: 'ada', amount: '50', reason: 'for tokens and purchases' };
  await adminOf(stage).rewardAgent(reward);
}

/** A member with a session of their own, as a program. */
async function signedIn(stage: RuleStage, name: string): Promise<TestClient> {
  const made = await adminOf(stage).createAccount({ name, role: 'member' });
  const body = { code: made.invitation?.code ?? '', password: PASSWORD };
  const redeemed = await testClient({ baseUrl: stage.url }).raw.redeemCode(body);
  assert.ok(redeemed.ok);
  const cookie = redeemed.response.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  return testClient({ baseUrl: stage.url, cookie });
}

/** Tests of a conversation with an agent that has a language model: rules from a permission card, and its people. */
export function ruleTests(stage: Stage): void {
  const mind = startJourneyMind();
  after(async () => (await mind).close());
  cardTests(stage, mind);
  peopleTest(stage);
  test('the language model of these tests is removed', async () => {
    await adminOf(stage()).deleteModelCredential({ name: CONNECTION });
  });
}

function cardTests(stage: Stage, mind: Promise<WireServer>): void {
  test('a request is always allowed in its conversation from its card: the next one happens without a card', async () => {
    const { page, shot } = stage();
    await connect(stage(), (await mind).url);
    await visit(page, '?view=tiers&agent=ada&tab=chat');
    await page.waitForSelector('.composer textarea');
    const first = await say(stage(), PURCHASE);
    const card = first.locator('.permission');
    await card.locator('.always-allow summary').click();
    await shot('always-allow');
    await card.locator('[data-always="conversation"]').click();
    await first.locator('.answer', { hasText: PURCHASE_DONE }).waitFor();
    const second = await say(stage(), PURCHASE);
    // A card would hold the run: an answer means that the rule answered.
    await second.locator('.answer', { hasText: PURCHASE_DONE }).waitFor();
    await second.locator('.work-line').click();
    await second.locator('.call[data-call="buy"][data-state="done"]').waitFor();
    assert.match(await second.locator('.permission-answered').innerText(), /Allowed by a rule of you/);
  });

  test('the menu of the conversation lists the rule with its use, and after its removal the agent asks again', async () => {
    const { page, shot } = stage();
    await page.click('[data-action="menu"]');
    const rule = page.locator('.allow-rule[data-tool="buy"]');
    await rule.locator('span', { hasText: 'used once' }).waitFor();
    await shot('allow-rules');
    await rule.locator('[data-action="revoke-rule"]').click();
    await rule.waitFor({ state: 'detached' });
    await page.click('[data-action="menu"]');
    const third = await say(stage(), PURCHASE);
    await third.locator('.permission [data-answer="deny"]').click();
    // The words before the call are in the answer too, so its first text is not the last.
    await third.locator('.answer', { hasText: 'not bought' }).waitFor();
  });
}

function peopleTest(stage: Stage): void {
  test('a person who is taken out of a conversation reads it no more', async () => {
    const { page, shot } = stage();
    const noah = await signedIn(stage(), 'noah');
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
}
