import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DOWN, ok, STALE } from '../testing/scripted-village.ts';
import type { Mind, RunBudgets } from '@hamlet/contract';
import { mindOfRuntime } from '@hamlet/core/mind';
import type { Answer, RunLease } from '../village/village.ts';
import { renewUntilOver, type MindNaming } from './take-run.ts';

const lease: RunLease = { cycle: 3, attempt: 2 };
const refused = (code: 'claim_lapsed' | 'run_settled' | 'no_such_run' | 'agent_frozen'): Answer<never> => ({
  kind: 'refused',
  code,
  detail: code,
});

type Kept = Readonly<{ end: string; asked: number; limits: readonly RunBudgets[] }>;

const ACP = mindOfRuntime('acp');
const sameMind = (): MindNaming => ({ now: () => ACP, named: ACP });

/** Renews a lease against these answers, one for each renewal; then the run is over. */
async function kept(
  answers: readonly Answer<RunBudgets | null>[],
  naming = sameMind(),
  minds: unknown[] = [],
): Promise<Kept> {
  const over = new AbortController();
  const limits: RunBudgets[] = [];
  let asked = 0;
  const renewRun = async (runId: string, of: RunLease, mind?: Mind): Promise<Answer<RunBudgets | null>> => {
    assert.deepEqual([runId, of], ['run', lease]);
    minds.push(mind?.version);
    asked += 1;
    if (asked === answers.length) over.abort();
    return answers[asked - 1] ?? ok(null);
  };
  const onLimits = (now: RunBudgets): void => void limits.push(now);
  const renewing = { runId: 'run', lease, naming, over: over.signal, onLimits };
  return { end: await renewUntilOver({ renewRun }, renewing, 1), asked, limits };
}

test('a lease is renewed until the run is over, despite temporary failures', async () => {
  const kinds = [ok(null), DOWN, DOWN, refused('agent_frozen'), ok(null)];
  assert.deepEqual(await kept(kinds), { end: 'over', asked: 5, limits: [] });
});

test('a lease is lost when the API refuses its renewal', async () => {
  for (const lost of [refused('claim_lapsed'), refused('run_settled'), refused('no_such_run'), STALE])
    assert.deepEqual(await kept([ok(null), lost, ok(null)]), { end: 'lost', asked: 2, limits: [] });
});

test('a renewal brings the limits of the run, which people may have raised', async () => {
  const budgets = { steps: 100, tokens: 2_000, money: '1', timeMs: 1_000, idleCalls: 10 };
  assert.deepEqual((await kept([ok(budgets), ok(null), ok({ ...budgets, steps: 200 }), DOWN])).limits, [
    budgets,
    { ...budgets, steps: 200 },
  ]);
});

test('the lease is not renewed after the run', async () => {
  const over = AbortSignal.abort();
  assert.equal(
    await renewUntilOver(
      { renewRun: () => assert.fail('it was renewed') },
      { runId: 'run', lease, naming: sameMind(), over, onLimits: () => assert.fail('it was renewed') },
      1,
    ),
    'over',
  );
});

test('a renewal names the mind once more is known about it, again until the API has it', async () => {
  const minds: unknown[] = [];
  const naming: MindNaming = { now: () => (minds.length === 0 ? ACP : { ...ACP, version: '1.2.3' }), named: ACP };
  await kept([ok(null), DOWN, ok(null), ok(null)], naming, minds);
  assert.deepEqual(minds, [undefined, '1.2.3', '1.2.3', undefined]);
});
