/** Sign-ins through a real OpenID provider, with real redirects. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { startOidc, finishOidc, urlOf, type Account } from '@hamlet/contract';
import { freePort } from '@hamlet/dev';
import { readAudit } from '@hamlet/store';
import { testClient, refuses } from '@hamlet/test/env/client';
import { atEnd } from '@hamlet/test/env/at-end';
import { PASSWORD } from '../testing/play/people-play.ts';
import { CLIENT, startTestIdentityProvider, type ProviderPerson } from '../testing/test-identity-provider.ts';
import { clientOf, TOKENS, testVillage } from '../testing/test-village.ts';
import { CALLBACK_PATH } from './identity-provider.ts';

const [port, providerPort] = await Promise.all([freePort(), freePort()]);
const url = `http://127.0.0.1:${port}`;
const [village, provider] = await Promise.all([
  testVillage(),
  startTestIdentityProvider(providerPort, `${url}${CALLBACK_PATH}`),
]);
const secretFile = join(village.samples, 'oidc-secret');
await writeFile(secretFile, `${CLIENT.secret}\n`);
const plainUrl = (await village.startReplica()).peopleUrl;
await village.startReplica({
  HAMLET_PEOPLE_LISTEN: `127.0.0.1:${port}`,
  HAMLET_PUBLIC_URL: url,
  HAMLET_OIDC_ISSUER: provider.issuer,
  HAMLET_OIDC_CLIENT_ID: CLIENT.id,
  HAMLET_OIDC_CLIENT_SECRET_FILE: secretFile,
  HAMLET_OIDC_NAME: 'Test IdP',
  HAMLET_OIDC_SCOPE: 'openid profile groups',
  HAMLET_OIDC_ADMIN_GROUPS: 'wardens',
  HAMLET_OIDC_MEMBER_GROUPS: 'villagers',
});
const db = village.openDb();
atEnd(() => provider.stop());

const REDIRECTS_MAX = 20;

/** A browser without pages: it follows redirects up to the first page, and sends the cookies of an origin only to that origin. */
class TestBrowser {
  readonly #cookies = new Map<string, Map<string, string>>();
  /** Visited addresses, in order. */
  readonly visited: string[] = [];
  readonly #accept: string;

  constructor(accept = 'text/html') {
    this.#accept = accept;
  }

