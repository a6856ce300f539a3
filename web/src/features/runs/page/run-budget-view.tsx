import { type Run, WARN_SHARE } from '@hamlet/contract';
import { isSettled } from '@hamlet/core';
import { moneyLabel } from '../../../client/labels.ts';
import { Notice, useNow } from '../../../ui/controls.tsx';
import { RaiseLimits } from '../raise-limits.tsx';
import { budgetShares, nearLimit, shareLabel } from '../run-budget.ts';

const WORDS = { steps: 'Steps', tokens: 'Tokens', money: 'aiDollars', time: 'Time of work' } as const;

/** The use of a run's limits, the one that ends first before the others, with a warning when it is near. */
export function RunBudget({ run }: { readonly run: Run }) {
  const now = useNow(5_000);
  const shares = budgetShares(run, now);
  const near = isSettled(run.state) ? null : nearLimit(run, now);
  return (
    <section className="run-budget" aria-label="Use">
      <h2>Use</h2>
      {shares.length === 0 ? (
        <p className="hint">
          {run.usage.tokens === 0 ? 'Nothing yet.' : `${run.usage.tokens.toLocaleString('en')} tokens`}
        </p>
      ) : (
        <ul>
          {shares.map(({ of, used, limit, share }) => (
            <li key={of} data-limit={of} data-near={share >= WARN_SHARE}>
              <span>{WORDS[of]}</span>
              <span className="run-budget-words">
                {used} of {limit}
              </span>
              <meter min={0} max={1} high={WARN_SHARE} value={share} aria-label={`${WORDS[of]} used`} />
            </li>
          ))}
        </ul>
      )}
      <p className="hint">
        Cost: {moneyLabel(run.usage.cost)}
        {!run.usage.witnessed && run.usage.tokens > 0 && ', as the agent says'}
      </p>
      {near !== null && (
        <Notice tone="waiting">
          {shareLabel(near)}. The run ends at this limit. <RaiseLimits run={run} near={near} />
        </Notice>
      )}
    </section>
  );
}
