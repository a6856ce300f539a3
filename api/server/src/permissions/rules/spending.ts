import { formatAiDollars } from '@hamlet/contract';
import { lockName, readAllowance, readAllowedSpending, type Tx } from '@hamlet/store';
import { refused, type Refused } from '../../http/outcome.ts';
import type { EconomyRules } from '../../money/ledger/judgement.ts';
import { dayStart, villageDay } from '../../money/ledger/village-day.ts';

/** A call that a person allows. `amount`: micro-aiDollars that it may spend at most; null if it spends nothing. */
interface AllowedSpending {
  readonly person: { readonly role: string; readonly id: string };
  readonly amount: string | null;
  readonly now: Date;
}

/** Refuses a member if the call may spend more than the rest of their allowance. Approvals and rewards share it. */
export async function refuseAboveAllowance(
  tx: Tx,
  { person, amount: micros, now }: AllowedSpending,
  { dailyAllowance, timeZone }: EconomyRules,
): Promise<Refused | null> {
  if (person.role === 'admin' || micros === null) return null;
  // Two concurrent answers of one member would each see the whole rest.
  await lockName(tx, `allowed spending ${person.id}`);
  const given = await readAllowance(tx, { memberId: person.id, day: villageDay(now, timeZone) });
  const used = given + (await readAllowedSpending(tx, person.id, dayStart(now, timeZone)));
  const left = dailyAllowance > used ? dailyAllowance - used : 0n;
  const amount = BigInt(micros);
  if (amount <= left) return null;
  return refused(
    'allowance_exceeded',
    `The call may spend ${formatAiDollars(amount)} aiDollars, but ${formatAiDollars(left)} are left of your allowance of today; let an admin answer`,
  );
}
