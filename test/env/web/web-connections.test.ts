/** In a real browser: a member makes and revokes an API key, links and unlinks a messenger, and confirms an address for mail. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before } from 'node:test';
import { BotApiServer } from '../../../api/server/src/channels/testing/bot-api-server.ts';
import { refuses } from '../client.ts';
import { until } from '../until.ts';
import { startMailServer } from '../../../api/server/src/notices/testing/mail-server.ts';
import { clientOf } from '../../../api/server/src/testing/test-village.ts';
import { startViewerStage, testOnDevices, type ViewerStage } from './web-viewers.ts';

const ADA = readFileSync(new URL('../../../crds/samples/good-agent-ada.yaml', import.meta.url), 'utf8');

const TOKEN = '4711:test-token-of-ada';
const telegram = new BotApiServer(TOKEN);
const mail = await startMailServer();
let senders = 1_000;

let stage: ViewerStage;

before(async () => {
  const ada = `${ADA.trimEnd()}\n  channels: { telegram: { secretName: ada-telegram }, slack: { secretName: none } }\n`;
  stage = await startViewerStage({
    kim: 'member',
    agents: { ada },
    environment: {
      HAMLET_TELEGRAM_URL: await telegram.start(),
      HAMLET_MAIL_HOST: '127.0.0.1',
      HAMLET_MAIL_PORT: String(mail.port),
      HAMLET_MAIL_TLS: 'none',
      HAMLET_MAIL_FROM: 'village@example.org',
    },
    channelTokens: { read: async (name) => (name === 'ada-telegram' ? [TOKEN] : null) },
  });
});
after(async () => {
  await stage?.remove();
  await telegram.remove();
});

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

testOnDevices('a member links a messenger by one tap, sees it appear, and unlinks it', async (viewer, device) => {
  const { page } = viewer;
  await page.click('.account-name');
  await page.click('[data-action="connections"]');
  await page.click('[data-action="new-code"]');
  const code = (await page.locator('[data-code]').textContent()) ?? '';
  assert.match(code, /^[A-Z2-7]{10}$/);
  await page.getByText('ada at Telegram, ada at Slack').waitFor();
  const taps = page.locator('[data-bot]');
  assert.equal(await taps.count(), 1, 'no page of Slack takes a code');
  assert.equal(await taps.getAttribute('href'), `https://t.me/ada_bot?start=${code}`);
  await stage.shot(viewer, `messengers-${device}`);
  // The messenger sends this after the tap.
  const from = (senders += 1);
  const name = `Person ${from}`;
  telegram.write(from, `/start ${code}`);
  const asked = await until('the question of the bot', () => telegram.sent.find(({ chatId }) => chatId === from));
  telegram.press(from, asked.buttons.find(({ text }) => text === 'Link')?.data ?? '');
  const row = page.locator(`[data-link="${name}"]`);
  await row.waitFor();
  assert.equal(await page.locator('[data-code]').count(), 0, 'a code works once');
  await stage.shot(viewer, `messenger-linked-${device}`);
  await row.locator('button').click();
  await row.getByRole('button', { name: `Unlink ${name}`, exact: true }).click();
  await row.waitFor({ state: 'detached' });
  assert.deepEqual(await stage.village.openDb().selectFrom('channel_identity').selectAll().execute(), []);
});

testOnDevices(
  'a member confirms an address with the code that it receives, and chooses when mail comes',
  async (viewer, device) => {
    const { page } = viewer;
    const db = stage.village.openDb();
    const address = `kim@${device}.example`;
    await page.click('.account-name');
    await page.click('[data-action="connections"]');
    await page.fill('input[name="address"]', address);
    await page.click('button:text("Send a code")');
    await page.getByText(`Code that ${address} received`).waitFor();
    const letter = mail.mails.find(({ to }) => to.includes(address));
    await stage.shot(viewer, `mail-code-${device}`);
    await page.fill('input[name="code"]', 'AAAAAAAAAA');
    await page.click('button:text("Confirm")');
    await page.getByText('The code is wrong, used or expired').waitFor();
    await page.fill('input[name="code"]', (/[A-Z2-7]{10}/.exec(letter?.text ?? '')?.[0] ?? '').toLowerCase());
    await page.click('button:text("Confirm")');
    await page.locator('[data-mail]').getByText(address).waitFor();
    await page.selectOption('select[name="wants"]', 'morning');
    const wants = () => db.selectFrom('notice_target').select(['address', 'wants']).execute();
    await until('the choice', async () => (await wants())[0]?.wants === 'morning');
    await stage.shot(viewer, `mail-${device}`);
    await page.click('[data-action="forget-mail"]');
    await page.locator('[data-mail]').waitFor({ state: 'detached' });
    assert.deepEqual(await wants(), []);
    // A person can have one code sent a minute; the next device belongs to the same person.
    await db
      .updateTable('notice_code')
      .set({ sent_at: new Date(Date.now() - 120_000) })
      .execute();
  },
);
