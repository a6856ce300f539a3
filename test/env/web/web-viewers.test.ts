import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { startPayPalStandIn } from '../../../api/server/src/money/testing/paypal-stand-in.ts';
import { visit, type TestBrowser } from '../browser.ts';
import { until } from '../until.ts';
import { MANY, startViewerStage, type ViewerStage } from './web-viewers.ts';

/** Number of runs that the page lists first. */
const LISTED_RUNS = 50;

/** Position of an agent on the screen. */
async function figureOf(
  page: Page,
  id: string,
): Promise<
  { readonly x: number; readonly y: number; readonly emote: string | null; readonly carried: string | null } | undefined
> {
  return page.evaluate(`window.__hamlet?.figures.find((figure) => figure.id === '${id}')`);
}

/** The state of the map for an error message: frames, agents, camera, text of the page, and errors. */
async function mapState({ page, errors }: TestBrowser): Promise<unknown> {
  const map = await page.evaluate(
    `(() => { const probe = window.__hamlet; return { tick: probe?.tick, camera: probe?.camera, agents: probe?.agents, figures: probe?.figures, frames: probe?.frameMs.length, words: document.body.innerText.slice(0, 400) }; })()`,
  );
  return { map, url: page.url(), errors };
}

/** An agent that no bar or panel of a phone covers, in pixels of the page. */
async function figureInTheOpen(page: Page): Promise<{ readonly x: number; readonly y: number } | undefined> {
  return page.evaluate(
    `(() => { const box = document.querySelector('canvas.map').getBoundingClientRect(); return window.__hamlet?.figures.map(({ x, y }) => ({ x: x + box.x, y: y + box.y })).find(({ x, y }) => document.elementFromPoint(x, y - 12)?.matches('canvas.map')); })()`,
  );
}

/** Tests of viewers: roles, lost sessions and connections, refusals, phones, themes, assistive technology, large villages. */
let stage: ViewerStage;
let memberId: string;

before(async () => {
  stage = await startViewerStage();
  memberId = await stage.account('mo', 'member');
  await stage.account('kim', 'admin');
  await until('the page shows the agents', async () =>
    (await (await fetch(`${stage.url}/api/v1/agents`)).text()).includes('"bob"'),
  );
});

after(() => stage?.remove());

test('a member posts, rewards and gives work, and sees which pages are for admins', async () => {
  const mo = await stage.viewer();
  await stage.signIn(mo, 'mo');
  const { page } = mo;
  assert.equal(await page.locator('.view-link', { hasText: 'Office' }).count(), 0);
  assert.equal(await page.locator('[data-action="freeze-everyone"]').count(), 0);
  await visit(page, '?view=audit');
  await page.locator('.page-locked', { hasText: 'This page is for admins; you are signed in as member.' }).waitFor();
  await visit(page, '?view=payments');
  await page.locator('.pay-card[data-paypal="off"]', { hasText: 'takes no payments by PayPal' }).waitFor();
  assert.equal(await page.locator('.payment-columns').count(), 0, 'the books are for admins');
  await visit(page, '?view=runs&agent=bob&tab=now');
  await page.locator('.lifecycle .hint', { hasText: 'Only admins' }).waitFor();
  await page.click('[data-tab="runs"]');
  await page.waitForSelector('.prompt-form textarea');
  await page.click('[data-tab="money"]');
  await page.locator('.judge .allowance[data-left]').waitFor();
  await visit(page, '?view=board');
  await page.click('[data-action="new-post"]');
  await page.fill('.compose [name="title"]', 'A question of a member');
  await page.fill('.compose [name="body"]', 'Does anybody read this?');
  await page.click('.compose button[type="submit"]');
  await page.locator('.thread h2', { hasText: 'A question of a member' }).waitFor();
  await mo.close();
});

