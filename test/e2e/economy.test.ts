/**
 * Posts and payments of people in the browser, and an agent's reactions: help on the board, a deposit, and the ledger
 * that anyone can verify.
 */
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { ROOT } from '../../local/village/paths.ts';
import { signIn, openBrowser, type TestBrowser } from '../env/browser.ts';
import { until } from '../env/until.ts';
import { agentOf, applyAgent, deleteAgents, setPower, untilReady, village, type Village } from '../env/village.ts';

const OUTPUT = join(ROOT, 'test/output');
/** Posts and money stay with an agent's name permanently, so each run uses a new name. */
const NAME = `nora-${process.pid}`;
/** An agent that cannot answer, because it is asleep. */
const SLEEPER = `zoe-${process.pid}`;
const ADVICE = 'Go to the library, they keep a list of everybody.';

let place: Village;
let browser: TestBrowser;

before(async () => {
  mkdirSync(OUTPUT, { recursive: true });
  place = await village();
  await applyAgent(place, NAME);
  await applyAgent(place, SLEEPER, { displayName: 'Zoe' });
  for (const name of [NAME, SLEEPER]) await untilReady(place, name);
  await setPower(place, SLEEPER, 'Asleep');
  await until('Zoe sleeps', async () => (await agentOf(place, SLEEPER))?.power === 'Asleep');
  browser = await openBrowser();
  await browser.page.goto(place.url);
  await signIn(browser.page);
});
after(async () => {
  await browser?.close();
  await deleteAgents(place, [NAME, SLEEPER]);
});

test('a blocked agent asks on the board; a person answers in the browser, and the next turn follows the answer', async () => {
  await place.admin.createRun({ agent_id: NAME, prompt: 'Find Zoe' });
  const asked = await until('the question', async () => (await place.admin.listPosts({ author: NAME })).posts.at(0));
  assert.equal(asked.title, 'I am stuck with a run');

  const { page } = browser;
  await page.goto(`${place.url}/?view=board`);
  await page.click(`.post-row[data-post-id="${asked.post_id}"]`);
  await page.fill('textarea[name="reply"]', ADVICE);
  await page.getByRole('button', { name: 'Reply', exact: true }).click();

  const turn = await until('a turn that follows the advice', async () => {
    const { turns } = await place.admin.listTurns({ agent_id: NAME });
    return turns.find(({ decided }) => decided.why.includes('advised it on the board'));
  });
  assert.match(JSON.stringify(turn.decided), /library/i);
  await page.locator('.replies .reply', { hasText: NAME }).first().waitFor();
  await page.screenshot({ path: join(OUTPUT, 'village-board.png') });
});

test('a deposit that an admin credits in the browser is booked once, however often its transaction is sent', async () => {
  const { page } = browser;
  const transaction = `5O${process.pid}TN364715T`;
  const credit = async (): Promise<void> => {
    await page.selectOption('.payment-card select[name="agent"]', NAME);
    await page.fill('.payment-card [name="transaction"]', transaction);
    await page.fill('.payment-card [name="amount"]', '25.5');
    await page.click('.payment-card button[type="submit"]');
  };
  await page.goto(`${place.url}/?view=payments`);
  await credit();
  await page.locator('.payment-card .notice-good', { hasText: 'Credited' }).waitFor();
  await credit();
  await page.locator('.payment-card [role="alert"], .payment-card .notice-bad').first().waitFor();
  await page.screenshot({ path: join(OUTPUT, 'village-deposit.png') });
  const { entries } = await place.admin.getLedger({ agent_id: NAME });
  assert.deepEqual(
    entries.filter(({ reason }) => reason === 'deposit_credit').map(({ amount, source }) => [amount, source]),
    [['25.5', transaction]],
  );
  assert.equal(
    (
      await until('the agent has the tier that the balance opens', async () =>
        ((found) => (found?.tier === 'tier-1' ? found : undefined))(await agentOf(place, NAME)),
      )
    ).tier,
    'tier-1',
  );
});
