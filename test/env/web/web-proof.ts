import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type InclusionProof } from '@hamlet/contract';
import type { Page } from 'playwright-core';
import type { ClusterStage } from './web-cluster.ts';
import { until } from '../until.ts';
import { visit } from './web-operator.ts';

type Stage = () => ClusterStage;

/** Opens the proof of an entry on the ledger's page, after it closes the previous one. */
async function verify(page: Page, entry: string): Promise<void> {
  const button = page.locator(`.entry-row[data-entry="${entry}"] [data-action="verify"]`);
  await button.waitFor();
  if ((await button.getAttribute('aria-expanded')) === 'true') await button.click();
  await button.click();
}

/** The entry under test; its id is known once it is created. */
interface Proven {
  entry: string;
}

function verdictOf({ entry }: Proven): (kind: 'proven' | 'refuted') => string {
  return (kind) => `.entry-row[data-entry="${entry}"] .proof[data-verdict="${kind}"]`;
}

/** Tests of proofs in the browser: entries and acts that verify, and data that does not. */
export function proofTests(stage: Stage): void {
  const proven: Proven = { entry: '' };
  goodTests(stage, proven);
  forgedTests(stage, proven);
}

function goodTests(stage: Stage, proven: Proven): void {
  test('an entry of the ledger is verified in the browser, with the checkpoint, its key and its size', async () => {
    const {
      browser: { page },
      admin,
      shot,
    } = stage();
    const rewarded = await admin.rewardAgent({ agent_id: 'ada', amount: '12.5', reason: 'Carried the water' });
    proven.entry = rewarded.ledger_entry_id;
    const verdict = verdictOf(proven);
    await visit(page, '?view=ledger&who=ada');
    await verify(page, proven.entry);
    await page.locator(verdict('proven'), { hasText: 'This browser keeps this checkpoint' }).waitFor();
    const [key, checkpoint] = await Promise.all([admin.raw.getLogKey(), admin.raw.getLogCheckpoint()]);
    assert.ok(key.ok && checkpoint.ok);
    assert.equal(
      `${await page.innerText(`${verdict('proven')} [data-key]`)}`,
      key.data.split('+').slice(0, 2).join('+'),
    );
    const size = Number(await page.getAttribute(`${verdict('proven')} [data-size]`, 'data-size'));
    assert.ok(size >= 2 && size <= Number(checkpoint.data.split('\n')[1]), `a checkpoint of ${size}`);
    await page.locator(verdict('proven')).scrollIntoViewIfNeeded();
    await shot('proof');
  });

  test('an act of the audit is verified too, and the log is compared with the checkpoint that the browser stored', async () => {
    const {
      browser: { page },
      shot,
    } = stage();
    await visit(page, '?view=audit');
    await page.locator('.audit-row[data-action="entitlement.change"] .audit-open').first().click();
    await page.locator('.audit-row [data-action="verify"]').click();
    await page
      .locator('.audit-row .proof[data-verdict="proven"]', { hasText: 'that this browser has seen before' })
      .waitFor();
    await shot('proof-act');
  });
}

function forgedTests(stage: Stage, proven: Proven): void {
  test('a row that was changed in the database does not verify, and neither does a forged answer', async () => {
    const {
      browser: { page },
      superuser,
      shot,
    } = stage();
    const change = async (note: string): Promise<void> => {
      await superuser.run('alter table ledger.transfer disable trigger append_only');
      await superuser.run(`update ledger.transfer set note = '${note}' where transfer_id = '${proven.entry}'`);
      await superuser.run('alter table ledger.transfer enable always trigger append_only');
    };
    const verdict = verdictOf(proven);
    await visit(page, '?view=ledger&who=ada');
    await page.locator('.entry-row', { hasText: 'Carried the water' }).waitFor();
    await change('Carried nothing');
    await verify(page, proven.entry);
    await page.locator(verdict('refuted'), { hasText: 'what it has stored is not what was sealed' }).waitFor();
    await change('Carried the water');
    // A forged answer: the test changes it on the way to the browser.
    await page.route('**/api/v1/log/proof/*', async (route) => {
      const response = await route.fetch();
      const proof = (await response.json()) as InclusionProof;
      await route.fulfill({ response, json: response.ok() ? { ...proof, position: proof.position + 1 } : proof });
    });
    await verify(page, proven.entry);
    await page.locator(verdict('refuted'), { hasText: 'it is not in this log' }).waitFor();
    await page.locator(verdict('refuted')).scrollIntoViewIfNeeded();
    await shot('proof-refuted');
    assert.equal(await page.locator('[data-action="forget-log"]').count(), 0, 'this is the log that the browser knows');
    await page.unroute('**/api/v1/log/proof/*');
    await verify(page, proven.entry);
    await page.waitForSelector(verdict('proven'));
  });

  test('a log other than the one that the browser has seen does not verify, until the reader confirms that it is new', async () => {
    const {
      browser: { page },
    } = stage();
    const verdict = verdictOf(proven);
    await page.evaluate(
      `localStorage.setItem('hamlet-log', localStorage.getItem('hamlet-log').replace(/\\+[0-9a-f]{8}\\+/, '+00000000+'))`,
    );
    await verify(page, proven.entry);
    await page.locator(verdict('refuted'), { hasText: 'by another key: hamlet.village' }).waitFor();
    await page.click('[data-action="forget-log"]');
    await page.waitForSelector(verdict('proven'));
    await until('the new checkpoint is stored', () =>
      page.evaluate<boolean>(`!localStorage.getItem('hamlet-log').includes('+00000000+')`),
    );
  });
}
