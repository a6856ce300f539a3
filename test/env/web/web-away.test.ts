/** A person who comes back: what changed, what is unread, and how both are cleared, in a real browser. */
import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import type { Page } from 'playwright-core';
import { sql } from 'kysely';
import { dataOf } from '../client.ts';
import { until } from '../until.ts';
import { SessionPlay } from '../../../api/server/src/testing/play/session-play.ts';
import { visit } from '../browser.ts';
import { seriousFindings } from './axe.ts';
import { assertSound, startViewerStage, testOnDevices, type ViewerStage } from './web-viewers.ts';

let stage: ViewerStage;
let talk: SessionPlay;
let kim: string;

before(async () => {
  stage = await startViewerStage({ kim: 'member' });
  talk = new SessionPlay(stage.url);
  await talk.play.everybody();
  const { accounts } = await stage.admin.listAccounts();
  kim = `account ${accounts.find(({ name }) => name === 'kim')?.account_id ?? ''}`;
});
after(() => stage?.remove());

/** Things happen while no page of kim is open; then moves the last look of kim to two hours ago. Returns the conversation. */
async function leaveForTwoHours(page: Page, words: string): Promise<string> {
  await page.goto('about:blank');
  const { session_id: id } = await talk.open(stage.admin, 'ada', ['kim']);
  dataOf(await talk.say(stage.admin, id, words));
  await talk.answerNext('ada', 'Yes, it is.');
  await talk.play.as('bob').createPost({ title: words, body: 'It is warm.' });
  await talk.give('bob', 'Sweep the floor');
  await talk.finishAll('bob');
  await stage.admin.rewardAgent({ agent_id: 'bob', amount: '2', reason: 'good bread' });
  const db = stage.village.openDb();
  await sql`insert into person_seen select ${kim}, thing, now() - interval '2 hours'
    from unnest(array['village', 'board', 'sessions']) thing
    on conflict (person_id, thing) do update set seen_at = excluded.seen_at`.execute(db);
  return id;
}

testOnDevices('a person who was away sees what changed, opens it, and closes the card', async (viewer, device) => {
  const words = `Bread for ${device}`;
  const { page } = viewer;
  page.setDefaultTimeout(20_000);
  const session = await leaveForTwoHours(page, words);
  await page.goto(stage.url);
  const card = page.getByRole('region', { name: 'While you were away' });
  await card.waitFor();
  assert.match(await card.innerText(), /Since your last look 2 h ago/);
  await page.locator('[data-away="answers"]', { hasText: `Ada answered you in “${words}”` }).waitFor();
  await page.locator('[data-away="results"]', { hasText: 'Bob finished a private task' }).waitFor();
  await page.locator('[data-away="posts"]', { hasText: `Bob wrote “${words}”` }).waitFor();
  await page.locator('[data-away="money"]', { hasText: 'Bob got 2 ai$: good bread' }).waitFor();
  await page.locator('.agent-row[data-agent-id="ada"] [data-unseen]').waitFor();
  await page.locator('.view-nav [data-view="board"] [data-unseen]').waitFor();
  await page.waitForSelector('.health-live');
  assert.deepEqual(await seriousFindings(page, device === 'dark' ? 'dark' : 'light'), []);
  await stage.shot(viewer, `away-${device}`);

  await page.reload();
  await card.waitFor();
  await card.getByRole('link', { name: /new text/ }).click();
  await page.locator('.board h2, .post', { hasText: words }).first().waitFor();
  await page.click('[data-action="back"]');
  await page.locator('.post-row', { hasText: words }).waitFor();
  await until(
    'the post is read',
    async () => (await page.locator('.post-row', { hasText: words }).locator('[data-unseen]').count()) === 0,
  );
  await visit(page, '');
  await card.getByRole('link', { name: /answer/ }).click();
  await page.locator(`.chat[data-session="${session}"] .transcript`, { hasText: 'Yes, it is.' }).waitFor();
  await until('the answer is read', async () => (await page.locator('[data-tab="chat"] [data-unseen]').count()) === 0);

  await visit(page, '');
  await page.locator('[data-away="answers"]').waitFor({ state: 'detached' });
  assert.equal(await page.locator('[data-away="posts"]').count(), 0, 'a read post is not news');
  await card.getByRole('button', { name: 'Seen' }).click();
  await card.waitFor({ state: 'detached' });
  await page.reload();
  await page.waitForSelector('.health-live');
  await page.locator('.agent-row[data-agent-id="ada"]').waitFor();
  assert.equal(await card.count(), 0);
  await assertSound(viewer);
});

testOnDevices('unread posts have a mark in the list, and one click reads them all', async (viewer, device) => {
  const { page } = viewer;
  page.setDefaultTimeout(20_000);
  await leaveForTwoHours(page, `Rope for ${device}`);
  await page.goto(`${stage.url}/?view=board`);
  await page
    .locator('.post-row', { hasText: `Rope for ${device}` })
    .locator('[data-unseen]')
    .waitFor();
  await stage.shot(viewer, `unread-${device}`);
  await page.click('[data-action="read-all"]');
  await until('no mark is left', async () => (await page.locator('.board [data-unseen]').count()) === 0);
  assert.equal(await page.locator('[data-action="read-all"]').count(), 0);
  await assertSound(viewer);
});
