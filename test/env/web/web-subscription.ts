import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  RESPONSES_WIRE,
  startWireServer,
  type WireAnswer,
  type WireRequest,
  type WireServer,
} from '@hamlet/models/testing';
import { visit, type WebStage } from './web-operator.ts';

const WORDS = 'Good day from a subscription.';
const CODE = 'code-of-one-sign-in';
const ACCESS = 'access-0123456789abcdef';
const CLAIMS = { 'https://api.openai.com/auth': { chatgpt_account_id: 'account-1' } };
const ID_TOKEN = ['{}', JSON.stringify(CLAIMS), 'signature']
  .map((part) => Buffer.from(part).toString('base64url'))
  .join('.');

/** The address at which a sign-in ends, with the state of its beginning. */
function endOf(authorize: URL, outcome: Readonly<Record<string, string>>): string {
  const end = new URL(authorize.searchParams.get('redirect_uri') ?? '');
  const state = authorize.searchParams.get('state') ?? '';
  for (const [name, value] of Object.entries({ ...outcome, state })) end.searchParams.set(name, value);
  return end.href;
}

/** A provider that confirms every sign-in at once, and answers the holder of its access token. */
function answer({ path, headers, body }: WireRequest): WireAnswer | null {
  const url = new URL(path, 'http://provider');
  if (url.pathname === '/authorize')
    return { status: 302, headers: { location: endOf(url, { code: CODE }) }, chunks: [] };
  if (url.pathname === '/token' && new URLSearchParams(String(body)).get('code') === CODE)
    return {
      headers: { 'content-type': 'application/json' },
      chunks: [
        JSON.stringify({
          access_token: ACCESS,
          refresh_token: 'refresh-0123456789abcdef',
          id_token: ID_TOKEN,
          expires_in: 36_000,
        }),
      ],
    };
  if (url.pathname === '/codex/responses' && headers['authorization'] === `Bearer ${ACCESS}`)
    return RESPONSES_WIRE.stream({ text: [WORDS] });
  return url.pathname === '/ended' ? { status: 404, chunks: ['{}'] } : null;
}

export function startSignInServer(): Promise<WireServer> {
  return startWireServer([], { otherwise: answer });
}

/** The variable by which the operator of a village allows sign-ins at this server. */
export function signInVariables({ url }: WireServer): Readonly<Record<string, string>> {
  const settings = {
    clientId: 'app-1',
    authorizeUrl: `${url}/authorize`,
    tokenUrl: `${url}/token`,
    redirectUri: `${url}/ended`,
    baseUrl: `${url}/codex`,
  };
  return { HAMLET_SUBSCRIPTION: JSON.stringify(settings) };
}

/** Tests of the sign-in to a subscription on the page of models. The village allows it at the server above. */
export function subscriptionTests(stage: () => WebStage): void {
  test('a sign-in to a subscription needs the accepted notice, and the end of another page is refused before it is sent', async () => {
    const { page, shot } = stage();
    await visit(page, '?view=models');
    await page.click('[data-notice="subscription"] [data-action="sign-in"]');
    await page.locator('.subscription-form [name="provider-name"]').first().fill('gpt-5');
    await page.click('.subscription-form button[type="submit"]');
    await page.locator('.subscription-form .field-problem', { hasText: 'Read the notice' }).waitFor();
    await page.check('.subscription-form [name="accepted"]');
    await shot('subscription-begin');
    await page.click('.subscription-form button[type="submit"]');
    await page.fill('.subscription-form [name="callback"]', 'https://elsewhere.example.org/?code=x&state=y');
    await page.click('.subscription-form button[type="submit"]');
    await page.locator('.subscription-form .field-problem', { hasText: 'Copy the whole address' }).waitFor();
  });

  test('a sign-in that the provider denies is explained; the next one connects the subscription, which answers its test', async () => {
    const { page, shot } = stage();
    const authorize = await page.getAttribute('[data-action="open-sign-in"]', 'href');
    const denied = endOf(new URL(authorize ?? ''), { error: 'access_denied' });
    await page.fill('.subscription-form [name="callback"]', denied);
    await page.click('.subscription-form button[type="submit"]');
    await page.waitForSelector('.subscription-form [data-code="sign_in_refused"]');
    await page.click('[data-action="restart"]');
    await page.click('.subscription-form[data-step="begin"] button[type="submit"]');
    const opening = page.context().waitForEvent('page');
    await page.click('[data-action="open-sign-in"]');
    const signIn = await opening;
    await signIn.waitForURL(/\/ended\?/);
    assert.equal(await page.inputValue('.subscription-form [name="callback"]'), '', 'the denied address is gone');
    await page.fill('.subscription-form [name="callback"]', signIn.url());
    await signIn.close();
    await shot('subscription-finish');
    await page.click('.subscription-form button[type="submit"]');
    const card = page.locator('.provider-card[data-provider="subscription"]');
    await card.locator('.provider-head', { hasText: 'Subscription' }).waitFor();
    await card.locator('[data-action="test"]').click();
    await card.locator('[data-test="ok"]', { hasText: WORDS }).waitFor();
    await shot('subscription');
  });

  test('a connected subscription is signed in to again with its models, and is removed', async () => {
    const { page } = stage();
    const card = page.locator('.provider-card[data-provider="subscription"]');
    await card.locator('[data-action="sign-in-again"]').click();
    assert.equal(await page.locator('.subscription-form [name="provider-name"]').first().inputValue(), 'gpt-5');
    assert.equal(await page.isChecked('.subscription-form [name="accepted"]'), false);
    await page.keyboard.press('Escape');
    await page.locator('.subscription-form').waitFor({ state: 'detached' });
    await card.locator('[data-action="remove"]').click();
    await card.locator('[data-action="confirm-remove"]').click();
    await card.waitFor({ state: 'detached' });
  });
}
