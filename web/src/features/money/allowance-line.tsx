import { type Allowance, getAllowance } from '@hamlet/contract';
import { type ReactElement, useCallback } from 'react';
import { type Live, useLive } from '../../client/ask/use-live.ts';
import { timeAhead } from '../../ui/time-words.ts';
import { useVillage } from '../village-context.ts';
import { moneyWords, readAmount } from './money-words.ts';

const REFRESH_MS = 30_000;

/** What the viewer may still give and take today. */
export function useAllowance(): Live<Allowance> {
  const { api } = useVillage();
  return useLive(
    useCallback((signal: AbortSignal) => api.call(getAllowance, { signal }), [api]),
    REFRESH_MS,
  );
}

/** Says what is left of a member's day, and where more is asked than that; admins have no such limit, and read that. */
export function AllowanceLine({
  allowance,
  asked,
}: {
  readonly allowance: Allowance | null;
  readonly asked: bigint | null;
}): ReactElement | null {
  if (allowance === null || allowance.left === null) return null;
  const short = asked !== null && asked > (readAmount(allowance.left) ?? 0n);
  return (
    <p className={short ? 'preview preview-bad allowance' : 'hint allowance'} data-left={allowance.left}>
      {moneyWords(allowance.left)} of your {moneyWords(allowance.daily ?? '0')} are left today
      {short ? ': this is more' : ''}. A new day begins {timeAhead(Date.parse(allowance.resets_at), Date.now())}.
    </p>
  );
}