test('the same button succeeds when the cause of a refusal is gone, a late page leaves the keyboard focus to a writer, and a draft survives', async () => {
  const kim = await stage.viewer();
  await stage.signIn(kim, 'kim');
  const { page } = kim;
  await visit(page, '?view=tiers&agent=bob&tab=money');
  const balance = Number(await page.getAttribute('.balance-sum', 'data-balance'));
  await page.locator('.judge .segment', { hasText: 'Penalize' }).click();
  await page.fill('.judge [name="amount"]', String(balance + 1));
  await page.fill('.judge [name="reason"]', 'Broke the fence');
  await page.waitForSelector('.judge button[type="submit"][aria-disabled="true"]');
  await stage.admin.rewardAgent({ agent_id: 'bob', amount: '2', reason: 'Mended another' });
  await page.click('.judge button[type="submit"]:not([aria-disabled="true"])');
  await page.locator('.judge .notice-good', { hasText: 'Taken.' }).waitFor();
  const { promise: shown, resolve: show } = Promise.withResolvers<void>();
  await page.route('**/assets/market-page-*.js', (route) => shown.then(() => route.continue()));
  await visit(page, '?view=market&agent=bob&tab=runs');
  await page.fill('.prompt-form textarea', 'Half');
  show();
  await page.locator('.page h1', { hasText: 'Market' }).waitFor();
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
  await page.keyboard.type(' of a task');
  assert.equal(
    await page.inputValue('.prompt-form textarea'),
    'Half of a task',
    'a late page leaves the keys to the writer',
  );
  await page.click('[data-tab="now"]');
  await page.click('[data-tab="runs"]');
  assert.equal(await page.inputValue('.prompt-form textarea'), 'Half of a task');
  for (const agent of ['ada', 'cleo']) {
    await visit(page, `?view=market&agent=${agent}&tab=chat`);
    await page.waitForSelector('.composer textarea:focus');
  }
  await kim.close();
});

test('when a session ends elsewhere, the page removes its buttons and says so until the person signs in again', async () => {
  const mo = await stage.viewer();
  await stage.signIn(mo, 'mo');
  const { page } = mo;
  await visit(page, '?view=runs');
  await page.locator('.page .empty, .page .run').first().waitFor();
  await stage.admin.endAccountSessions({ account_id: memberId });
  await page.waitForSelector('[data-notice="session-ended"]');
  assert.equal(await page.locator('.account-name').count(), 0);
  await page.locator('.page-locked', { hasText: 'for members' }).waitFor();
  await stage.shot(mo, 'session-ended');
  await stage.signIn(mo, 'mo');
  await page.locator('.page .empty, .page .run').first().waitFor();
  await page.locator('[data-notice="session-ended"]').waitFor({ state: 'detached' });
  await mo.close();
});

test("two viewers see each other's posts, and an unsent text can be sent when the api is back", async () => {
  const [mo, kim] = await Promise.all([stage.viewer(), stage.viewer()]);
  await stage.signIn(mo, 'mo');
  await stage.signIn(kim, 'kim');
  const posted = await stage.admin.createPost({ title: 'Two at one post', body: 'Who is here?', tags: [] });
  const query = `?view=board&post=${posted.post_id}`;
  for (const { page } of [mo, kim]) {
    await visit(page, query);
    await page.waitForSelector('.reply-form textarea');
  }
  await mo.page.fill('.reply-form textarea', 'I am');
  await mo.page.keyboard.press('Control+Enter');
  await kim.page.locator('.reply[data-reply-id]', { hasText: 'I am' }).waitFor();
  await stage.stopApi();
  await kim.page.waitForSelector('.health-reconnecting');
  await kim.page.fill('.reply-form textarea', 'Me too');
  await kim.page.keyboard.press('Control+Enter');
  await kim.page.waitForSelector('.reply-pending[data-pending="refused"]');
  await kim.page.click('[data-action="back"]');
  await stage.startApi();
  await kim.page.waitForSelector('.health-live');
  await visit(kim.page, query);
  await kim.page.locator('.reply-pending button', { hasText: 'Send again' }).click();
  await mo.page.locator('.reply[data-reply-id]', { hasText: 'Me too' }).waitFor();
  await kim.page.locator('.reply-pending').waitFor({ state: 'detached' });
  assert.equal(await mo.page.locator('.reply', { hasText: 'Me too' }).count(), 1);
  await Promise.all([mo.close(), kim.close()]);
});

