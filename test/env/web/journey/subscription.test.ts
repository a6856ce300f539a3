import assert from 'node:assert/strict';
import { test } from 'node:test';
import { visit } from '../../browser.ts';
import { page, shot, signedIn } from './stage.ts';
import { endOf, WORDS } from './sign-in-server.ts';

test('subscription sign-in needs the accepted notice, and the address of another page is refused before it is sent', async () => {
  await signedIn();
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

test('a denied sign-in is explained; the next one connects the subscription, which passes its test', async () => {
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

test('a new sign-in keeps the models of a connected subscription, which can then be removed', async () => {
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
