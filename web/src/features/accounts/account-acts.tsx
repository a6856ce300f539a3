import {
  type AccountDetail,
  type AccountRole,
  banAccount,
  changeAccount,
  type CodeGrant,
  liftAccountBan,
  resetPassword,
  roleMay,
} from '@hamlet/contract';
import { useState } from 'react';
import { Notice, RefusedNotice } from '../../ui/notices.tsx';
import { useIntent } from '../../client/query/use-intent.ts';
import { Button } from '../../ui/controls.tsx';
import { ActionForm } from '../../ui/fields.tsx';
import { minuteTime } from '../../ui/time-labels.ts';
import { ReasonForm } from '../standing/reason-form.tsx';
import { useRole } from '../village-context.ts';

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

/** A one-time code, shown once: the admin gives it to the person. */
export function CodeNotice({ grant, name }: { readonly grant: CodeGrant; readonly name: string }) {
  const [copied, setCopied] = useState(false);
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(grant.code).then(
      () => setCopied(true),
      () => undefined,
    );
  };
  return (
    <Notice tone="info" icon={null} className="code-notice">
      <b>Give {name} this code.</b> It sets a password once, until {minuteTime(grant.expires_at)}. It is not shown
      again.
      <span className="code-line">
        <code data-code>{grant.code}</code>
        <Button word={copied ? 'Copied' : 'Copy'} onClick={() => void copy()} />
      </span>
    </Notice>
  );
}
