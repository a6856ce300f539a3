/** In a real browser: the panel of an agent opens on its timeline, which a person narrows to a kind or a conversation, and which stays up to date. */
import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import { dataOf } from '../client.ts';
import { visit } from '../browser.ts';
import { SessionPlay } from '../../../api/server/src/testing/play/session-play.ts';
import { startViewerStage, testOnDevices, type ViewerStage } from './web-viewers.ts';

let stage: ViewerStage;
let talk: SessionPlay;
let run = '';

before(async () => {
  stage = await startViewerStage({ kim: 'admin' });
  talk = new SessionPlay(stage.url);
  await talk.play.everybody();
  const { admin } = talk.play;
  await admin.rewardAgent({ agent_id: 'ada', amount: '40', reason: 'good bread' });
  const item = { kind: 'quota', limit: 'requests_per_minute', amount: 10 } as const;
  await talk.play.as('ada').buyCompute({ item, seconds: 600 });
  await talk.play.as('ada').createPost({ title: 'Bread for all', body: 'It is warm.' });
  run = await talk.started('ada');
  dataOf(await talk.settle('ada', run, { state: 'done', summary: 'Looked.' }));
});
after(() => stage?.remove());

testOnDevices('the panel opens on everything of the agent, narrows it, and follows it', async (viewer, name) => {
  const { page } = viewer;
  page.setDefaultTimeout(30_000);
  await visit(page, '?agent=ada');
  const list = page.locator('.timeline');
  const line = (text: string) => list.locator('li', { hasText: text });
  await line('Finished “Look around.”').waitFor();
  await line('Wrote “Bread for all” on the board').waitFor();
  await line('Bought 10 more requests a minute').waitFor();
  await line('Got 40 ai$: good bread').waitFor();
  await line('Changed its tier to tier-').first().waitFor();
  await stage.shot(viewer, `timeline-${name}`);

  const { session_id: sessionId } = await talk.open(talk.play.admin, 'ada', ['kim']);
  dataOf(await talk.say(talk.play.admin, sessionId, `Hello from ${name}`));
  await line(`Will work on “Hello from ${name}”`).waitFor();
  await page.locator('[data-choice="post"]').click();
  await line('Got 40 ai$').waitFor({ state: 'detached' });
  await line('Bread for all').waitFor();
  assert.equal(await list.locator('li').count(), 1);
  await page.locator('[data-choice="session"]').click();
  await list.locator(`.conversation-row[data-session="${sessionId}"]`).click();
  await page.locator('.exchange .bubble', { hasText: `Hello from ${name}` }).waitFor();
  await page.click('[data-action="back"]');
  await page.locator('[data-choice="run"]').click();
  await line('“Look around.”').locator('button').click();
  await page.waitForURL(new RegExp(`run=${run}`));
});
