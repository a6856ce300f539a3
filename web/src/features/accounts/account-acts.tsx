import { type AccountDetail, type AccountRole, banAccount, changeAccount, type CodeGrant, liftAccountBan, MEASURE_REASON_MAX, resetPassword, roleMay } from '@hamlet/contract';
import { type ReactElement, useState } from 'react';
import { useSend } from '../../client/ask/use-send.ts';
import { ActionForm } from '../../ui/action-form.tsx';
import { RefusedNotice } from '../../ui/notices/refused-notice.tsx';
import { dateTime } from '../../ui/time-words.ts';
import { endOf, TERMS } from '../standing/measure-labels.ts';
import { useRole, useVillage } from '../village-context.ts';

interface ActsProps {
  readonly account: AccountDetail;
  readonly onChanged: () => void;
}
type Asked = 'ban' | 'lift' | 'reset' | 'disable';

/** Role, disabling, a new password and bans. What ends sessions is asked for twice. */
export function AccountActs({ account, onChanged }: ActsProps): ReactElement | null {
  const { api } = useVillage();
  const role = useRole();
  const sending = useSend();
  const [asked, setAsked] = useState<Asked | null>(null);
  const params = { account_id: account.account_id };
  const change = async (body: { readonly role?: AccountRole; readonly disabled?: boolean }): Promise<void> => {
    const reply = await sending.send(
      (idempotencyKey) => api.call(changeAccount, { params, body, idempotencyKey }),
      JSON.stringify(body),
    );
    if (reply?.ok === true) onChanged();
  };
  const done = (): void => {
    setAsked(null);
    onChanged();
  };
  if (!roleMay(role, 'accounts:change')) return null;
  return (
    <>
      <ActButtons
        account={account}
        asked={asked}
        busy={sending.busy}
        onAsk={(what) => setAsked(asked === what ? null : what)}
        onChange={(body) => void change(body)}
      />
      {sending.refused !== null && <RefusedNotice refused={sending.refused} />}
      {asked === 'disable' && (
        <div className="account-form">
          <p className="hint">Its sessions end and it cannot sign in until it is enabled again.</p>
          <button
            type="button"
            className="button button-danger"
            onClick={() => void change({ disabled: true }).then(() => setAsked(null))}
          >
            Disable {account.name}
          </button>
        </div>
      )}
      {asked === 'reset' && <ResetForm account={account} onChanged={onChanged} />}
      {asked === 'ban' && <BanForm account={account} onChanged={done} />}
      {asked === 'lift' && <LiftForm account={account} onChanged={done} />}
    </>
  );
}

interface ButtonsProps {
  readonly account: AccountDetail;
  readonly asked: Asked | null;
  readonly busy: boolean;
  readonly onAsk: (what: Asked) => void;
  readonly onChange: (body: { readonly role?: AccountRole; readonly disabled?: boolean }) => void;
}

function ActButtons({ account, asked, busy, onAsk, onChange }: ButtonsProps): ReactElement {
  const mayBan = roleMay(useRole(), 'accounts:ban');
  const own = account.signs_in_by === 'password';
  const other = account.role === 'admin' ? 'member' : 'admin';
  const asking = (what: Asked, word: string, stops = false): ReactElement => (
    <button
      type="button"
      className={`button button-small${stops ? ' button-stop' : ''}`}
      aria-expanded={asked === what}
      onClick={() => onAsk(what)}
      data-act={what}
    >
      {word}
    </button>
  );
  return (
    <div className="button-row" role="group" aria-label="What can be done">
      {own && (
        <button
          type="button"
          className="button button-small"
          aria-disabled={busy}
          onClick={() => onChange({ role: other })}
          data-act="role"
        >
          Make {other}
        </button>
      )}
      {own && asking('reset', 'New password…')}
      {account.disabled_at === null ? (
        asking('disable', 'Disable…')
      ) : (
        <button
          type="button"
          className="button button-small"
          aria-disabled={busy}
          onClick={() => onChange({ disabled: false })}
          data-act="enable"
        >
          Enable
        </button>
      )}
      {mayBan && (account.ban === null ? asking('ban', 'Ban…', true) : asking('lift', 'Lift the ban…'))}
    </div>
  );
}