test('an offline page keeps its data beside an error, and continues without a reload', async () => {
  const visitor = await stage.viewer();
  const { page, context } = visitor;
  await page.goto(`${stage.url}/?view=tiers`);
  await page.waitForSelector('.tier[data-tier="tier-0"]');
  await context.setOffline(true);
  await page.locator('.notice-bad[data-code="unreachable"]').first().waitFor();
  assert.ok((await page.locator('.tier').count()) > 0, 'the last answer stays');
  await context.setOffline(false);
  // Each failed request has its own notice.
  await page.locator('.notice-bad').first().waitFor({ state: 'detached' });
  await visitor.close();
});

test('if the world cannot be loaded, people can still find and open agents', async () => {
  const visitor = await stage.viewer();
  const { page } = visitor;
  await page.route('**/api/v1/world', (route) =>
    route.fulfill({
      status: 503,
      contentType: 'application/problem+json',
      body: JSON.stringify({
        type: 'about:blank',
        title: 'Not there',
        status: 503,
        detail: 'The world is unreachable',
        code: 'unavailable',
        request_id: 'r',
      }),
    }),
  );
  await page.goto(stage.url);
  await page
    .locator('.screen', { hasText: 'The world is unreachable' })
    .waitFor()
    .catch(async (cause: unknown) => {
      throw new Error(`no screen: ${JSON.stringify(await mapState(visitor))}`, { cause });
    });
  await page.click('.agent-row[data-agent-id="bob"]');
  await page.waitForSelector('.inspector .lifecycle');
  await page.unroute('**/api/v1/world');
  await page.waitForSelector('.map[data-figures]');
  await visitor.close();
});

test('the map draws an emote; a tap on an agent opens its panel, and Back closes it', async () => {
  const phone = await stage.viewer({ width: 400, height: 800, phone: true });
  const { page } = phone;
  // A phone shows a part of the village, and bob's home depends on the order of arrival.
  const bob = await stage.admin.raw.getAgent({ agent_id: 'bob' });
  assert.ok(bob.ok, JSON.stringify(bob));
  const { x, y } = bob.data.position;
  await page.goto(`${stage.url}/?x=${x}&y=${y}&z=26`);
  // An emote lasts seconds, so bob waves again until the phone has drawn him: on a busy machine its first frame is late.
  const waves = async (): Promise<void> => {
    const acted = await stage.admin.raw.actAsAgent({ agent_id: 'bob', kind: 'emote', emote: 'wave' });
    assert.ok(acted.ok, JSON.stringify(acted));
  };
  await until(
    'the emote is drawn',
    async () => {
      if ((await figureOf(page, 'bob'))?.emote === 'wave') return true;
      await waves();
      return false;
    },
    { pauseMs: 1000, state: () => mapState(phone) },
  );
  await stage.shot(phone, 'phone');
  // The view may still be moving: a tap hits the agent that has arrived there by then.
  await until(
    'a tap opens an agent',
    async () => {
      if ((await page.locator('.inspector').count()) > 0) return true;
      const at = await figureInTheOpen(page);
      if (at !== undefined) await page.touchscreen.tap(at.x, at.y - 12);
      // The page handles the tap within two frames. A further tap could open another agent, to which Back would return.
      await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
      return false;
    },
    { pauseMs: 1000 },
  );
  assert.match(page.url(), /agent=/);
  await page.goBack();
  await page.locator('.inspector').waitFor({ state: 'detached' });
  await phone.close();
});

