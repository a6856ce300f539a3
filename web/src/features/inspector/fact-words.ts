import type { AgentDetail, Limits } from '@hamlet/contract';

/** Whether it has a seat, by the condition that says so; where it waits, the operator's words have its place in the queue. */
export function seatWords({ conditions, power }: Pick<AgentDetail, 'conditions' | 'power'>): string {
  const admitted = conditions.find((condition) => condition.type === 'Admitted');
  if (admitted?.status === 'True') return 'Has one';
  if (power === 'Asleep') return 'Needs none while asleep';
  if (admitted === undefined || admitted.reason === 'Waiting') return 'Not asked for yet';
  return admitted.message === '' ? 'Waits for one' : `Waits: ${admitted.message}`;
}

/** Things with their number: `bread × 2, tool`. */
export function carriedWords(carried: readonly string[]): string {
  if (carried.length === 0) return 'Nothing';
  return [...new Set(carried)]
    .map((kind) => {
      const count = carried.filter((other) => other === kind).length;
      return count === 1 ? kind : `${kind} × ${count}`;
    })
    .join(', ');
}

/** What the tier allows, in few words. */
export function limitWords(limits: Limits | null): string {
  if (limits === null) return 'Not known';
  const parts = [
    limits.requests_per_minute === null ? '' : `${limits.requests_per_minute} requests/min`,
    limits.concurrent_tools === null
      ? ''
      : limits.concurrent_tools === 1
        ? '1 tool at once'
        : `${limits.concurrent_tools} tools at once`,
    limits.tokens_per_hour === null ? '' : `${limits.tokens_per_hour.toLocaleString('en')} tokens/h`,
    limits.models.length === 0 ? '' : limits.models.join(', '),
  ].filter((part) => part !== '');
  return parts.length === 0 ? 'None' : parts.join(' · ');
}
