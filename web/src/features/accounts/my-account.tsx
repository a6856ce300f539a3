import type { Session } from '@hamlet/contract';
import {
  changePassword,
  endMyOtherSessions,
  endMySession,
  listMySessions,
  PASSWORD_MIN_CHARS,
  renameMe,
} from '@hamlet/contract';
import { useEffect, useState } from 'react';
import './accounts.css';
import { type Live, useIntent, useLive } from '../../client/query/use-live.ts';
import { Button, Dialog, LinkButton, Notice, RefusedNotice } from '../../ui/controls.tsx';
import { ActionForm, TextField } from '../../ui/fields.tsx';
import { useVillage, useVillageState } from '../village-context.ts';
import { SessionRows } from './session-list.tsx';

const REFRESH_MS = 10_000;

export function MyAccount({ onClose }: { readonly onClose: () => void }) {
  const { session, open } = useVillage();
  const leaving = useIntent();
  const account = useVillageState((state) => (state.session.kind === 'account' ? state.session.account : null));
  const live = useLive(listMySessions, {}, REFRESH_MS);
  const byProvider = live.data?.sessions.some(({ current, signed_in_by: by }) => current && by === 'oidc') === true;
  useEffect(() => {
    if (account === null) onClose();
  }, [account, onClose]);
  const title = (
    <>
      {account?.name} <span className="role">{account?.role}</span>
    </>
  );
  return (
    <Dialog title={title} className="my-account" onClose={onClose} onCross={onClose}>
      <MySessions live={live} />
      <p>
        <LinkButton
          word="API keys of your programs"
          data-action="connections"
          onClick={() => {
            onClose();
            open({ view: 'connections' });
          }}
        />
      </p>
      {byProvider ? (
        <p className="hint">You sign in through an identity provider. Change your name, role and password there.</p>
      ) : (
        <>
          <NameForm name={account?.name ?? ''} />
          <PasswordForm />
        </>
      )}
      {leaving.refused !== null && <RefusedNotice refused={leaving.refused} />}
      <Button
        look="plain"
        icon="logout"
        word="Sign out"
        aria-disabled={leaving.busy}
        onClick={() => void leaving.send(() => session.signOut())}
        data-action="sign-out"
      />
    </Dialog>
  );
}

function MySessions({ live }: { readonly live: Live<{ readonly sessions: readonly Session[] }> }) {
  const { api } = useVillage();
  const sending = useIntent();
  const end = async (id: string | null): Promise<void> => {
    const reply = await sending.send(
      () => (id === null ? api.call(endMyOtherSessions, {}) : api.call(endMySession, { params: { session_id: id } })),
      id ?? 'others',
    );
    if (reply?.ok === true) live.again();
  };
  const sessions = live.data?.sessions ?? [];
  return (
    <section className="sessions" aria-label="Sessions">
      <h3 className="section-name">Sessions</h3>
      {live.refused !== null && <RefusedNotice refused={live.refused} />}
      <SessionRows sessions={sessions} onEnd={(id) => void end(id)} />
      {sessions.length > 1 && (
        <Button word="End all other sessions" aria-disabled={sending.busy} onClick={() => void end(null)} />
      )}
      {sending.refused !== null && <RefusedNotice refused={sending.refused} />}
    </section>
  );
}

function NameForm({ name }: { readonly name: string }) {
  const { session } = useVillage();
  const sending = useIntent();
  const [next, setNext] = useState(name);
  const send = async (): Promise<void> => {
    if ((await sending.call(renameMe, { body: { name: next.trim() } })) !== null) await session.refresh();
  };
  return (
    <details className="my-name">
      <summary>Change your name</summary>
      <ActionForm
        label="Change your name"
        sending={sending}
        ready={next.trim() !== '' && next.trim() !== name}
        word="Set the name"
        onSend={() => void send()}
      >
        <TextField
          label="Name, with which you also sign in"
          name="name"
          autoComplete="username"
          maxLength={64}
          value={next}
          onChange={(text) => {
            setNext(text);
            sending.changed();
          }}
        />
      </ActionForm>
    </details>
  );
}

function PasswordForm() {
  const sending = useIntent();
  const [current, setCurrent] = useState('');
  const [next, setNext] = useState('');
  const [done, setDone] = useState(false);
  const send = async (): Promise<void> => {
    const data = await sending.call(changePassword, { body: { current_password: current, new_password: next } });
    if (data === null) return;
    setCurrent('');
    setNext('');
    setDone(true);
  };
  const write =
    (set: (text: string) => void) =>
    (text: string): void => {
      set(text);
      setDone(false);
      sending.changed();
    };
  return (
    <details className="my-password">
      <summary>Change the password</summary>
      <ActionForm
        label="Change the password"
        sending={sending}
        ready={current !== '' && next.length >= PASSWORD_MIN_CHARS}
        word="Set the password"
        onSend={() => void send()}
      >
        <TextField
          label="Current password"
          name="current"
          type="password"
          autoComplete="current-password"
          value={current}
          onChange={write(setCurrent)}
        />
        <TextField
          label="New password"
          name="next"
          type="password"
          autoComplete="new-password"
          value={next}
          onChange={write(setNext)}
          placeholder={`at least ${PASSWORD_MIN_CHARS} characters`}
        />
        {done && <Notice tone="good">The password is set. All your other sessions have ended.</Notice>}
      </ActionForm>
    </details>
  );
}