  /** Opens an address and follows redirects until `stopAt` returns true for the next address. Returns the last answer. */
  async open(url: string, stopAt: (next: URL) => boolean = () => false): Promise<Response> {
    let at = new URL(url);
    for (let hops = 0; hops < REDIRECTS_MAX; hops += 1) {
      this.visited.push(at.href);
      const response = await fetch(at, {
        redirect: 'manual',
        headers: { accept: this.#accept, cookie: this.cookieAt(at.origin) },
      });
      this.#keep(at.origin, response);
      const location = response.headers.get('location');
      if (location === null) return response;
      const next = new URL(location, at);
      if (stopAt(next)) return response;
      await response.body?.cancel();
      at = next;
    }
    throw new Error(`redirected more than ${REDIRECTS_MAX} times: ${this.visited.join(' ')}`);
  }

  /** The last visited address. */
  get address(): string {
    return this.visited.at(-1) ?? '';
  }

  cookieAt(origin: string): string {
    return [...(this.#cookies.get(origin) ?? [])].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  #keep(origin: string, response: Response): void {
    const kept = this.#cookies.get(origin) ?? new Map<string, string>();
    for (const line of response.headers.getSetCookie()) {
      const [pair = ''] = line.split(';');
      const [name = '', ...value] = pair.split('=');
      if (value.join('=') === '' || /max-age=0|expires=thu, 01 jan 1970/i.test(line)) kept.delete(name);
      else kept.set(name, value.join('='));
    }
    this.#cookies.set(origin, kept);
  }
}

const START = `/api/v1${startOidc.path}`;
let people = 0;

function person(preferred_username: string, ...groups: string[]): ProviderPerson {
  people += 1;
  return { sub: `subject-${people}`, preferred_username, groups };
}

/** Signs in at the provider as this person, in a new browser. */
async function signInAs(
  who: ProviderPerson | null,
  options: { readonly returnTo?: string; readonly browser?: TestBrowser } = {},
): Promise<TestBrowser> {
  provider.person = who;
  const browser = options.browser ?? new TestBrowser();
  await browser.open(
    `${url}${START}${options.returnTo === undefined ? '' : `?return_to=${encodeURIComponent(options.returnTo)}`}`,
  );
  return browser;
}

async function meOf(browser: TestBrowser): Promise<Account> {
  return (await testClient({ baseUrl: url, cookie: browser.cookieAt(url) }).getMe()).account;
}

/** Goes to the provider and returns the URL of the callback without opening it, so that a test can change it. */
async function callbackOf(browser: TestBrowser, who: ProviderPerson): Promise<URL> {
  provider.person = who;
  const last = await browser.open(`${url}${START}`, (next) => next.pathname === CALLBACK_PATH);
  return new URL(last.headers.get('location') ?? '');
}

/** Opens a callback as a program does, and returns the refusal. */
async function refusalOf(callback: URL, browser: TestBrowser): Promise<readonly [number, string]> {
  const response = await fetch(callback, { redirect: 'manual', headers: { cookie: browser.cookieAt(url) } });
  return [response.status, response.status === 303 ? '' : ((await response.json()) as { code: string }).code];
}

test('a sign-in sends code challenge, state and nonce, and returns the browser signed in to the page where it began', async () => {
  const browser = await signInAs(person('Wanda', 'wardens', 'villagers'), { returnTo: '/?agent=ada' });
  const asked = new URL(browser.visited[1] ?? '');
  assert.equal(asked.origin, provider.issuer);
  assert.equal(asked.searchParams.get('response_type'), 'code');
  assert.equal(asked.searchParams.get('code_challenge_method'), 'S256');
  for (const name of ['code_challenge', 'state', 'nonce'])
    assert.match(asked.searchParams.get(name) ?? '', /^[\w-]{43}$/, name);
  assert.equal(asked.searchParams.get('redirect_uri'), `${url}${CALLBACK_PATH}`);
  assert.equal(browser.address, `${url}/?agent=ada`);
  const { name, role } = await meOf(browser);
  assert.deepEqual([name, role], ['Wanda', 'admin']);
  assert.ok(!browser.cookieAt(url).includes('hamlet_sign_in'), 'the cookie of the attempt is gone');
  assert.deepEqual((await clientOf(url).getLoginOptions()).oidc, { name: 'Test IdP', path: START });
});

test('each sign-in sets the role from the groups', async () => {
  const wim = person('Wim', 'wardens');
  const first = await meOf(await signInAs(wim));
  const second = await meOf(await signInAs({ ...wim, groups: ['villagers'] }));
  assert.deepEqual([first.role, second.role, first.account_id === second.account_id], ['admin', 'member', true]);
  const lines = await readAudit(db, `account ${first.account_id}`, 20);
  assert.deepEqual(lines.map(({ action }) => action).toSorted(), [
    'account.create',
    'account.role',
    'session.open',
    'session.open',
  ]);
});

test('a person without a group that has a role is refused: a browser gets a page, a program an answer', async () => {
  const browser = await signInAs(person('Strange', 'strangers'));
  assert.equal(browser.address, `${url}/?login_error=oidc_no_role`);
  const program = new TestBrowser('application/json');
  assert.deepEqual(await refusalOf(await callbackOf(program, person('Strange too')), program), [403, 'oidc_no_role']);
  await refuses(testClient({ baseUrl: url, cookie: browser.cookieAt(url) }).getMe(), 'unauthenticated');
});

test('a person who cancels at the provider is not signed in', async () => {
  assert.equal((await signInAs(null)).address, `${url}/?login_error=oidc_refused`);
});

test('a callback works only once, and only in the browser that began the sign-in', async () => {
  const mine = new TestBrowser();
  const callback = await callbackOf(mine, person('Ben', 'villagers'));
  assert.deepEqual(await refusalOf(callback, new TestBrowser()), [403, 'oidc_attempt_unknown'], 'in another browser');
  assert.deepEqual(await refusalOf(callback, mine), [303, '']);
  assert.deepEqual(await refusalOf(callback, mine), [403, 'oidc_attempt_unknown'], 'again');
  const late = new TestBrowser();
  const over = await callbackOf(late, person('Late', 'villagers'));
  await db
    .updateTable('oidc_attempt')
    .set({ expires_at: new Date(Date.now() - 1_000) })
    .execute();
  assert.deepEqual(await refusalOf(over, late), [403, 'oidc_attempt_unknown'], 'too late');
});

test('a callback with another state, another code, or an id token with another nonce is refused', async () => {
  const stateless = new TestBrowser();
  const bent = await callbackOf(stateless, person('Sid', 'villagers'));
  bent.searchParams.set('state', 'A'.repeat(43));
  const tradesBefore = provider.trades();
  assert.deepEqual(await refusalOf(bent, stateless), [403, 'oidc_refused']);
  assert.equal(provider.trades(), tradesBefore, 'with a wrong state the code is not even shown');

  // An attacker puts the code of their own sign-in into the victim's callback. PKCE binds a code to the attempt for
  // which it was issued.
  const [victim, attacker] = [new TestBrowser(), new TestBrowser()];
  const victims = await callbackOf(victim, person('Victim', 'villagers'));
  const attackers = await callbackOf(attacker, person('Attacker', 'wardens'));
  victims.searchParams.set('code', attackers.searchParams.get('code') ?? '');
  assert.deepEqual(await refusalOf(victims, victim), [403, 'oidc_refused']);

  const replayed = new TestBrowser();
  provider.person = person('Nora', 'villagers');
  const toProvider = await replayed.open(`${url}${START}`, (next) => next.origin === provider.issuer);
  const asked = new URL(toProvider.headers.get('location') ?? '');
  asked.searchParams.set('nonce', 'B'.repeat(43));
  const back = await replayed.open(asked.href, (next) => next.pathname === CALLBACK_PATH);
  assert.deepEqual(await refusalOf(new URL(back.headers.get('location') ?? ''), replayed), [403, 'oidc_refused']);
});

test('a local account of the same name belongs to another person and stays unchanged', async () => {
  const admin = clientOf(url, TOKENS.admin);
  const { account } = await admin.createAccount({ name: 'Tom', role: 'admin' });
  const signedIn = await meOf(await signInAs(person('tom', 'villagers')));
  assert.deepEqual([signedIn.name, signedIn.role], ['tom 2', 'member']);
  assert.notEqual(signedIn.account_id, account.account_id);
  assert.equal((await admin.getAccount({ account_id: account.account_id })).account.signs_in_by, 'password');
});

test('an admin cannot change the password or role of a federated account, but can disable or ban it', async () => {
  const admin = clientOf(url, TOKENS.admin);
  const who = person('Fred', 'villagers');
  const browser = await signInAs(who);
  const me = testClient({ baseUrl: url, cookie: browser.cookieAt(url) });
  const { account_id } = await meOf(browser);
  const on = { account_id };
  await refuses(me.renameMe({ name: 'Freddy' }), 'account_is_federated');
  await refuses(me.changePassword({ current_password: PASSWORD, new_password: PASSWORD }), 'account_is_federated');
  await refuses(admin.resetPassword(on), 'account_is_federated');
  await refuses(admin.changeAccount({ ...on, role: 'admin' }), 'account_is_federated');
  await refuses(clientOf(url).logIn({ name: 'Fred', password: PASSWORD }), 'credentials_wrong');
  await admin.changeAccount({ ...on, disabled: true });
  assert.equal((await signInAs(who)).address, `${url}/?login_error=account_disabled`);
  await admin.changeAccount({ ...on, disabled: false });
  await admin.banAccount({ ...on, reason: 'floods' });
  assert.equal((await signInAs(who)).address, `${url}/?login_error=account_banned`);
});

test('signing in again ends the session that the browser had', async () => {
  const who = person('Rita', 'villagers');
  const browser = await signInAs(who);
  const before = browser.cookieAt(url);
  await signInAs(who, { browser });
  assert.notEqual(browser.cookieAt(url), before);
  await refuses(testClient({ baseUrl: url, cookie: before }).getMe(), 'unauthenticated');
  await meOf(browser);
});

test('the sign-in routes refuse without a configured provider; an unreachable provider is retried', async () => {
  const nowhere = clientOf(plainUrl);
  await refuses(nowhere.startOidc(), 'oidc_not_configured');
  await refuses(nowhere.finishOidc({}), 'oidc_not_configured');
  assert.equal((await nowhere.getLoginOptions()).oidc, null);
  const browser = new TestBrowser();
  const callback = await callbackOf(browser, person('Away', 'villagers'));
  await provider.stop();
  const answer = await fetch(callback, { redirect: 'manual', headers: { cookie: browser.cookieAt(url) } });
  assert.deepEqual([answer.status, answer.headers.get('retry-after')], [503, '1']);
  await provider.start();
  assert.equal((await meOf(await signInAs(person('Back', 'villagers')))).name, 'Back');
  assert.equal(
    urlOf(finishOidc, {}),
    CALLBACK_PATH,
    'the redirect address registered at the provider is the one in the contract',
  );
});
