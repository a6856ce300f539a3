import type { VillageFreeze } from '@hamlet/contract';
import { dateTime, lengthLabel } from '../../ui/time-labels.ts';

/** One activity that a freeze stops, with the last time that it happened. `holds`: that time is before the freeze. */
interface ProofLine {
  readonly key: 'transfer' | 'model' | 'run';
  readonly what: string;
  readonly when: string;
  readonly at: string | null;
  readonly holds: boolean;
}

type Times = Pick<VillageFreeze, 'since' | 'last_transfer_at' | 'last_model_request_at' | 'last_run_started_at'>;

export function proofLines(freeze: Times): ProofLine[] {
  const line = (key: ProofLine['key'], what: string, at: string | null): ProofLine => ({
    key,
    what,
    at,
    when: whenLabel(at, freeze.since),
    holds: at === null || freeze.since === null || Date.parse(at) <= Date.parse(freeze.since),
  });
  return [
    line('transfer', 'Last transfer', freeze.last_transfer_at),
    line('model', 'Last model request', freeze.last_model_request_at),
    line('run', 'Last start of a run', freeze.last_run_started_at),
  ];
}

function whenLabel(at: string | null, since: string | null): string {
  if (at === null) return 'never';
  const time = dateTime(toSecond(at));
  if (since === null) return time;
  const lengthMs = Date.parse(since) - Date.parse(at);
  return `${time}, ${lengthLabel(Math.abs(lengthMs))} ${lengthMs >= 0 ? 'before' : 'after'} the freeze`;
}

/** Rounds an instant down to the second, because a reader needs no milliseconds. */
export const toSecond = (iso: string): number => Math.floor(Date.parse(iso) / 1000) * 1000;
