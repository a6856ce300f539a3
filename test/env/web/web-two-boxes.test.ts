/**
 * A person with two boxes in a real browser: from a character to a paid task that Telegram gave, and from the first page
 * to the agent that makes a box slow.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import type { SentMessage } from '../../../api/server/src/channels/testing/bot-api-server.ts';
import { visit, type TestBrowser } from '../browser.ts';
import { personsWords } from '../minds/persons-words.ts';
import { until } from '../until.ts';
import { BOT_SECRET, startTwoBoxes } from './two-boxes.ts';
import { assertSound, DEVICES } from './web-viewers.ts';

const MODEL = 'Qwen/Qwen3-30B-A3B';
const GIB = 2 ** 30;
type Shoot = (name: string) => Promise<void>;
const TASK = 'Write the price of rye bread into a file, deliver it, and post it on the board.';
const ANSWER = 'The price is in prices.csv and on the board.';

/** The calls of the model in its task, one per answer. */
const CALLS = [
  ['shell', { command: `printf 'bread,price\\nrye,4.20\\n' > prices.csv` }],
  ['deliver', { kind: 'file', path: 'prices.csv' }],
  ['post_to_board', { title: 'Rye bread', body: 'It costs 4.20.' }],
] as const;

const boxes = await startTwoBoxes({
  vllm: {
    model: MODEL,
    answer: ({ messages = [], tools = [] }) => {
      const last = messages.findLastIndex(({ role }) => role === 'user');
      if (tools.length === 0 || personsWords(String(messages[last]?.content)) !== TASK) return null;
      const done = messages.slice(last).filter(({ role }) => role === 'tool').length;
      const [name, input] = CALLS[done] ?? [];
      if (name === undefined) return { text: [ANSWER] };
      return { calls: [{ id: `call-${done}`, name, pieces: [JSON.stringify(input)] }] };
    },
  },
  loadOf: (agentId) =>
    agentId === 'hugo'
      ? { cores: 15, memoryBytes: 104 * GIB, memoryPressure: 38 }
      : { cores: 0.2, memoryBytes: GIB, memoryPressure: 0 },
});
Object.assign(boxes.vllm.load, { running: 7, waiting: 2, kvCacheUsed: 0.62 });
await boxes.account('kim', 'admin');

/** Waits for the next message of the bot to a chat, and takes it. */
async function received(chatId: number): Promise<SentMessage> {
  return until('a message of the bot', () => {
    const at = boxes.telegram.sent.findIndex((message) => message.chatId === chatId);
    return at === -1 ? null : boxes.telegram.sent.splice(at, 1)[0];
  });
}

async function makeRita(page: Page, shoot: Shoot): Promise<void> {
  await visit(page, '');
  await shoot('first-page');
  await page.click('[data-action="new-agent"]');
  await page.click('[data-start="researcher"]');
  await page.fill('[name="displayName"]', 'Rita');
  await page.fill('[name="channels.telegram.secretName"]', BOT_SECRET);
  await page.locator('[data-check="accepted"]').waitFor();
  await shoot('new-agent');
  await page.click('.agent-send button[type="submit"]');
  await page.click('[data-made="rita"] [data-action="show-agent"]:enabled');
  await page.locator('.inspector h2', { hasText: 'Rita' }).waitFor();
  await page.waitForSelector('.agent-row[data-agent-id="rita"][data-state="Online"]', { state: 'attached' });
  await shoot('agent-online');
}

async function connectVllm(page: Page, shoot: Shoot): Promise<void> {
  await visit(page, '');
  await page.click('[data-notice="connect"] [data-action="open-models"]');
  await page.click('[data-action="connect"]');
  await page.selectOption('.connect-form [name="kind"]', 'vllm');
  await page.fill('.connect-form [name="address"]', boxes.vllm.url);
  await page.click('[data-action="find-models"]');
  await page.waitForSelector('[data-offered="1"]');
  assert.equal(await page.locator('[name="provider-name"]').first().inputValue(), MODEL);
  await page.click('[data-action="test-connection"]');
  await page.waitForSelector('.connect-form [data-test="ok"]');
  await shoot('connect');
  await page.click('.connect-form button[type="submit"]');
  const card = page.locator('.provider-card[data-provider="vllm"]');
  await card.locator('.badge-good', { hasText: 'Works' }).waitFor();
  await card.locator('[data-state="serves"]', { hasText: 'Busy' }).waitFor();
  await shoot('connected');
}

async function linkTelegram(page: Page, chat: number): Promise<void> {
  await page.click('.account-name');
  await page.click('[data-action="connections"]');
  await page.click('[data-action="new-code"]');
  boxes.telegram.write(chat, (await page.locator('[data-code]').textContent()) ?? '');
  const asked = await received(chat);
  boxes.telegram.press(chat, asked.buttons.find(({ text }) => text === 'Link')?.data ?? '');
  assert.match((await received(chat)).text, /^Linked to the account kim/);
  await page.waitForSelector(`[data-link="Person ${chat}"]`);
}

