import type { Account, renameMe } from '@hamlet/contract';
import { isDuplicateError, updateAccount, type Db } from '@hamlet/store';
import { auditAccount } from '../auth/account-actor.ts';
import type { RequestOf } from '../http/handler.ts';
import { accepted, refused, type Outcome } from '../http/outcome.ts';
import { accountView } from './account-view.ts';
import { asSignedIn } from './signed-in.ts';

type Renamed = Outcome<{ account: Account }>;

/** Gives the caller's account another name. An identity provider names its accounts itself. */
export async function renameAccount(db: Db, request: RequestOf<typeof renameMe>): Promise<Renamed> {
  const { name } = request.body;
  try {
    return await asSignedIn(db, request, async (tx, account): Promise<Renamed> => {
      const { accountId } = account;
      if (account.federated) return refused('account_is_federated');
      if (account.name === name) return accepted({ account: accountView(account) });
      await updateAccount(tx, accountId, { name });
      await auditAccount(tx, request, {
        accountId,
        action: 'account.rename',
        detail: { from: account.name, to: name },
      });
      return accepted({ account: accountView({ ...account, name }) });
    });
  } catch (error) {
    if (isDuplicateError(error)) return refused('account_exists', `The name ${name} is taken`);
    throw error;
  }
}
