import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '../../until.ts';
import { visit } from '../../browser.ts';
import { page, shot, signedIn, url } from './stage.ts';

/** The number in an attribute of the first element that matches; undefined while there is none. */
async function numberAt(selector: string, attribute: string): Promise<number | undefined> {
  const text = await page.locator(selector).first().getAttribute(attribute, { timeout: 1_000 });
  return text === null || text === '' ? undefined : Number(text);
}

test('a reward raises the shown balance, and the form previews what it opens', async () => {
  await signedIn();
  await page.goto(`${url}/?view=tiers&agent=bob&tab=money`);
  await page.waitForSelector('.balance-sum[data-balance]');
  const before = await until('the balance', () => numberAt('.balance-sum', 'data-balance'));
  await page.fill('.judge [name="amount"]', '12,5004');
  await page.fill('.judge [name="reason"]', 'Carried the water without being asked');
  await page.waitForSelector('.preview[data-preview="tier-1"]');
  await page.click('.judge button[type="submit"]');
  await page.waitForSelector('.judge .notice-good');
  await until('the balance rises', async () => (await numberAt('.balance-sum', 'data-balance')) === before + 12.5004);
  assert.match(await page.innerText('.balance-sum'), /\.\d\d ai\$$/, 'rounded, with all digits on the pointer');
  await page.locator('.entries .entry', { hasText: 'Carried the water' }).first().waitFor();
  await shot('money');
  await page.click('[data-tab="now"]');
  await until(
    'the facts say so too',
    async () => (await numberAt('.facts [data-balance]', 'data-balance')) === before + 12.5004,
  );
});

test('text that a person writes while a reward is under way stays', async () => {
  await page.click('[data-tab="money"]');
  const [asked, answer] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  await page.route('**/economy/reward', async (route) => {
    asked.resolve();
    await answer.promise;
    await route.continue();
  });
  await page.fill('.judge [name="amount"]', '1');
  await page.fill('.judge [name="reason"]', 'Swept the square');
  await page.click('.judge button[type="submit"]');
  await asked.promise;
  await page.fill('.judge [name="reason"]', 'Fed the geese');
  answer.resolve();
  await page.locator('.entries .entry', { hasText: 'Swept the square' }).first().waitFor();
  assert.equal(await page.inputValue('.judge [name="reason"]'), 'Fed the geese');
  await page.unrouteAll();
});

test('the form refuses a penalty above the balance before it sends a request', async () => {
  await page.click('[data-tab="money"]');
  await page.locator('.judge .segment', { hasText: 'Penalize' }).click();
  await page.fill('.judge [name="amount"]', '5000');
  await page.waitForSelector('[data-preview="too-much"]');
  await page.fill('.judge [name="reason"]', 'A test of the limits');
  await page.waitForSelector('.judge button[type="submit"][aria-disabled="true"]');
});

test('a prompt becomes a run, which the resident starts and settles', async () => {
  await visit(page, '?view=runs&agent=ada&tab=now');
  await page.click('[data-action="give-task"]:has-text("Give Ada a task")');
  await page.fill('.prompt-form [name="prompt"]', 'Go to the library.');
  await page.selectOption('.prompt-form [name="safe-mode"]', 'dry_run');
  await shot('safe-mode');
  await page.click('.prompt-form button[type="submit"]');
  await page.locator('.run-page h1', { hasText: 'Go to the library.' }).waitFor();
  await page.locator('.run-page .course [data-event="queued"]').waitFor();
  const id = await page.getAttribute('.run-page', 'data-run-id');
  assert.match(page.url(), new RegExp(`view=runs&run=${id}`), 'a run has an address of its own');
  await page.waitForSelector('.run-page[data-state="done"] .run-summary');
  await page.waitForSelector('.run-page .course [data-event="settled"]');
  await page.waitForSelector('.run-page [data-safe-mode="dry_run"]');
  await shot('agent-runs');
  await page.click('.inspector [data-action="all-runs"]');
  await page.waitForSelector(`.page .run[data-run-id="${id}"]`);
  assert.match(page.url(), /view=runs&who=ada/);
  await page.click('[data-choice="failed"]');
  // Wait for the list: "Loading…" is not one.
  await page
    .locator('.page .empty', { hasText: 'No runs match.' })
    .or(page.locator('.page .run[data-state="failed"]'))
    .first()
    .waitFor();
  assert.deepEqual(
    await page
      .locator('.page .runs > .run')
      .evaluateAll((runs) => runs.map((run) => run.getAttribute('data-state')).filter((state) => state !== 'failed')),
    [],
  );
  await page.click('[data-choice="done"]');
  await page.waitForSelector(`.page .run[data-run-id="${id}"]`);
  await shot('runs');
});

