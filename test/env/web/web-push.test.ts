/**
 * A person has a real browser notified, and its worker shows a notice. Chromium without Google's push service cannot subscribe,
 * so the subscription alone is a stand-in; permission, worker and notification are real.
 */
import assert from 'node:assert/strict';
import { createECDH, generateKeyPairSync, randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { testFolder } from '../at-end.ts';
import type { TestBrowser } from '../browser.ts';
import { until } from '../until.ts';
import { assertSound, startViewerStage, testOnDevices, type ViewerStage } from './web-viewers.ts';

let stage: ViewerStage;

before(async () => {
  const keyFile = join(testFolder('web-push'), 'key.pem');
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  writeFileSync(keyFile, privateKey.export({ type: 'sec1', format: 'pem' }));
  const environment = { HAMLET_PUSH_KEY_FILE: keyFile, HAMLET_PUSH_CONTACT: 'mailto:village@example.org' };
  stage = await startViewerStage({ kim: 'member', environment });
});
after(() => stage?.remove());

/** Replaces the subscription of a page by one of a fake push service. */
async function pretendService({ page }: TestBrowser, device: string): Promise<void> {
  const keys = createECDH('prime256v1');
  const subscription = {
    endpoint: `https://fcm.googleapis.com/fcm/send/${device}`,
    keys: { p256dh: keys.generateKeys().toString('base64url'), auth: randomBytes(16).toString('base64url') },
  };
  await page.addInitScript(`{
    let made = null;
    const { endpoint, keys } = ${JSON.stringify(subscription)};
    const subscription = { endpoint, toJSON: () => ({ endpoint, keys }), unsubscribe: async () => { made = null; return true; } };
    PushManager.prototype.getSubscription = async () => made;
    PushManager.prototype.subscribe = async ({ userVisibleOnly, applicationServerKey }) => {
      if (!userVisibleOnly || !/^[\\w-]{87}$/.test(applicationServerKey)) throw new TypeError('options');
      return (made = subscription);
    };
  }`);
}

/** Delivers a push message to the worker of the page, as a push service does. */
async function deliver({ page }: TestBrowser, data: object): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const registered = new Promise<string>((resolve) => {
    session.on('ServiceWorker.workerRegistrationUpdated', ({ registrations: [first] }) => {
      if (first !== undefined) resolve(first.registrationId);
    });
  });
  await session.send('ServiceWorker.enable');
  const message = { origin: new URL(stage.url).origin, registrationId: await registered, data: JSON.stringify(data) };
  await session.send('ServiceWorker.deliverPushMessage', message);
}

const openConnections = async ({ page }: TestBrowser): Promise<void> => {
  await page.goto(`${stage.url}/?view=connections`);
  await page.waitForSelector('[aria-label="Browsers"]');
};
const adviceOf = ({ page }: TestBrowser): Promise<string | null> => page.locator('[data-push-advice]').textContent();

testOnDevices('a browser that blocks notifications says how to allow them', async (viewer, device) => {
  await openConnections(viewer);
  await viewer.page.click('button:text("Notify this browser")');
  assert.match((await adviceOf(viewer)) ?? '', /^This browser blocks notifications/);
  await stage.shot(viewer, `push-blocked-${device}`);
  await assertSound(viewer);
});

test('a browser that does not reach its push service says so', async () => {
  const viewer = await stage.viewer();
  await stage.signIn(viewer, 'kim');
  const { page } = viewer;
  await page.context().grantPermissions(['notifications']);
  await openConnections(viewer);
  await page.click('button:text("Notify this browser")');
  await page.locator('[data-push-advice]').waitFor();
  assert.match((await adviceOf(viewer)) ?? '', /does not reach its push service/);
  await viewer.close();
});

testOnDevices(
  'a person has a browser notified, chooses when, and removes it; its worker shows a notice',
  async (viewer, device) => {
    const { page } = viewer;
    const rows = () => stage.village.openDb().selectFrom('notice_target').select(['name', 'wants']).execute();
    await pretendService(viewer, device);
    await page.context().grantPermissions(['notifications']);
    await openConnections(viewer);
    const name = `Browser of a ${device}`;
    await page.fill('input[name="browser-name"]', name);
    await page.click('button:text("Notify this browser")');
    const row = page.locator(`[data-browser="${name}"]`);
    await row.getByText('this browser').waitFor();
    assert.equal(await page.locator('input[name="browser-name"]').count(), 0);
    await row.locator('select').selectOption('morning');
    await until('the choice', async () => (await rows())[0]?.wants === 'morning');
    await stage.shot(viewer, `push-${device}`);
    await deliver(viewer, { title: 'Hamlet: 2 things need you', body: '1 request, 1 question' });
    const shown = `navigator.serviceWorker.ready.then((each) => each.getNotifications()).then((all) => all.map(({ title, body }) => title + ': ' + body))`;
    await until('the notification', async () => (await page.evaluate<string[]>(shown)).length === 1);
    assert.deepEqual(await page.evaluate<string[]>(shown), ['Hamlet: 2 things need you: 1 request, 1 question']);
    await assertSound(viewer);
    await row.locator('[data-action="forget-browser"]').click();
    await row.waitFor({ state: 'detached' });
    await page.locator('input[name="browser-name"]').waitFor();
    assert.deepEqual(await rows(), []);
  },
);
