/** A page whose API does not answer, in a real browser: it says since when, and continues by itself. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startViewerStage, type ViewerStage } from './web-viewers.ts';

let stage: ViewerStage;

before(async () => {
  stage = await startViewerStage({ kim: 'admin' });
});
after(() => stage?.remove());

test('a page that gets no answers says since when, and begins by itself when the API answers', async () => {
  const visitor = await stage.viewer();
  const { page } = visitor;
  await page.route('**/api/v1/**', (route) => route.abort());
  await page.goto(stage.url);
  const screen = page.locator('.screen', { hasText: 'The API is unreachable' });
  await screen.waitFor();
  assert.match(await screen.innerText(), /has not answered since \d\d:\d\d:\d\d\. This page tries again by itself/);
  await stage.shot(visitor, 'unreachable');
  await page.unroute('**/api/v1/**');
  await page.waitForSelector('.map[data-figures]');
  await visitor.close();
});

test('a page whose first requests hang says that it waits, and since when', async () => {
  const visitor = await stage.viewer();
  const { page } = visitor;
  await page.route('**/api/v1/world', () => undefined);
  await page.goto(stage.url);
  await page.locator('.screen', { hasText: 'The village is slow to answer' }).waitFor();
  await visitor.close();
});

test('an open page keeps what it knows under a notice until the API is back', async () => {
  const kim = await stage.viewer();
  const { page } = kim;
  await stage.signIn(kim, 'kim');
  await page.waitForSelector('.tier[data-tier="tier-0"]');
  await stage.stopApi();
  const notice = page.locator('[data-notice="unreachable"]');
  await notice.waitFor();
  assert.match(await notice.innerText(), /The API has not answered since \d\d:\d\d:\d\d\. .*It tries again by itself/);
  assert.equal(await page.locator('.tier[data-tier="tier-0"]').count(), 1);
  await stage.shot(kim, 'unreachable-notice');
  await stage.startApi();
  await notice.waitFor({ state: 'detached' });
  await kim.close();
});