test('a quarantine needs a reason, shows actor, reason and time, and can be lifted', async () => {
  await visit(page, '?view=tiers&agent=bob&tab=standing');
  await page.click('[data-measure="quarantine"][data-held="false"] .button');
  assert.equal(
    await page.getAttribute('.measure-form button[type="submit"]', 'aria-disabled'),
    'true',
    'nothing happens without a reason',
  );
  await page.fill('.measure-form [name="reason"]', 'Sells the same bread twice');
  await page.selectOption('.measure-form [name="term"]', 'hour');
  await page.click('.measure-form button[type="submit"]');
  await page.waitForSelector('[data-measure="quarantine"][data-held="true"]');
  assert.match(
    await page.innerText('[data-measure="quarantine"]'),
    /Sells the same bread twice[^]*by you[^]*until .+ \(in /,
  );
  await page.locator('.inspector .held', { hasText: 'Sells the same bread twice' }).waitFor();
  await page.locator('.agent-head .badge', { hasText: 'Quarantined' }).waitFor();
  await shot('quarantined');
  await page.click('[data-measure="quarantine"] .button');
  await page.click('.measure-form button[type="submit"]');
  await page.waitForSelector('[data-measure="quarantine"][data-held="false"]');
  await page.locator('.agent-head .badge:not(:has-text("Quarantined"))').waitFor();
  await page.locator('.inspector .held').waitFor({ state: 'detached' });
});

test('the schedule form shows the next times and errors while a person types', async () => {
  await visit(page, '?view=schedules');
  await page.click('[data-action="new-schedule"]');
  await until('five times ahead', async () => (await page.locator('.ahead [data-slot]').count()) === 5);
  await page.locator('.schedule-form .segment', { hasText: 'Every' }).click();
  await page.fill('[name="every"]', '10s');
  await until('times ten seconds apart', async () => {
    const slots = await page
      .locator('.ahead [data-slot]')
      .evaluateAll((rows) => rows.map((row) => Date.parse(row.getAttribute('data-slot') ?? '')));
    return slots.length === 5 && slots.slice(1).every((slot, index) => slot - (slots[index] ?? 0) === 10_000);
  });
  await page.locator('.schedule-form .segment', { hasText: 'Cron' }).click();
  await page.fill('[name="cron"]', '99 * * * *');
  await page.locator('.ahead .field-problem', { hasText: 'five cron fields' }).waitFor();
  await page.fill('[name="said"]', 'every weekday at 9');
  assert.equal(await page.inputValue('[name="daily-at"]'), '09:00');
  assert.equal(await page.locator('.days input:checked').count(), 5, 'days, without fields of cron');
  await until('five times again', async () => (await page.locator('.ahead [data-slot]').count()) === 5);
  await shot('schedule-form');
});

test('a refusal stays beside the text, and Escape asks before it discards the draft', async () => {
  await page.fill('.schedule-form [name="name"]', 'weekday-round');
  await page.selectOption('.schedule-form [name="agent"]', 'ada');
  await page.fill('.schedule-form [name="prompt"]', 'Walk once round the square.');
  await page.click('.schedule-form button[type="submit"]');
  // This village has no cluster for Schedules.
  await page.waitForSelector('.schedule-form .notice-bad[data-code="cluster_needed"]');
  await shot('schedule-refused');
  await page.keyboard.press('Escape');
  await page.locator('.dialog-wide .notice-waiting', { hasText: 'not saved' }).waitFor();
  assert.equal(await page.inputValue('.schedule-form [name="prompt"]'), 'Walk once round the square.');
  await page.locator('.dialog-wide .notice-waiting .button', { hasText: 'Discard' }).click();
  await until('the form is gone', async () => (await page.locator('.dialog-wide').count()) === 0);
});

test('tiers are shown as a ladder, with the agents of each and their nodes', async () => {
  await visit(page, '?view=tiers');
  await page.waitForSelector('.tier[data-tier="tier-2"]');
  assert.deepEqual(await page.locator('.tier h2').allInnerTexts(), ['tier-2', 'tier-1', 'Free tier-0']);
  await page.waitForSelector('.node[data-node="sparky1"] .face[data-agent="ada"]');
  await shot('tiers');
  await page.click('.node .face[data-agent="ada"]');
  await page.locator('.inspector h2', { hasText: 'Ada' }).waitFor();
});

test("pages can be opened and left by keyboard, and the browser's Back works", async () => {
  await visit(page, '?view=tiers');
  await page.keyboard.press('3');
  await page.locator('.page h1', { hasText: 'Runs' }).waitFor();
  await page.keyboard.press('4');
  await page.locator('.page h1', { hasText: 'Ledger' }).waitFor();
  await page.click('.sub-link[data-view="tiers"]');
  await page.locator('.page h1', { hasText: 'Tiers' }).waitFor();
  await page.goBack();
  await page.locator('.page h1', { hasText: 'Ledger' }).waitFor();
  await page.goBack();
  await page.locator('.page h1', { hasText: 'Runs' }).waitFor();
  await page.keyboard.press('Escape');
  await page.waitForSelector('.agents');
  await visit(page, '?view=runs&agent=ada&tab=now');
  await page.locator('[data-tab="now"]').focus();
  await page.keyboard.press('ArrowRight');
  await page.waitForSelector('[data-tab="mind"][aria-selected="true"]');
});
