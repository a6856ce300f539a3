/** In a real browser: a member makes an API key, a program uses it, and the member revokes it. */
import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import { refuses } from '../client.ts';
import { clientOf } from '../../../api/server/src/testing/test-village.ts';
import { startViewerStage, testOnDevices, type ViewerStage } from './web-viewers.ts';

let stage: ViewerStage;

before(async () => {
  stage = await startViewerStage({ kim: 'member' });
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
