/**
 * The web of a village on a real API server: sign-in by an identity provider, tiers and pins with their field owners,
 * proofs of the sealed log. The parts run in this order and share one village and one page.
 */
import assert from 'node:assert/strict';
import { visit } from '../browser.ts';
import { test } from '../cluster-test.ts';
import { until } from '../until.ts';
import { admin, browser, page, shot, village } from './cluster/stage.ts';
import './cluster/sign-in.test.ts';
import './cluster/tiers.test.ts';
import './cluster/proof.test.ts';
import './cluster/manifests.test.ts';
import './cluster/agents.test.ts';
import './cluster/settings.test.ts';

test('while the database is down, the board shows a copy and a notice', async () => {
  await admin.createPost({ title: 'Bread at noon', body: 'At the market.' });
  await page.setViewportSize({ width: 480, height: 720 });
  await visit(page, '?view=board');
  await page.locator('.post-row', { hasText: 'Bread at noon' }).waitFor();
  assert.equal(await page.locator('[data-copy]').count(), 0);
  await village.postgres.stop();
  try {
    await page.click('.board [data-choice="all"]');
    await page.locator('.board-list [data-copy]', { hasText: 'you cannot write now' }).waitFor();
    await page.locator('.post-row', { hasText: 'Bread at noon' }).click();
    await page.locator('.thread', { hasText: 'At the market.' }).waitFor();
    await page.waitForSelector('.board [data-copy]');
    await shot('board-copy');
  } finally {
    await village.postgres.start();
  }
  await until('the thread is the board itself', async () => (await page.locator('.board [data-copy]').count()) === 0);
});

test('the page logged no unexpected error', () => {
  // Refusals that the tests above caused: not signed in (401), owned by another manager or different from the sealed
  // record (409), changed in the meantime (412), an unknown time zone (422), not sealed yet (404), no database (503).
  assert.deepEqual(
    browser.errors.filter((error) => !/\b(401|404|409|412|422|503)\b/.test(error)),
    [],
  );
});
