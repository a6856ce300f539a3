import { type Run, raiseRun } from '@hamlet/contract';
import { useIntent } from '../../client/query/use-live.ts';
import { LinkButton, RefusedNotice } from '../../ui/controls.tsx';
import { useRole, useViewerId } from '../village-context.ts';
import type { BudgetShare } from './run-budget.ts';
import { mayRaise } from './run-labels.ts';

/** Gives a run under way as much as a new run would have, if the viewer may. `near`: the limit that is nearly used. */
export function RaiseLimits({ run, near }: { readonly run: Run; readonly near: BudgetShare }) {
  const [role, id] = [useRole(), useViewerId()];
  const { busy, refused, call } = useIntent();
  if (!mayRaise(run, { role, id })) return null;
  const raise = (): void => {
    if (!busy) void call(raiseRun, { params: { run_id: run.run_id }, body: { budgets: 'refill' } });
  };
  return (
    <>
      <LinkButton
        word={near.of === 'tokens' ? 'Add tokens' : 'Raise its limits'}
        title="The run gets as much again as a new run has"
        onClick={raise}
        data-action="raise-limits"
      />
      {refused !== null && <RefusedNotice refused={refused} />}
    </>
  );
}
