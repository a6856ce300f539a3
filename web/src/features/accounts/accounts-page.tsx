import {
  ACCOUNT_ROLES,
  type AccountDetail,
  type AccountRole,
  type CodeGrant,
  createAccount,
  listAccounts,
} from '@hamlet/contract';
import { useState } from 'react';
import './accounts.css';
import { Notice, PagedList } from '../../ui/notices.tsx';
import { usePages } from '../../client/query/use-live.ts';
import { useIntent } from '../../client/query/use-intent.ts';
import { Badge, Button } from '../../ui/controls.tsx';
import { ActionForm, SelectField, TextField } from '../../ui/fields.tsx';
import { timeAhead } from '../../ui/time-labels.ts';
import { useNow } from '../../ui/time.tsx';
import { Page } from '../navigation/page.tsx';
import { actorLabel } from '../../client/actor-labels.ts';
import { useViewerId } from '../village-context.ts';
import { AccountActs, CodeNotice } from './account-acts.tsx';
import { accountState, seenLabel } from './account-labels.ts';
import { SessionList } from './session-list.tsx';

const NAME_MAX_CHARS = 64;

export function AccountsPage() {
  const [writing, setWriting] = useState(false);
  const tools = (
    <Button
      look="strong"
      icon="plus"
      word="New account"
      aria-expanded={writing}
      onClick={() => setWriting(!writing)}
      data-action="new-account"
    />
  );
  return (
    <Page
      title="People"
      intro="Every account: its role, its sessions and its bans. Visitors need no account."
      needs="accounts:read"
      tools={tools}
    >
      <Accounts writing={writing} onWritten={() => setWriting(false)} />
    </Page>
  );
}

function Accounts({ writing, onWritten }: { readonly writing: boolean; readonly onWritten: () => void }) {
  const [opened, setOpened] = useState<string | null>(null);
  const live = usePages(listAccounts, { query: {} }, { list: 'accounts', id: 'account_id', everyMs: 8000 });
  return (
    <>
      {writing && <CreateForm onMade={live.again} onClose={onWritten} />}
      <PagedList
        pages={live}
        className="card account-list"
        label="Accounts"
        empty="No accounts yet. Create one with New account."
        card
        older="More accounts"
      >
        {(account) => (
          <AccountRow
            key={account.account_id}
            account={account}
            open={opened === account.account_id}
            onOpen={(on) => setOpened(on ? account.account_id : null)}
            onChanged={live.again}
          />
        )}
      </PagedList>
    </>
  );
}

interface RowProps {
  readonly account: AccountDetail;
  readonly open: boolean;
  readonly onOpen: (on: boolean) => void;
  readonly onChanged: () => void;
}

function AccountRow({ account, open, onOpen, onChanged }: RowProps) {
  const now = useNow(15_000);
  const viewer = useViewerId();
  const { word, tone } = accountState(account);
  const { ban } = account;
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
          <Badge tone={tone}>{word}</Badge>
        </span>
        <span className="person-seen">
          {seenLabel(account, now)}
          <small>{account.sessions === 1 ? '1 session' : `${account.sessions} sessions`}</small>
        </span>
      </button>
      {open && (
        <div className="person-details">
          {ban !== null && (
            <Notice tone="bad" icon={null} role="status">
              <b>Banned</b> by {actorLabel(ban.by.id, ban.by.role, viewer)}: “{ban.reason}”,{' '}
              {ban.expires_at === null
                ? 'until an admin lifts the ban'
                : `ends ${timeAhead(Date.parse(ban.expires_at), now)}`}
              .
            </Notice>
          )}
          <AccountActs account={account} onChanged={onChanged} />
          <SessionList account={account} onChanged={onChanged} />
        </div>
      )}
    </li>
  );
}

/** Creates an account. The person sets a password with a one-time code, which only this form shows. */
function CreateForm({ onMade, onClose }: { readonly onMade: () => void; readonly onClose: () => void }) {
  const sending = useIntent();
  const [name, setName] = useState('');
  const [role, setRole] = useState<AccountRole>('member');
  const [made, setMade] = useState<{ readonly name: string; readonly invitation: CodeGrant | null } | null>(null);
  const send = async (): Promise<void> => {
    const data = await sending.call(createAccount, { body: { name: name.trim(), role } });
    if (data === null) return;
    setMade({ name: data.account.name, invitation: data.invitation });
    setName('');
    onMade();
  };
  return (
    <section className="card account-new" aria-label="New account">
      <ActionForm
        label="New account"
        sending={sending}
        ready={name.trim() !== ''}
        word="Create the account"
        onCancel={onClose}
        onSend={() => void send()}
      >
        <div className="account-fields">
          <TextField
            label="Name"
            name="name"
            maxLength={NAME_MAX_CHARS}
            value={name}
            onChange={(text) => {
              setName(text);
              setMade(null);
              sending.changed();
            }}
            autoFocus
          />
          <SelectField
            label="Role"
            name="role"
            value={role}
            options={ACCOUNT_ROLES.map((known) => [known, known])}
            onChange={setRole}
          />
        </div>
        {made !== null && made.invitation !== null && <CodeNotice grant={made.invitation} name={made.name} />}
      </ActionForm>
    </section>
  );
}
