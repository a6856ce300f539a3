import type { AccountDetail } from '@hamlet/contract';
import type { ReactElement } from 'react';
import { timeAhead } from '../../ui/time-words.ts';
import { useNow } from '../../ui/use-now.ts';
import { actorWords } from '../people/actor-words.ts';
import { useViewerId } from '../village-context.ts';
import { AccountActs } from './account-acts.tsx';
import { accountState, seenWords } from './account-words.ts';
import { SessionList } from './session-list.tsx';

interface RowProps {
  readonly account: AccountDetail;
  readonly open: boolean;
  readonly onOpen: (on: boolean) => void;
  readonly onChanged: () => void;
}

/** One person in a line; opened, what can be done and where they are signed in. */
export function AccountRow({ account, open, onOpen, onChanged }: RowProps): ReactElement {
  const now = useNow(15_000);
  const viewer = useViewerId();
  const { word, tone } = accountState(account);
  return (
    <li
      className={`person-account${open ? ' person-account-open' : ''}`}
      data-account-name={account.name}
      data-role={account.role}
      data-state={word}
    >
      <button type="button" className="person-line" aria-expanded={open} onClick={() => onOpen(!open)}>
        <span className="face-letter" aria-hidden="true">
          {[...account.name][0]?.toUpperCase() ?? '?'}
        </span>
        <span className="person-who">
          <b>{account.name}</b>
          {account.account_id === viewer && <span className="role">you</span>}
          <small>{account.signs_in_by === 'oidc' ? 'identity provider' : 'password'}</small>
        </span>
        <span className="role">{account.role}</span>
        <span>
          <span className={`badge badge-${tone}`}>
            <span className={`mark mark-${tone}`} aria-hidden="true" />
            {word}
          </span>
        </span>
        <span className="person-seen">
          {seenWords(account, now)}
          <small>{account.sessions === 1 ? '1 session' : `${account.sessions} sessions`}</small>
        </span>
      </button>
      {open && (
        <div className="person-details">
          {account.ban !== null && (
            <p className="notice notice-bad">
              <span>
                <b>Banned</b> by {actorWords(account.ban.by.id, account.ban.by.role, viewer)}: “{account.ban.reason}”,{' '}
                {account.ban.expires_at === null
                  ? 'until it is lifted'
                  : `ends ${timeAhead(Date.parse(account.ban.expires_at), now)}`}
                .
              </span>
            </p>
          )}
          <AccountActs account={account} onChanged={onChanged} />
          <SessionList account={account} onChanged={onChanged} />
        </div>
      )}
    </li>
  );
}