test('an admin freezes the village with a reason; every viewer sees the freeze with its proof, no money moves, and the freeze is lifted', async () => {
  const [kim, visitor] = await Promise.all([stage.viewer(), stage.viewer()]);
  await stage.signIn(kim, 'kim');
  await visitor.page.goto(`${stage.url}/?view=tiers`);
  await kim.page.click('[data-action="freeze-everyone"]');
  const waits = await kim.page.getAttribute('.freeze-dialog button[type="submit"]', 'aria-disabled');
  assert.notEqual(waits, 'true', 'an emergency needs no typed reason');
  await stage.shot(kim, 'freeze-dialog');
  await kim.page.fill('[name="freeze-reason"]', 'The treasury leaks');
  await kim.page.click('.freeze-dialog button[type="submit"]');
  await kim.page.waitForSelector('[data-frozen]');
  await visitor.page.locator('[data-frozen]', { hasText: 'The treasury leaks' }).waitFor();
  assert.equal(await visitor.page.locator('[data-action="lift-freeze"]').count(), 0);
  await visitor.page.click('[data-action="freeze-proof"]');
  const state = await stage.admin.getVillageFreeze();
  assert.equal(await visitor.page.getAttribute('[data-proof="transfer"] time', 'datetime'), state.last_transfer_at);
  assert.deepEqual(
    await visitor.page
      .locator('[data-proof]')
      .evaluateAll((lines) => lines.map((line) => line.getAttribute('data-holds'))),
    ['true', 'true', 'true'],
  );
  await stage.shot(visitor, 'frozen');
  const refused = await stage.admin.raw.rewardAgent({ agent_id: 'bob', amount: '1', reason: 'Not now' });
  assert.equal(refused.ok ? 'paid' : refused.problem.code, 'village_frozen');
  await kim.page.click('[data-action="lift-freeze"]');
  await kim.page.click('.freeze-banner button[type="submit"]');
  await kim.page.locator('[data-frozen]').waitFor({ state: 'detached' });
  await visitor.page.locator('[data-frozen]').waitFor({ state: 'detached' });
  await stage.admin.rewardAgent({ agent_id: 'bob', amount: '1', reason: 'Now' });
  await Promise.all([kim.close(), visitor.close()]);
});

test('the inspector takes and returns the focus, a failed panel does not break the page, and single-key shortcuts can be turned off', async () => {
  const visitor = await stage.viewer();
  const { page } = visitor;
  await page.goto(stage.url);
  await page.focus('.agent-row[data-agent-id="bob"]');
  await page.keyboard.press('Enter');
  await page.waitForSelector('.inspector:focus');
  await page.keyboard.press('Escape');
  await page.waitForSelector('.agent-row[data-agent-id="bob"]:focus');
  await page.evaluate(
    `(() => { const { focus } = HTMLElement.prototype; window.mend = () => { HTMLElement.prototype.focus = focus }; HTMLElement.prototype.focus = function (...how) { if (this.matches('.inspector')) throw new Error('a panel that fails, for a test'); return focus.apply(this, how) } })()`,
  );
  await page.click('.agent-row[data-agent-id="bob"]');
  await page.locator('.inspector[role="alert"]', { hasText: 'could not be shown' }).waitFor();
  assert.ok((await page.locator('.agent-row').count()) > 1, 'the rest of the page works');
  await page.evaluate('window.mend()');
  await page.click('.inspector .panel-close');
  await page.click('.agent-row[data-agent-id="bob"]');
  await page.waitForSelector('.inspector .lifecycle');
  await page.keyboard.press('Escape');
  await page.click('.shortcuts');
  await page.keyboard.press('4');
  assert.doesNotMatch(page.url(), /view=/);
  await page.click('.shortcuts');
  await page.keyboard.press('4');
  await page.waitForSelector('.page h1');
  assert.match(page.url(), /view=/);
  await visitor.close();
});

test('the address of a run shows that run, listed or not', async () => {
  const kim = await stage.viewer();
  await stage.signIn(kim, 'kim');
  const runs: string[] = [];
  for (let number = 0; number <= LISTED_RUNS; number++) {
    const made = await stage.admin.raw.createRun({ agent_id: 'cleo', prompt: `Task number ${number}` });
    assert.ok(made.ok, JSON.stringify(made));
    runs.push(made.data.run.run_id);
  }
  const { page } = kim;
  await visit(page, `?view=runs&run=${runs[0]}`);
  await page.locator('.run-page h1', { hasText: /^Task number 0$/ }).waitFor();
  await page.click('[data-action="back"]');
  await page.locator('.page .run', { hasText: `Task number ${LISTED_RUNS}` }).click();
  await page.locator('.run-page h1', { hasText: `Task number ${LISTED_RUNS}` }).waitFor();
  assert.match(page.url(), new RegExp(`run=${runs.at(-1)}`));
  await kim.close();
});

