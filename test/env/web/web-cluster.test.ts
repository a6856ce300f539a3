/**
 * The web of a village on a real API server: sign-in by an identity provider, tiers and pins with their field owners,
 * proofs of the sealed log.
 */
import assert from 'node:assert/strict';
import { after, before, test } from '../cluster-test.ts';
import type { Page } from 'playwright-core';
import { testClient } from '../client.ts';
import type { ProviderPerson } from '../../../api/server/src/testing/test-identity-provider.ts';
import { until } from '../until.ts';
import { visit } from './web-operator.ts';
import { proofTests } from './web-proof.ts';
import { startClusterStage, type ClusterStage } from './web-cluster.ts';
import { tierTests } from './web-tiers.ts';

let stage: ClusterStage;
let page: Page;

const GPU = { mode: 'Shared', count: 1 };
const TIERS = [
  {
    rank: 0,
    minBalance: '0',
    limits: { requestsPerMinute: 120, concurrentTools: 1, tokensPerHour: 20_000, models: ['small'] },
    compute: { resources: { cpu: '250m', memory: '256Mi' } },
  },
  {
    rank: 1,
    minBalance: '10',
    limits: { requestsPerMinute: 300, concurrentTools: 2, tokensPerHour: 100_000, models: ['small', 'large'] },
    compute: { resources: { cpu: '500m', memory: '512Mi' } },
    price: { perHour: '0.05', perThousandTokens: '0.002' },
  },
  {
    rank: 2,
    minBalance: '100',
    limits: { requestsPerMinute: 1_200, concurrentTools: 8, tokensPerHour: 1_000_000, models: ['large', 'small'] },
    compute: { resources: { cpu: '2', memory: '2Gi' }, gpu: GPU },
    price: { perHour: '0.5', perThousandTokens: '0.01' },
  },
] as const;

before(async () => {
  stage = await startClusterStage();
  ({ page } = stage.browser);
  // GitOps owns tier-2 and bob, so the page asks for confirmation. The village owns the rest.
  for (const [rank, spec] of TIERS.entries())
    await stage.apply('Entitlement', `tier-${rank}`, { spec, manager: rank === 2 ? 'argocd' : 'hamlet-api' });
  await stage.apply('Agent', 'ada', { spec: { displayName: 'Ada' }, manager: 'kubectl' });
  await stage.apply('Agent', 'bob', {
    spec: { displayName: 'Bob', entitlement: { policy: 'Pinned', name: 'tier-0' } },
    manager: 'argocd',
  });
  for (const name of ['ada', 'bob']) await stage.setStatus(name, { tier: 'tier-0' });
});

after(async () => {
  await stage?.remove();
});

/** Signs in by the provider, as the person in this browser. */
async function signInByProvider(person: ProviderPerson): Promise<void> {
  stage.provider.person = person;
  // Another person needs another browser session at the provider.
  await stage.browser.context.clearCookies({ domain: new URL(stage.provider.issuer).hostname });
  await page.locator('.top-bar .button', { hasText: 'Sign in' }).click();
  await page.locator('[data-action="oidc"]', { hasText: 'Sign in with Test IdP' }).waitFor();
  await page.click('[data-action="oidc"]');
}

test('a person whose groups have no role returns to an explanation, and is not signed in', async () => {
  // A refused person lands on the map: a small window keeps it cheap.
  await page.setViewportSize({ width: 480, height: 720 });
  await page.goto(`${stage.url}/?view=tiers`);
  await signInByProvider({ sub: 'subject-1', preferred_username: 'Strange', groups: ['strangers'] });
  await page
    .locator('.dialog .notice-bad', {
      hasText: 'Not signed in. None of your groups at the identity provider has a role here',
    })
    .waitFor();
  await page.click('.dialog-close');
  assert.doesNotMatch(page.url(), /login_error/);
  assert.deepEqual(
    (await stage.browser.context.cookies(stage.url)).filter(({ name }) => name.includes('session')),
    [],
  );
  await page.setViewportSize({ width: 1280, height: 800 });
});

test('the sign-in page leads to the identity provider and back to the earlier page, signed in', async () => {
  await page.goto(`${stage.url}/?view=tiers&agent=ada`);
  const asked = page.waitForRequest((request) => request.url().startsWith(`${stage.provider.issuer}/auth`));
  await signInByProvider({ sub: 'subject-2', preferred_username: 'Wanda', groups: ['wardens'] });
  assert.match((await asked).url(), /code_challenge_method=S256/);
  await page.locator('.account-name', { hasText: 'Wanda' }).locator('.role', { hasText: 'admin' }).waitFor();
  assert.equal(page.url(), `${stage.url}/?view=tiers&agent=ada`);
  assert.equal(await page.locator('.dialog[open]').count(), 0);
  const cookies = await stage.browser.context.cookies(stage.url);
  assert.deepEqual(
    cookies.map(({ name, httpOnly, secure }) => [name, httpOnly, secure]),
    [['__Host-hamlet_session', true, true]],
    'the cookie of the attempt is gone',
  );
  const me = await testClient({
    baseUrl: stage.url,
    cookie: cookies.map(({ name, value }) => `${name}=${value}`).join('; '),
  }).raw.getMe();
  assert.deepEqual(me.ok && [me.data.account.name, me.data.account.role], ['Wanda', 'admin']);
  await page.click('.account-name');
  await page.locator('.my-account', { hasText: 'identity provider' }).waitFor();
  assert.equal(await page.locator('.my-account input[type="password"]').count(), 0, "the password is the provider's");
  await stage.shot('signed-in-by-oidc');
  await page.click('.my-account .dialog-close');
});

tierTests(() => stage);
proofTests(() => stage);

test('while the database is down the board shows a copy and says so, until the database is back', async () => {
  await stage.admin.createPost({ title: 'Bread at noon', body: 'At the market.' });
  await page.setViewportSize({ width: 480, height: 720 });
  await visit(page, '?view=board');
  await page.locator('.post-row', { hasText: 'Bread at noon' }).waitFor();
  assert.equal(await page.locator('[data-copy]').count(), 0);
  await stage.database.stop();
  try {
    await page.click('.board [data-choice="all"]');
    await page.locator('.board-list [data-copy]', { hasText: 'nothing can be written for now' }).waitFor();
    await page.locator('.post-row', { hasText: 'Bread at noon' }).click();
    await page.locator('.thread', { hasText: 'At the market.' }).waitFor();
    await page.waitForSelector('.board [data-copy]');
    await stage.shot('board-copy');
  } finally {
    await stage.database.start();
  }
  await until('the thread is the board itself', async () => (await page.locator('.board [data-copy]').count()) === 0);
});

test('the page logged no unexpected error', () => {
  // Refusals that the tests above caused: not signed in (401), owned by another manager or different from the sealed
  // record (409), changed in the meantime (412), not sealed yet (404), no database (503).
  assert.deepEqual(
    stage.browser.errors.filter((error) => !/\b(401|404|409|412|503)\b/.test(error)),
    [],
  );
});
