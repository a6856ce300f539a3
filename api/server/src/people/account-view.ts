import type { Account, AccountDetail, Session } from '@hamlet/contract';
import type { AccountDetailRow, AccountRow, SessionRow } from '@hamlet/store';
import type { Actor } from '../http/actor.ts';

/** The account of a person; null for tokens of the configuration, and for callers that are not people. */
export function accountOf(actor: Actor): string | null {
  return actor.role === 'member' || actor.role === 'admin' ? actor.accountId : null;
}

export function accountView({ accountId, name, role, createdAt }: AccountRow): Account {
  return { account_id: accountId, name, role, created_at: createdAt.toISOString() };
}

export function accountDetail(row: AccountDetailRow): AccountDetail {
  const { ban } = row;
  return {
    ...accountView(row),
    signs_in_by: row.federated ? 'oidc' : 'password',
    pending: !row.federated && !row.hasPassword,
    disabled_at: row.disabledAt?.toISOString() ?? null,
    ban:
      ban === null
        ? null
        : {
            reason: ban.reason,
            by: { role: ban.byRole, id: ban.byId },
            since: ban.since.toISOString(),
            expires_at: ban.expiresAt?.toISOString() ?? null,
          },
    last_seen_at: row.lastSeenAt?.toISOString() ?? null,
    sessions: row.sessions,
    keys: row.keys,
    messengers: row.messengers,
  };
}

export function sessionView(row: SessionRow, currentHash: Uint8Array | null): Session {
  return {
    session_id: row.sessionId,
    signed_in_by: row.signedInBy,
    address: row.address,
    user_agent: row.userAgent,
    created_at: row.createdAt.toISOString(),
    seen_at: row.seenAt.toISOString(),
    expires_at: row.expiresAt.toISOString(),
    current: currentHash !== null && Buffer.from(row.idHash).equals(Buffer.from(currentHash)),
  };
}