function ResetForm({ account, onChanged }: ActsProps): ReactElement {
  const { api } = useVillage();
  const sending = useSend();
  const [grant, setGrant] = useState<CodeGrant | null>(null);
  const send = async (): Promise<void> => {
    const reply = await sending.send(() => api.call(resetPassword, { params: { account_id: account.account_id } }));
    if (reply?.ok === true) {
      setGrant(reply.data.reset);
      onChanged();
    }
  };
  if (grant !== null) return <CodeNotice grant={grant} who={account.name} />;
  return (
    <div className="account-form">
      <ActionForm
        label="New password"
        sending={sending}
        ready
        word={`Reset ${account.name}'s password`}
        danger
        onSend={() => void send()}
      >
        <p className="hint">
          The password stops working and the sessions end at once. A one-time code sets a new password.
        </p>
      </ActionForm>
    </div>
  );
}

function BanForm({ account, onChanged }: ActsProps): ReactElement {
  const { api } = useVillage();
  const sending = useSend();
  const [reason, setReason] = useState('');
  const [term, setTerm] = useState('lifted');
  const send = async (): Promise<void> => {
    const end = endOf(term, Date.now());
    const body = { reason: reason.trim(), ...(end === undefined ? {} : { expires_at: end }) };
    const reply = await sending.send((idempotencyKey) =>
      api.call(banAccount, { params: { account_id: account.account_id }, body, idempotencyKey }),
    );
    if (reply?.ok === true) onChanged();
  };
  return (
    <div className="account-form">
      <ActionForm
        label="Ban"
        sending={sending}
        ready={reason.trim() !== ''}
        word={`Ban ${account.name}`}
        danger
        onSend={() => void send()}
      >
        <p className="hint">From this moment on everything they ask is refused, and what they have open ends.</p>
        <label>
          Reason
          <textarea
            name="reason"
            rows={2}
            maxLength={MEASURE_REASON_MAX}
            value={reason}
            onChange={(event) => {
              setReason(event.target.value);
              sending.changed();
            }}
            autoFocus
            placeholder="Why, for everybody who asks later"
          />
        </label>
        <label>
          How long
          <select
            name="term"
            value={term}
            onChange={(event) => {
              setTerm(event.target.value);
              sending.changed();
            }}
          >
            {TERMS.map(({ key, word }) => (
              <option key={key} value={key}>
                {word}
              </option>
            ))}
          </select>
        </label>
      </ActionForm>
    </div>
  );
}

function LiftForm({ account, onChanged }: ActsProps): ReactElement {
  const { api } = useVillage();
  const sending = useSend();
  const [reason, setReason] = useState('');
  const send = async (): Promise<void> => {
    const query = reason.trim() === '' ? {} : { reason: reason.trim() };
    const reply = await sending.send((idempotencyKey) =>
      api.call(liftAccountBan, { params: { account_id: account.account_id }, query, idempotencyKey }),
    );
    if (reply?.ok === true) onChanged();
  };
  return (
    <div className="account-form">
      <ActionForm
        label="Lift the ban"
        sending={sending}
        ready
        word={`Lift the ban of ${account.name}`}
        onSend={() => void send()}
      >
        <label>
          Reason, if there is one to tell
          <input
            name="reason"
            maxLength={MEASURE_REASON_MAX}
            value={reason}
            onChange={(event) => {
              setReason(event.target.value);
              sending.changed();
            }}
          />
        </label>
      </ActionForm>
    </div>
  );
}

/** A one-time code: shown once, to be given to the person. */
export function CodeNotice({ grant, who }: { readonly grant: CodeGrant; readonly who: string }): ReactElement {
  const [copied, setCopied] = useState(false);
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(grant.code).then(
      () => setCopied(true),
      () => undefined,
    );
  };
  return (
    <div className="notice notice-info code-notice" role="status">
      <span>
        <b>Give {who} this code.</b> It sets a password once, until{' '}
        {dateTime(Math.floor(Date.parse(grant.expires_at) / 60_000) * 60_000)}, and is shown nowhere again.
        <span className="code-line">
          <code data-code>{grant.code}</code>
          <button type="button" className="button button-small" onClick={() => void copy()}>
            {copied ? 'Copied' : 'Copy'}
          </button>
        </span>
      </span>
    </div>
  );
}
