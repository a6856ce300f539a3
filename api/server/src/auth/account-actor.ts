import type { Tx } from '@hamlet/store';
import { recordAct, type Act, type Acting } from '../audit/record-act.ts';
import { refused, type Refused } from '../http/outcome.ts';

export const accountObject = (accountId: string): string => `account ${accountId}`;

export async function auditAccount(
  tx: Tx,
  acting: Acting,
  { accountId, ...act }: Omit<Act, 'object'> & { readonly accountId: string },
): Promise<void> {
  await recordAct(tx, acting, { ...act, object: accountObject(accountId) });
}

export function refusalOfBan(ban: { readonly reason: string; readonly expiresAt: Date | null }): Refused {
  const until = ban.expiresAt === null ? 'until it is lifted' : `until ${ban.expiresAt.toISOString()}`;
  return refused('account_banned', `${ban.reason} (${until})`);
}
