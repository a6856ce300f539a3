import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, before, test } from 'node:test';
import type { WireServer } from '@hamlet/models/testing';
import { openDevFolder, startDevVillage, type DevVillage } from '@hamlet/dev';
import { openBrowser, type TestBrowser } from './browser.ts';
import { builtWeb } from './web/built-web.ts';
import { chatTests } from './web/web-chat.ts';
import { until } from './until.ts';
import { economyTests } from './web/web-economy.ts';
import { modelTests } from './web/web-models.ts';
import { offerTests } from './web/web-offers.ts';
import { operatorTests } from './web/web-operator.ts';
import { ruleTests } from './web/web-rules.ts';
import { signInVariables, startSignInServer, subscriptionTests } from './web/web-subscription.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const OUTPUT = join(ROOT, 'test/output');
const PASSWORD = 'correct horse battery';

/** The web against a real API, Postgres, Redis and the residents of ada and bob, in a real browser. */
let state: string;
let village: DevVillage;
let browser: TestBrowser;
let signInServer: WireServer;
let code: string;

before(async () => {
  builtWeb();
  mkdirSync(OUTPUT, { recursive: true });
  state = mkdtempSync(join(tmpdir(), 'hamlet-web-'));
  // As root, Postgres runs as the user nobody, which must be able to enter the folder.
  chmodSync(state, 0o755);
  const folder = openDevFolder(state);
  code = folder.bootstrapCode;
  signInServer = await startSignInServer();
  const variables = signInVariables(signInServer);
  village = await startDevVillage(folder, { port: null, residents: true, variables });
  browser = await openBrowser();
});

after(async () => {
  await browser?.close();
  await village?.stop();
  await signInServer?.close();
  if (state !== undefined) rmSync(state, { recursive: true, force: true });
});

/** Runs the callback once the list of agents shows the text. */
async function waitForRow(id: string, attribute: string, value: string): Promise<void> {
  await browser.page.waitForSelector(`.agent-row[data-agent-id="${id}"][data-${attribute}="${value}"]`);
}

/** Position of an agent on the map, in tiles. */
async function drawn(id: string): Promise<{ readonly x: number; readonly y: number } | undefined> {
  return browser.page.evaluate<{ x: number; y: number } | undefined>(
    `window.__hamlet?.agents.find((agent) => agent.id === '${id}')`,
  );
}

async function shot(name: string): Promise<void> {
  await browser.page.screenshot({ path: join(OUTPUT, `web-${name}.png`) });
}

test('a visitor sees two agents move in one world', async () => {
  await browser.page.goto(village.file.url);
  await waitForRow('ada', 'state', 'Awake');
  await waitForRow('bob', 'state', 'Awake');
  for (const id of ['ada', 'bob']) {
    const from = await until(`${id} is drawn`, () => drawn(id));
    // Evaluated from outside, since the page's content security policy forbids eval.
    await until(`${id} walks on the map`, async () => {
      const now = await drawn(id);
      return now !== undefined && Math.hypot(now.x - from.x, now.y - from.y) > 1;
    });
  }
  await shot('visitor');
});

/** Resizes the map, and counts what WebGL draws between the callbacks of that frame and its picture. */
const DRAWS_AFTER_RESIZE = `new Promise((resolve) => {
  const canvas = document.querySelector('canvas.map');
  const gl = canvas.getContext('webgl2');
  let draws = null;
  for (const name of ['drawElements', 'drawElementsInstanced', 'drawArrays']) {
    const draw = gl[name];
    gl[name] = (...values) => {
      if (draws !== null) draws += 1;
      draw.apply(gl, values);
    };
  }
  const watch = new ResizeObserver(() => {
    if (draws === null) return;
    watch.disconnect();
    canvas.style.height = '';
    resolve(draws);
  });
  watch.observe(canvas);
  setTimeout(() => {
    canvas.style.height = canvas.clientHeight - 40 + 'px';
    requestAnimationFrame(() => {
      draws = 0;
    });
  }, 100);
})`;

test('a resized map is drawn before the browser shows it', async () => {
  assert.ok((await browser.page.evaluate<number>(DRAWS_AFTER_RESIZE)) > 0);
});

test('a visitor can see an agent and not change it', async () => {
  await browser.page.click('.agent-row[data-agent-id="ada"]');
  await browser.page.waitForSelector('.inspector .conditions .condition');
  assert.equal(await browser.page.getAttribute('[data-verb="suspend"]', 'aria-disabled'), 'true');
  assert.match(await browser.page.innerText('.lifecycle'), /visitor/);
  await shot('inspector');
});

