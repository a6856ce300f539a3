import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Locator } from 'playwright-core';
import { visit } from '../../browser.ts';
import { page, shot, signedIn } from './stage.ts';

/** Gives ada a task with an offer; returns its opened run when it has succeeded. */
async function offered(task: string, amount: string): Promise<Locator> {
  await visit(page, '?view=tiers&agent=ada&tab=runs');
  await page.fill('.prompt-form [name="prompt"]', task);
  await page.click('.offer-fields summary');
  await page.fill('.offer-fields [name="amount"]', amount);
  await page.click('.prompt-form button[type="submit"]');
  const run = page.locator('.run-page');
  await run.locator('h1', { hasText: task }).waitFor();
  await run.locator('.run-offer[data-offer="open"]').waitFor();
  await run.locator('[data-action="accept-offer"]').waitFor();
  return run;
}

test('accepting an offer pays the agent, and the page of the run shows the payment', async () => {
  await signedIn();
  const run = await offered('Go to the library, for money.', '2,5');
  assert.match(await run.locator('.run-offer').innerText(), /2\.50 ai\$/);
  await shot('offer');
  await run.locator('[data-action="accept-offer"]').click();
  await run.locator('.run-offer[data-offer="paid"]').waitFor();
  assert.equal(await run.locator('.run-offer [data-action]').count(), 0, 'nothing is left to decide');
  assert.equal(await page.inputValue('.offer-fields [name="amount"]'), '', 'the next task has no offer');
});

test('a refused offer shows its reason, and a draft of an offer survives a reload', async () => {
  const run = await offered('Go to the library once more.', '1');
  await run.locator('[data-action="refuse-offer"]').click();
  await page.fill('[name="offer-reason"]', 'You went somewhere else');
  await page.click('.run-offer button[type="submit"]');
  await run.locator('.run-offer[data-offer="refused"] .offer-reason', { hasText: 'You went somewhere else' }).waitFor();
  await page.click('.offer-fields summary');
  await page.fill('.offer-fields [name="amount"]', '3');
  await page.reload();
  await page.waitForSelector('.offer-fields[open]');
  assert.equal(await page.inputValue('.offer-fields [name="amount"]'), '3');
  await page.fill('.offer-fields [name="amount"]', '');
});
