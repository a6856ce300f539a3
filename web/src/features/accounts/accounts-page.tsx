import type { AccountDetail, AccountRole, CodeGrant } from '@hamlet/contract';
import {
  ACCOUNT_ROLES,
  banAccount,
  changeAccount,
  createAccount,
  liftAccountBan,
  listAccounts,
  resetPassword,
  roleMay,
} from '@hamlet/contract';
import { useState } from 'react';
import './accounts.css';
import { Badge, Button, Notice, PagedList, RefusedNotice, useNow } from '../../ui/controls.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { useIntent, usePages } from '../../client/query/use-live.ts';
import { invitationLink } from '../../client/url-state.ts';
import { ActionForm, SelectField, TextField } from '../../ui/fields.tsx';
import { minuteTime, timeAhead } from '../../ui/time-labels.ts';
import { Page } from '../navigation/page.tsx';
import { ActorName } from '../actor-name.tsx';
import { useRole, useViewerId } from '../village-context.ts';
import { accessLabel, accountState, seenLabel } from './account-labels.ts';
import { SessionList } from './session-list.tsx';
import { ReasonForm } from '../standing/reason-form.tsx';

type ActsProps = Readonly<{ account: AccountDetail; onChanged: () => void }>;
type Act = 'ban' | 'lift' | 'reset' | 'disable';

/** An act that ends sessions needs a second click. */
export function AccountActs({ account, onChanged }: ActsProps) {
  const role = useRole();
  const sending = useIntent();
  const [act, setAct] = useState<Act | null>(null);
  const params = { account_id: account.account_id };
  const change = async (body: { readonly role?: AccountRole; readonly disabled?: boolean }): Promise<void> => {
    const data = await sending.call(changeAccount, { params, body }, JSON.stringify(body));
    if (data === null) return;
    setAct(null);
    onChanged();
  };
  const done = (): void => {
    setAct(null);
    onChanged();
  };
  if (!roleMay(role, 'accounts:change')) return null;
  return (
    <>
      <ActButtons
        account={account}
        act={act}
        busy={sending.busy}
        onAct={(chosen) => setAct(act === chosen ? null : chosen)}
        onChange={(body) => void change(body)}
      />
      {sending.refused !== null && <RefusedNotice refused={sending.refused} />}
      {act === 'disable' && (
        <div className="account-form">
          <p className="hint">Its sessions end, and it cannot sign in until an admin enables it again.</p>
          <Button look="danger" word={`Disable ${account.name}`} onClick={() => void change({ disabled: true })} />
        </div>
      )}
      {act === 'reset' && <ResetForm account={account} onChanged={onChanged} />}
      {(act === 'ban' || act === 'lift') && (
        <div className="account-form">
          <BanForm key={act} account={account} onChanged={done} />
        </div>
      )}
    </>
  );
}

interface ButtonsProps {
  readonly account: AccountDetail;
  readonly act: Act | null;
  readonly busy: boolean;
  readonly onAct: (act: Act) => void;
  readonly onChange: (body: { readonly role?: AccountRole; readonly disabled?: boolean }) => void;
}

function ActButtons({ account, act, busy, onAct, onChange }: ButtonsProps) {
  const mayBan = roleMay(useRole(), 'accounts:ban');
  const own = account.signs_in_by === 'password';
  const other = account.role === 'admin' ? 'member' : 'admin';
  const opening = (key: Act, word: string, stops = false) => (
    <button
      type="button"
      className={`button button-small${stops ? ' button-stop' : ''}`}
      aria-expanded={act === key}
      onClick={() => onAct(key)}
      data-act={key}
    >
      {word}
    </button>
  );
  const doing = (key: string, word: string, body: Parameters<typeof onChange>[0]) => (
    <Button word={word} aria-disabled={busy} onClick={() => onChange(body)} data-act={key} />
  );
  return (
    <div className="button-row" role="group" aria-label={`Change ${account.name}`}>
      {own && doing('role', `Make ${other}`, { role: other })}
      {own && opening('reset', 'Reset the password…')}
      {account.disabled_at === null ? opening('disable', 'Disable…') : doing('enable', 'Enable', { disabled: false })}
      {mayBan && (account.ban === null ? opening('ban', 'Ban…', true) : opening('lift', 'Lift the ban…'))}
    </div>
  );
}

function ResetForm({ account, onChanged }: ActsProps) {
  const sending = useIntent();
  const [grant, setGrant] = useState<CodeGrant | null>(null);
  const send = async (): Promise<void> => {
    const data = await sending.call(resetPassword, { params: { account_id: account.account_id } });
    if (data === null) return;
    setGrant(data.reset);
    onChanged();
  };
  if (grant !== null) return <CodeNotice grant={grant} name={account.name} />;
  return (
    <div className="account-form">
      <ActionForm
        label="Reset the password"
        sending={sending}
        ready
        word={`Reset the password of ${account.name}`}
        danger
        onSend={() => void send()}
      >
        <p className="hint">The password stops working and all sessions end. You get a one-time code to hand over.</p>
      </ActionForm>
    </div>
  );
}

function BanForm({ account: { account_id, name, ban }, onChanged }: ActsProps) {
  const params = { account_id };
  if (ban !== null)
    return (
      <ReasonForm
        draft={`lift-ban-${account_id}`}
        label="Lift the ban"
        word={`Lift the ban of ${name}`}
        send={(intent, { reason }) => intent.call(liftAccountBan, { params, query: reason === '' ? {} : { reason } })}
        onDone={onChanged}
        optional
      />
    );
  return (
    <ReasonForm
      draft={`ban-${account_id}`}
      label="Ban"
      word={`Ban ${name}`}
      send={(intent, body) => intent.call(banAccount, { params, body })}
      onDone={onChanged}
      withTerm
      danger
    >
      <p className="hint">The village refuses every request of {name} from now on, and ends open connections.</p>
    </ReasonForm>
  );
}

/** A link with a one-time code, shown once: the admin sends it to the person. */
export function CodeNotice({ grant, name }: { readonly grant: CodeGrant; readonly name: string }) {
  const link = invitationLink(window.location.origin, { code: grant.code, name });
  return (
    <Notice tone="info" icon={null} className="code-notice">
      <b>Send {name} this link.</b> It sets a password once, until {minuteTime(grant.expires_at)}. It is not shown
      again.
      <span className="code-line">
        <code data-code>{link}</code>
        <CopyButton text={link} word="Copy the link" />
      </span>
    </Notice>
  );
}

const NAME_MAX_CHARS = 64;

export function AccountsPage() {
  const [writing, setWriting] = useState(false);
  const tools = (
    <Button
      look="strong"
      icon="plus"
      word="Invite a person"
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
        empty="No accounts yet. Create one with Invite a person."
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
          <small>{accessLabel(account)}</small>
        </span>
      </button>
      {open && (
        <div className="person-details">
          {ban !== null && (
            <Notice tone="bad" icon={null} role="status">
              <b>Banned</b> by <ActorName {...ban.by} />: “{ban.reason}”,{' '}
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
    <section className="card account-new" aria-label="Invite a person">
      <ActionForm
        label="Invite a person"
        sending={sending}
        ready={name.trim() !== ''}
        word="Create the account and its link"
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