/** The whole conversation with the bot: the task, the permission, the result with its file. */
async function workByTelegram(chat: number): Promise<void> {
  const { telegram } = boxes;
  telegram.write(chat, `/pay 2.5 ${TASK}`);
  assert.match((await received(chat)).text, /^2\.5 ai\$ are held for this/);
  const asked = await received(chat);
  assert.match(asked.text, /^May I call post_to_board\? People see it/);
  telegram.press(chat, asked.buttons.find(({ text }) => text === 'Allow')?.data ?? '');
  assert.equal((await received(chat)).text, ANSWER);
  const file = await until('the file', () => telegram.files.pop());
  assert.deepEqual([file.chatId, file.name, file.text], [chat, 'prices.csv', 'bread,price\nrye,4.20\n']);
}

async function payInTheWeb(page: Page, shoot: Shoot): Promise<void> {
  await page.click('.needs-link');
  const need = page.locator('[data-need="result"]');
  await need.waitFor();
  await shoot('needs');
  await need.locator('[data-action="remedy"]').click();
  await need.waitFor({ state: 'detached' });
  await visit(page, '?agent=rita');
  await page.locator('.timeline [data-entry="run"]').first().waitFor();
  await shoot('timeline');
  await page.locator('.timeline [data-entry="run"] button').first().click();
  await page.waitForSelector('.run-page .run-offer[data-offer="paid"]');
  const isNarrow = await page.evaluate<boolean>('innerWidth < 760');
  assert.equal(
    await page.locator('.inspector').count(),
    isNarrow ? 0 : 1,
    'on a phone the panel makes way for the page',
  );
  await page.locator('.artifact', { hasText: 'prices.csv' }).locator('[data-action="open-artifact"]').click();
  await page.locator('.artifact', { hasText: '4.20' }).waitFor();
  await shoot('paid');
  await visit(page, '?view=ledger&who=rita');
  await page.locator('.page', { hasText: '2.50 ai$' }).waitFor();
  await shoot('ledger');
}

async function forget(): Promise<void> {
  await boxes.admin.deleteModelCredential({ name: 'vllm' });
  await boxes.admin.deleteAgent({ agent_id: 'rita', confirm: 'rita', volume: 'delete' });
  await until('rita is gone', async () => !(await boxes.admin.raw.getAgent({ agent_id: 'rita' })).ok);
}

/** Walks a journey on a desktop and on a phone. */
function onDevices(title: string, walk: (viewer: TestBrowser, shoot: Shoot, chat: number) => Promise<void>): void {
  for (const [at, [device, options]] of DEVICES.entries())
    if (device !== 'dark')
      test(`${title}: ${device}`, async (context) => {
        const viewer = await boxes.viewer(options);
        context.after(() => viewer.close());
        await boxes.signIn(viewer, 'kim');
        await walk(viewer, (name) => boxes.shot(viewer, `boxes-${name}-${device}`), 1_000 + at);
        await assertSound(viewer);
      });
}

onDevices('a character on the own GPU works for money from Telegram, and is paid', async ({ page }, shoot, chat) => {
  await makeRita(page, shoot);
  await connectVllm(page, shoot);
  await linkTelegram(page, chat);
  await workByTelegram(chat);
  await payInTheWeb(page, shoot);
  await forget();
});

onDevices('from the first page to the agent that makes a box slow, and its remedy', async ({ page }, shoot) => {
  const { admin } = boxes;
  if (!(await admin.raw.awakenAgent({ agent_id: 'hugo' })).ok)
    await admin.createAgent({ agent_id: 'hugo', spec: { displayName: 'Hugo' } });
  await until('a node is short', async () =>
    (await admin.listNodeFigures()).nodes.some(({ memory }) => memory.pressure_percent === 38),
  );
  await page.goto(boxes.url);
  await page.locator('[data-notice="slow-node"]', { hasText: /is slow\. Work waited for memory/ }).waitFor();
  await shoot('slow');
  await page.click('[data-action="open-nodes"]');
  const card = page.locator('.node-card', { has: page.locator('[data-user="hugo"]') });
  await card.locator('.node-finding', { hasText: 'hugo uses the most, 104 GiB.' }).waitFor();
  assert.match(await page.locator('.node-card[data-node="sparky1"]').innerText(), /NVIDIA GB10[^]*71 %[^]*63 °C/);
  await shoot('slow-node');
  await card.locator('[data-user="hugo"] [data-verb="suspend"]').click();
  await page.locator('[data-user="hugo"] [data-verb="suspend"]').waitFor({ state: 'detached' });
  await shoot('slow-suspended');
  await page.locator('.node-finding', { hasText: 'Nothing is short.' }).nth(1).waitFor();
  assert.equal(await page.locator('[data-user="hugo"]').count(), 0, 'its pod is gone');
  assert.equal((await admin.getAgent({ agent_id: 'hugo' })).power, 'Asleep');
  await shoot('slow-no-more');
});
