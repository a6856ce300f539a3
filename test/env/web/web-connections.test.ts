/** In a real browser: a member makes and revokes an API key, and links and unlinks a messenger. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before } from 'node:test';
import { inTransaction, linkIdentity } from '@hamlet/store';
import { refuses } from '../client.ts';
import { clientOf } from '../../../api/server/src/testing/test-village.ts';
import { startViewerStage, testOnDevices, type ViewerStage } from './web-viewers.ts';

const ADA = readFileSync(new URL('../../../crds/samples/good-agent-ada.yaml', import.meta.url), 'utf8');

let stage: ViewerStage;

before(async () => {
  const ada = `${ADA.trimEnd()}\n  channels: { telegram: { secretName: ada-telegram } }\n`;
  stage = await startViewerStage({ kim: 'member', agents: { ada } });
});
after(() => stage?.remove());

testOnDevices(
  'a member makes an API key in the account menu, a program acts with it, and the member revokes it',
  async (viewer, device) => {
    const { page } = viewer;
    await page.click('.account-name');
    await page.click('[data-action="connections"]');
    await page.waitForSelector('.page h1:text("Connections")');
    const name = `script of a ${device}`;
    await page.click('[data-action="new-key"]');
    assert.equal(await page.locator('input[name="manage"]').count(), 0, 'a member is offered no scope of admins');
    await page.fill('input[name="name"]', name);
    await page.check('input[name="board"]');
    await page.click('button:text("Create the key")');
    const token = (await page.locator('[data-token]').textContent()) ?? '';
    assert.match(token, /^hk_[\w-]{43}$/);
    const program = clientOf(stage.url, token);
    const { post } = await program.createPost({ title: 'By a program', body: 'Written with a key.' });
    assert.equal(post.author_name, 'kim');
    await stage.shot(viewer, `connections-${device}`);
    await page.click('.key-new button:text("Back")');
    const row = page.locator(`[data-key="${name}"]`);
    await row.getByText('read, board').waitFor();
    await row.locator('button').click();
    await row.getByRole('button', { name: `Revoke ${name}`, exact: true }).click();
    await row.waitFor({ state: 'detached' });
    await refuses(program.getMe(), 'token_invalid');
  },
);

testOnDevices('a member links a messenger with a code, sees it appear, and unlinks it', async (viewer, device) => {
  const { page } = viewer;
  await page.click('.account-name');
  await page.click('[data-action="connections"]');
  await page.click('[data-action="new-code"]');
  assert.match((await page.locator('[data-code]').textContent()) ?? '', /^[A-Z2-7]{10}$/);
  await page.getByText('ada at Telegram').waitFor();
  await stage.shot(viewer, `messengers-${device}`);
  const name = `Kim of a ${device}`;
  const db = stage.village.openDb();
  const kim = await db.selectFrom('account').select('account_id').where('name', '=', 'kim').executeTakeFirstOrThrow();
  const sender = { channel: 'telegram', externalId: device, name } as const;
  await inTransaction(db, (tx) => linkIdentity(tx, sender, kim.account_id));
  const row = page.locator(`[data-link="${name}"]`);
  await row.waitFor();
  assert.equal(await page.locator('[data-code]').count(), 0, 'a code works once');
  await stage.shot(viewer, `messenger-linked-${device}`);
  await row.locator('button').click();
  await row.getByRole('button', { name: `Unlink ${name}`, exact: true }).click();
  await row.waitFor({ state: 'detached' });
  assert.deepEqual(await db.selectFrom('channel_identity').selectAll().execute(), []);
});
