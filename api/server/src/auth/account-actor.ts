import { refused, type Refused } from '../http/outcome.ts';

/** The name of an account in the audit, as an actor and as an object. */
export function accountObject(accountId: string): string {
  return `account ${accountId}`;
}

/** The refusal of a banned account, with the reason and the end of its ban. Pure. */
export function refusalOfBan({
  reason,
  expiresAt,
}: {
  readonly reason: string;
  readonly expiresAt: Date | null;
}): Refused {
  return refused(
    'account_banned',
    `${reason} (${expiresAt === null ? 'until it is lifted' : `until ${expiresAt.toISOString()}`})`,
  );
}