test('after a PayPal payment the page shows the outcome once, and a captured payment clears the form', async () => {
  const standIn = await startPayPalStandIn();
  await stage.stopApi();
  await stage.startApi({ ...standIn.environment, HAMLET_PAYPAL_RATE: '2' });
  const mo = await stage.viewer();
  const { page } = mo;
  await page.route('https://www.sandbox.paypal.com/**', (route) =>
    route.fulfill({ contentType: 'text/html', body: '<h1>Approve</h1>' }),
  );
  await stage.signIn(mo, 'mo');
  await visit(page, '?view=payments');
  await page.selectOption('.pay-card [name="agent"]', 'bob');
  await page.fill('.pay-card [name="amount"]', '7,5');
  await page.locator('.pay-card .preview', { hasText: '15.00 ai$' }).waitFor();
  await stage.shot(mo, 'pay');
  await page.click('.pay-card button[type="submit"]');
  await page.waitForURL(/sandbox\.paypal\.com\/checkoutnow\?token=/);
  const order = [...standIn.books.orders.values()].at(-1);
  assert.deepEqual([order?.customId, order?.value, new URL(order?.returnUrl ?? '').origin], ['bob', '7.50', stage.url]);
  for (const outcome of ['not_approved', 'cancelled', 'failed', 'captured']) {
    await page.goto(`${stage.url}/?view=payments&payment=${outcome}`);
    await page.waitForSelector(`[data-notice="payment"][data-outcome="${outcome}"]`);
    assert.doesNotMatch(page.url(), /payment=/);
    await page.click('[data-notice="payment"] [aria-label="Dismiss"]');
    await page.locator('[data-notice="payment"]').waitFor({ state: 'detached' });
    await page.waitForSelector('.pay-card form');
    assert.equal(await page.inputValue('.pay-card [name="amount"]'), outcome === 'captured' ? '' : '7,5');
  }
  await mo.close();
  await stage.stopApi();
  await stage.startApi();
  await standIn.close();
});

test('the list shows the balances of a thousand agents, draws only the visible rows and can sort by balance', async () => {
  await stage.stopApi();
  await stage.startApi({ HAMLET_SAMPLES_DIR: stage.manyAgents() });
  const visitor = await stage.viewer();
  const { page } = visitor;
  await page.goto(stage.url);
  await until('all are listed', async () => Number(await page.innerText('.agents .count')) >= MANY);
  await stage.admin.rewardAgent({ agent_id: 'bob', amount: '2', reason: 'Mended a fence' });
  assert.ok((await page.locator('.agent-row').count()) < 80, 'few rows are drawn');
  await page.evaluate(
    `(() => { const list = document.querySelector('.agents-list'); list.scrollTop = list.scrollHeight; })()`,
  );
  await page.waitForSelector('.agent-row[data-agent-id="fay"]');
  await page.locator('.agent-row[data-agent-id="fay"] .agent-balance', { hasText: 'ai$' }).waitFor();
  await page.selectOption('.agents-order', 'richest');
  await page.evaluate(`document.querySelector('.agents-list').scrollTop = 0`);
  const balances = await until('balances are known', async () => {
    const read = await page
      .locator('.agent-balance')
      .evaluateAll((cells) => cells.map((cell) => Number(cell.getAttribute('data-balance'))));
    return (read[0] ?? 0) > 0 && read;
  });
  assert.deepEqual(
    balances,
    balances.toSorted((left, right) => right - left),
  );
  await page.fill('#agents-filter', 'agent-0999');
  await page.locator('.agent-row[data-agent-id="agent-0999"]').click();
  await page.waitForSelector('.inspector h2');
  await stage.shot(visitor, 'thousand');
  await visitor.close();
});
