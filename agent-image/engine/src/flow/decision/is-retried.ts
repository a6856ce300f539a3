import type { FailureCategory } from '../../workflow/plan/failure.ts';
import type { PlanStage } from '../../workflow/plan/plan.ts';

/** Failures that another attempt does not mend. */
const NEVER_RETRIED: ReadonlySet<FailureCategory> = new Set<FailureCategory>(['permission', 'config']);

/** The code of a call that may have happened: another attempt of its stage would make it twice. */
const MAY_HAVE_HAPPENED = 'unknown';

/** True if a stage is tried again after this failure in this attempt. Pure. */
export function isRetried(
  { retry }: PlanStage,
  attempt: number,
  { category, code }: Readonly<{ category: FailureCategory; code: string }>,
): boolean {
  if (attempt >= retry.attempts || code === MAY_HAVE_HAPPENED) return false;
  return retry.on === null ? !NEVER_RETRIED.has(category) : retry.on.includes(category);
}
