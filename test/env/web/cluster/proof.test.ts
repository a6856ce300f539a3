import assert from 'node:assert/strict';
import { type InclusionProof } from '@hamlet/contract';
import { until } from '../../until.ts';
import { visit } from '../../browser.ts';
import { test } from '../../cluster-test.ts';
import { admin, page, shot, signedIn, superuser } from './stage.ts';

/** Opens the proof of an entry on the page of the ledger, and closes the previous one. */
async function verify(): Promise<void> {
  const button = page.locator(`.entry-row[data-entry="${proven}"] [data-action="verify"]`);
  await button.waitFor();
  if ((await button.getAttribute('aria-expanded')) === 'true') await button.click();
  await button.click();
}

/** The entry under test. */
let proven: string;
const verdict = (kind: 'proven' | 'refuted'): string =>
  `.entry-row[data-entry="${proven}"] .proof[data-verdict="${kind}"]`;

test('the browser verifies an entry of the ledger, and shows the checkpoint with key and size', async () => {
  await signedIn();
  const rewarded = await admin.rewardAgent({ agent_id: 'ada', amount: '12.5', reason: 'Carried the water' });
  proven = rewarded.ledger_entry_id;
  await visit(page, '?view=ledger&who=ada');
  await verify();
  await page.locator(verdict('proven'), { hasText: 'This browser keeps this checkpoint' }).waitFor();
  const [key, checkpoint] = await Promise.all([admin.raw.getLogKey(), admin.raw.getLogCheckpoint()]);
  assert.ok(key.ok && checkpoint.ok);
  assert.equal(`${await page.innerText(`${verdict('proven')} [data-key]`)}`, key.data.split('+').slice(0, 2).join('+'));
  const size = Number(await page.getAttribute(`${verdict('proven')} [data-size]`, 'data-size'));
  assert.ok(size >= 2 && size <= Number(checkpoint.data.split('\n')[1]), `a checkpoint of ${size}`);
  await page.locator(verdict('proven')).scrollIntoViewIfNeeded();
  await shot('proof');
});

test('the browser verifies an act of the audit, and compares the log with its stored checkpoint', async () => {
  await visit(page, '?view=audit');
  await page.locator('.audit-row[data-action="entitlement.change"] .audit-open').first().click();
  await page.locator('.audit-row [data-action="verify"]').click();
  await page
    .locator('.audit-row .proof[data-verdict="proven"]', { hasText: 'that this browser has seen before' })
    .waitFor();
  await shot('proof-act');
});

test('a row changed in the database and a forged answer do not verify', async () => {
  const change = async (note: string): Promise<void> => {
    await superuser.run('alter table ledger.transfer disable trigger append_only');
    await superuser.run(`update ledger.transfer set note = '${note}' where transfer_id = '${proven}'`);
    await superuser.run('alter table ledger.transfer enable always trigger append_only');
  };
  await visit(page, '?view=ledger&who=ada');
  await page.locator('.entry-row', { hasText: 'Carried the water' }).waitFor();
  await change('Carried nothing');
  await verify();
  await page.locator(verdict('refuted'), { hasText: 'its stored record differs from the sealed one' }).waitFor();
  await change('Carried the water');
  // The test forges the answer on its way to the browser.
  await page.route('**/api/v1/log/proof/*', async (route) => {
    const response = await route.fetch();
    const proof = (await response.json()) as InclusionProof;
    await route.fulfill({ response, json: response.ok() ? { ...proof, position: proof.position + 1 } : proof });
  });
  await verify();
  await page.locator(verdict('refuted'), { hasText: 'it is not in this log' }).waitFor();
  await page.locator(verdict('refuted')).scrollIntoViewIfNeeded();
  await shot('proof-refuted');
  assert.equal(await page.locator('[data-action="forget-log"]').count(), 0, 'this is the log that the browser knows');
  await page.unroute('**/api/v1/log/proof/*');
  await verify();
  await page.waitForSelector(verdict('proven'));
});

test('a log that differs from the stored checkpoint does not verify until the reader accepts it as new', async () => {
  await page.evaluate(
    `localStorage.setItem('hamlet-log', localStorage.getItem('hamlet-log').replace(/\\+[0-9a-f]{8}\\+/, '+00000000+'))`,
  );
  await verify();
  await page.locator(verdict('refuted'), { hasText: 'by another key: hamlet.village' }).waitFor();
  await page.click('[data-action="forget-log"]');
  await page.waitForSelector(verdict('proven'));
  await until('the new checkpoint is stored', () =>
    page.evaluate<boolean>(`!localStorage.getItem('hamlet-log').includes('+00000000+')`),
  );
});
