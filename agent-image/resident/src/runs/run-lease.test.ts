import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DOWN, ok, STALE } from '../testing/scripted-village.ts';
import type { Answer, RunLease } from '../village/village.ts';
import { renewUntilOver } from './take-run.ts';

const lease: RunLease = { cycle: 3, attempt: 2 };
const refused = (code: 'claim_lapsed' | 'run_settled' | 'no_such_run' | 'agent_frozen'): Answer<never> => ({
  kind: 'refused',
  code,
  detail: code,
});

/** Renews a lease against these answers, one for each renewal; then the run is over. */
async function kept(answers: readonly Answer<unknown>[]): Promise<{ readonly end: string; readonly asked: number }> {
  const over = new AbortController();
  let asked = 0;
  const renewRun = async (runId: string, of: RunLease): Promise<Answer<unknown>> => {
    assert.deepEqual([runId, of], ['run', lease]);
    asked += 1;
    if (asked === answers.length) over.abort();
    return answers[asked - 1] ?? ok(null);
  };
  return { end: await renewUntilOver({ renewRun }, { runId: 'run', lease, over: over.signal }, 1), asked };
}

test('a lease is renewed until the run is over, despite temporary failures', async () => {
  assert.deepEqual(await kept([ok(null), DOWN, DOWN, refused('agent_frozen'), ok(null)]), { end: 'over', asked: 5 });
});

test('a lease is lost when the API refuses its renewal', async () => {
  for (const lost of [refused('claim_lapsed'), refused('run_settled'), refused('no_such_run'), STALE])
    assert.deepEqual(await kept([ok(null), lost, ok(null)]), { end: 'lost', asked: 2 });
});

test('the lease is not renewed after the run', async () => {
  const over = AbortSignal.abort();
  assert.equal(
    await renewUntilOver({ renewRun: () => assert.fail('it was renewed') }, { runId: 'run', lease, over }, 1),
    'over',
  );
});
