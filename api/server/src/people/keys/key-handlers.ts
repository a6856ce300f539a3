import {
  ACCOUNT_KEY_PREFIX,
  FEDERATED_KEY_DAYS_MAX,
  KEYS_OF_PERSON_MAX,
  scopesOf,
  type ApiKeyView,
  type createMyKey,
  type KeyScope,
} from '@hamlet/contract';
import {
  deleteAccountKeys,
  inTransaction,
  insertAccountKey,
  listAccountKeys,
  type AccountKeyRow,
  type AccountRow,
  type Tx,
} from '@hamlet/store';
import { auditAccount } from '../../auth/account-actor.ts';
import { hashOf, newSecret } from '../../auth/secrets.ts';
import { plain, type Handlers, type RequestOf } from '../../http/handler.ts';
import { accepted, refused, type Outcome, type Refused } from '../../http/outcome.ts';
import { accountOf } from '../account-view.ts';
import { lockSignedIn } from '../signed-in.ts';
import type { PeopleServices } from '../start-people.ts';

interface WantedKey {
  readonly name: string;
  readonly scopes: readonly KeyScope[];
  readonly days: number;
}

function keyView({ keyId, name, scopes, createdAt, expiresAt, usedAt }: AccountKeyRow): ApiKeyView {
  return {
    key_id: keyId,
    name,
    scopes: [...scopes],
    created_at: createdAt.toISOString(),
    expires_at: expiresAt.toISOString(),
    last_used_at: usedAt?.toISOString() ?? null,
  };
}

/** Null if the account may have the key besides the `count` keys that it has. Pure. */
function refuseKey(account: AccountRow, { scopes, days }: WantedKey, count: number): Refused | null {
  const foreign = scopes.find((scope) => !scopesOf(account.role).includes(scope));
  if (foreign !== undefined)
    return refused('scope_not_yours', `The scope ${foreign} opens nothing for a ${account.role}: leave it out`);
  if (account.federated && days > FEDERATED_KEY_DAYS_MAX)
    return refused(
      'key_lives_too_long',
      `You sign in through an identity provider: write at most ${FEDERATED_KEY_DAYS_MAX} days`,
    );
  return count < KEYS_OF_PERSON_MAX
    ? null
    : refused('too_many_keys', `A person has at most ${KEYS_OF_PERSON_MAX} API keys: revoke one first`);
}

async function createKey(
  tx: Tx,
  request: RequestOf<typeof createMyKey>,
): Promise<Outcome<{ key: ApiKeyView; token: string }>> {
  const wanted: WantedKey = request.body;
  const account = await lockSignedIn(tx, request);
  if (account === null) return refused('session_needed');
  const { accountId } = account;
  const scopes = [...new Set(wanted.scopes)];
  const { length: count } = await listAccountKeys(tx, accountId);
  const refusal = refuseKey(account, wanted, count);
  if (refusal !== null) return refusal;
  const token = newSecret(ACCOUNT_KEY_PREFIX);
  const key = await insertAccountKey(tx, { ...wanted, scopes, accountId, keyHash: hashOf(token) });
  if (key === null) return refused('key_exists', `You have an API key with the name ${wanted.name}`);
  const { name, days } = wanted;
  await auditAccount(tx, request, { accountId, action: 'key.create', detail: { name, scopes, days } });
  return accepted({ key: keyView(key), token });
}

export function keyHandlers({ db }: PeopleServices) {
  return {
    listMyKeys: plain(async ({ actor }) => {
      const accountId = accountOf(actor);
      if (accountId === null) return refused('session_needed');
      return accepted({ keys: (await listAccountKeys(db, accountId)).map(keyView) });
    }),
    createMyKey: plain(async (request) => inTransaction(db, (tx) => createKey(tx, request))),
    revokeMyKey: plain(async (request) => {
      const accountId = accountOf(request.actor);
      if (accountId === null) return refused('session_needed');
      return inTransaction(db, async (tx) => {
        const [name] = await deleteAccountKeys(tx, accountId, { keyId: request.params.key_id });
        if (name === undefined) return refused('no_such_key');
        await auditAccount(tx, request, { accountId, action: 'key.revoke', detail: { name } });
        return accepted({ revoked: true as const });
      });
    }),
  } satisfies Partial<Handlers>;
}
