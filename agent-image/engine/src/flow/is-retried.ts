import type { FailureCategory } from '../workflow/plan/failure.ts';
import type { PlanStage } from '../workflow/plan/plan.ts';

/** Failures that another attempt does not mend. */
const NEVER_RETRIED: ReadonlySet<FailureCategory> = new Set<FailureCategory>(['permission', 'config']);

/** True if a stage that failed so in this attempt is tried again. Pure. */
export function isRetried({ retry }: PlanStage, attempt: number, category: FailureCategory): boolean {
  if (attempt >= retry.attempts) return false;
  return retry.on === null ? !NEVER_RETRIED.has(category) : retry.on.includes(category);
}