test('the tabs of an agent never cover the button that closes it, at any scroll position', async () => {
  const { page } = browser;
  for (const width of [1280, 960, 400]) {
    await page.setViewportSize({ width, height: 500 });
    await until('the panel is scrolled', () =>
      page.evaluate<boolean>(
        `(() => { const panel = document.querySelector('.inspector'); panel.scrollTop = panel.scrollHeight; return panel.scrollTop > 200; })()`,
      ),
    );
    const [tab, close] = await Promise.all(
      ['[data-tab="diary"]', '.panel-close'].map((selector) => page.locator(selector).boundingBox()),
    );
    assert.ok(tab && close && tab.x + tab.width <= close.x, `${width} wide: ${JSON.stringify({ tab, close })}`);
    assert.ok(tab.y < close.y + close.height && close.y < tab.y + tab.height, 'both stand at the top');
    await shot(`tabs-${width}`);
  }
  await page.setViewportSize({ width: 1280, height: 800 });
});

test('the first admin signs in with the code and suspends, awakens and reboots an agent', async () => {
  await browser.page.goto(`${village.file.url}/?code=${encodeURIComponent(code)}&agent=bob&tab=now`);
  await browser.page.fill('input[name="name"]', 'keeper');
  await browser.page.fill('input[name="password"]', PASSWORD);
  await browser.page.click('.dialog button[type="submit"]');
  await browser.page.waitForSelector('.account-name');
  assert.doesNotMatch(browser.page.url(), /code=/);
  await browser.page.click('[data-verb="suspend"]');
  await waitForRow('bob', 'state', 'Asleep');
  await browser.page.waitForSelector('[data-verb="reboot"][aria-disabled="true"]');
  await shot('asleep');
  await browser.page.waitForSelector('[data-verb="awaken"][aria-disabled="false"]');
  await browser.page.click('[data-verb="awaken"]');
  await waitForRow('bob', 'state', 'Awake');
  await browser.page.waitForSelector('[data-verb="reboot"][aria-disabled="false"]');
  await browser.page.click('[data-verb="reboot"]');
  await browser.page.locator('.lifecycle .notice-good', { hasText: /in cycle \d+/ }).waitFor();
  await shot('rebooted');
});

test('members read the diary of an agent', async () => {
  await browser.page.click('[data-tab="diary"]');
  // The list grows at its top: an opened turn must stay open.
  await browser.page.click('.turns:not(.purposes) .turn summary');
  await browser.page.waitForSelector('.turns:not(.purposes) details[open] dd');
  assert.match(await browser.page.innerText('.turns:not(.purposes) details[open]'), /Decided/);
});

test('the acts of an agent are grouped by purpose, and a purpose of the scripted mind says so', async () => {
  const { page } = browser;
  const purpose = page.locator('.purposes .turn', { hasText: /[1-9][0-9]* acts?/ }).first();
  await purpose.locator('summary').click();
  await purpose
    .locator('.purpose-acts li p', { hasText: /^Because: ./ })
    .first()
    .waitFor();
  await purpose.locator('.scripted').waitFor();
  await shot('purposes');
});

chatTests(() => ({ page: browser.page, url: village.file.url, shot }));
operatorTests(() => ({ page: browser.page, url: village.file.url, shot }));
offerTests(() => ({ page: browser.page, url: village.file.url, shot }));
economyTests(() => ({
  page: browser.page,
  url: village.file.url,
  shot,
  memberToken: village.file.memberToken,
  adaToken: village.file.agentTokens.ada,
}));
modelTests(() => ({ page: browser.page, url: village.file.url, shot }));
subscriptionTests(() => ({ page: browser.page, url: village.file.url, shot }));
ruleTests(() => ({ page: browser.page, url: village.file.url, shot, adminToken: village.file.adminToken }));

/** Refusals that the tests above caused: the viewer's page asks who is signed in, and some requests are refused on purpose. */
const ASKED_FOR = [
  / 401 .*\/api\/v1\/me$/,
  / 409 .*\/api\/v1\/economy\/penalize$/,
  / 409 .*\/api\/v1\/schedules$/,
  / 409 .*\/api\/v1\/economy\/credits$/,
  / 409 .*\/api\/v1\/models\/subscription\/finish$/,
];

test('the page logged no unexpected error', () => {
  assert.deepEqual(
    browser.errors.filter((error) => !ASKED_FOR.some((pattern) => pattern.test(error))),
    [],
  );
});
