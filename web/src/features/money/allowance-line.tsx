import { type Allowance, getAllowance } from '@hamlet/contract';
import { type Live, useLive } from '../../client/query/use-live.ts';
import { timeAhead } from '../../ui/time-labels.ts';
import { moneyLabel, readAmount } from '../../client/labels.ts';

const REFRESH_MS = 30_000;

export const useAllowance = (): Live<Allowance> => useLive(getAllowance, {}, REFRESH_MS);

/** The remainder of a member's allowance; nothing for admins, who have no limit. */
export function AllowanceLine({ allowance, asked }: Readonly<{ allowance: Allowance | null; asked: bigint | null }>) {
  if (allowance === null || allowance.left === null) return null;
  const short = asked !== null && asked > (readAmount(allowance.left) ?? 0n);
  return (
    <p className={short ? 'preview preview-bad allowance' : 'hint allowance'} data-left={allowance.left}>
      {short ? 'This is more than your allowance: ' : 'Your allowance today: '}
      {moneyLabel(allowance.left)} of {moneyLabel(allowance.daily ?? '0')} left. It resets{' '}
      {timeAhead(Date.parse(allowance.resets_at), Date.now())}.
    </p>
  );
}
