import assert from 'node:assert/strict';
import { testClient } from '../../client.ts';
import { test } from '../../cluster-test.ts';
import { browser, page, provider, shot, signedIn, signInByProvider, url } from './stage.ts';

test('a person whose groups have no role gets an explanation and is not signed in', async () => {
  // A refused person lands on the map, which costs less in a small window.
  await page.setViewportSize({ width: 480, height: 720 });
  await page.goto(`${url}/?view=tiers`);
  await signInByProvider({ sub: 'subject-1', preferred_username: 'Strange', groups: ['strangers'] });
  await page
    .locator('.dialog .notice-bad', {
      hasText: 'Not signed in. None of your groups at the identity provider has a role here',
    })
    .waitFor();
  await page.click('.dialog-close');
  assert.doesNotMatch(page.url(), /login_error/);
  assert.deepEqual(
    (await browser.context.cookies(url)).filter(({ name }) => name.includes('session')),
    [],
  );
  await page.setViewportSize({ width: 1280, height: 800 });
});

test('after sign-in at the identity provider a person returns to the earlier page', async () => {
  const asked = page.waitForRequest((request) => request.url().startsWith(`${provider.issuer}/auth`));
  await signedIn();
  assert.match((await asked).url(), /code_challenge_method=S256/);
  assert.equal(page.url(), `${url}/?view=tiers&agent=ada`);
  assert.equal(await page.locator('.dialog[open]').count(), 0);
  const cookies = await browser.context.cookies(url);
  assert.deepEqual(
    cookies.map(({ name, httpOnly, secure }) => [name, httpOnly, secure]),
    [['__Host-hamlet_session', true, true]],
    'the cookie of the attempt is gone',
  );
  const me = await testClient({
    baseUrl: url,
    cookie: cookies.map(({ name, value }) => `${name}=${value}`).join('; '),
  }).raw.getMe();
  assert.deepEqual(me.ok && [me.data.account.name, me.data.account.role], ['Wanda', 'admin']);
  await page.click('.account-name');
  await page.locator('.my-account', { hasText: 'identity provider' }).waitFor();
  assert.equal(await page.locator('.my-account input[type="password"]').count(), 0, "the password is the provider's");
  await shot('signed-in-by-oidc');
  await page.click('.my-account .dialog-close');
});
