import { ACCOUNT_ROLES, type AccountRole, type CodeGrant, createAccount } from '@hamlet/contract';
import { type ReactElement, useState } from 'react';
import { useSend } from '../../client/ask/use-send.ts';
import { ActionForm } from '../../ui/action-form.tsx';
import { useVillage } from '../village-context.ts';
import { CodeNotice } from './code-notice.tsx';

/** Makes an account. The person sets a password with a one-time code, which is shown here and nowhere again. */
export function CreateForm({
  onMade,
  onClose,
}: {
  readonly onMade: () => void;
  readonly onClose: () => void;
}): ReactElement {
  const { api } = useVillage();
  const sending = useSend();
  const [name, setName] = useState('');
  const [role, setRole] = useState<AccountRole>('member');
  const [made, setMade] = useState<{ readonly name: string; readonly invitation: CodeGrant | null } | null>(null);
  const ready = name.trim() !== '';
  const send = async (): Promise<void> => {
    const reply = await sending.send(() => api.call(createAccount, { body: { name: name.trim(), role } }));
    if (reply?.ok !== true) return;
    setMade({ name: reply.data.account.name, invitation: reply.data.invitation });
    setName('');
    onMade();
  };
  return (
    <section className="card account-new" aria-label="New account">
      <ActionForm
        label="New account"
        sending={sending}
        ready={ready}
        word="Make the account"
        onCancel={onClose}
        onSend={() => void send()}
      >
        <div className="account-fields">
          <label>
            Name
            <input
              name="name"
              autoComplete="off"
              maxLength={64}
              value={name}
              onChange={(event) => {
                setName(event.target.value);
                setMade(null);
                sending.changed();
              }}
              autoFocus
            />
          </label>
          <label>
            Role
            <select
              name="role"
              value={role}
              onChange={(event) => {
                const chosen = ACCOUNT_ROLES.find((known) => known === event.target.value);
                if (chosen !== undefined) setRole(chosen);
              }}
            >
              {ACCOUNT_ROLES.map((known) => (
                <option key={known} value={known}>
                  {known}
                </option>
              ))}
            </select>
          </label>
        </div>
        {made !== null && made.invitation !== null && <CodeNotice grant={made.invitation} who={made.name} />}
      </ActionForm>
    </section>
  );
}
