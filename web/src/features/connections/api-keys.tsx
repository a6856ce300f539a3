import type { ApiKeyView, KeyScope } from '@hamlet/contract';
import {
  KEY_NAME_MAX_CHARS,
  createMyKey,
  FEDERATED_KEY_DAYS_MAX,
  KEY_DAYS_MAX,
  listMyKeys,
  listMySessions,
  revokeMyKey,
  scopesOf,
} from '@hamlet/contract';
import { useState } from 'react';
import { type Live, useIntent, useLive } from '../../client/query/use-live.ts';
import { Button, Notice, RefusedNotice, useNow } from '../../ui/controls.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { ActionForm, CheckField, SelectField, TextField } from '../../ui/fields.tsx';
import { useRole } from '../village-context.ts';
import { keyLabel, lifetimes, SCOPE_WORDS } from './key-labels.ts';

const REFRESH_MS = 15_000;

/** The API keys of the viewer, and the form for a new one. */
export function ApiKeys({ writing, onClose }: { readonly writing: boolean; readonly onClose: () => void }) {
  const live = useLive(listMyKeys, {}, REFRESH_MS);
  const keys = live.data?.keys ?? [];
  return (
    <>
      {writing && <KeyForm onMade={live.again} onClose={onClose} />}
      {live.refused !== null && <RefusedNotice refused={live.refused} />}
      {live.data !== null && keys.length === 0 && (
        <p className="card empty">No API keys yet. Create one for a script, an assistant or kubectl hamlet.</p>
      )}
      {keys.length > 0 && (
        <ul className="card key-list" aria-label="API keys">
          {keys.map((key) => (
            <KeyRow key={key.key_id} shown={key} onRevoked={live.again} />
          ))}
        </ul>
      )}
    </>
  );
}

function KeyRow({ shown, onRevoked }: { readonly shown: ApiKeyView; readonly onRevoked: Live<unknown>['again'] }) {
  const nowMs = useNow(15_000);
  const sending = useIntent();
  const [asks, setAsks] = useState(false);
  const revoke = async (): Promise<void> => {
    const data = await sending.call(revokeMyKey, { params: { key_id: shown.key_id } });
    if (data !== null) onRevoked();
  };
  return (
    <li className="key-row" data-key={shown.name}>
      <span className="key-words">
        <b>{shown.name}</b>
        <small>{keyLabel(shown, nowMs)}</small>
      </span>
      {asks ? (
        <span className="button-row">
          <Button
            look="danger"
            word={`Revoke ${shown.name}`}
            aria-disabled={sending.busy}
            onClick={() => void revoke()}
          />
          <Button look="plain" word="Keep it" onClick={() => setAsks(false)} />
        </span>
      ) : (
        <Button word="Revoke…" aria-label={`Revoke ${shown.name}…`} onClick={() => setAsks(true)} />
      )}
      {sending.refused !== null && <RefusedNotice refused={sending.refused} />}
    </li>
  );
}

/** True if the viewer signed in through an identity provider; false while it is unknown. */
function useByProvider(): boolean {
  const { data } = useLive(listMySessions, {}, REFRESH_MS);
  return data?.sessions.some(({ current, signed_in_by: by }) => current && by === 'oidc') === true;
}

function KeyForm({ onMade, onClose }: { readonly onMade: () => void; readonly onClose: () => void }) {
  const sending = useIntent();
  const offered = scopesOf(useRole());
  const mostDays = useByProvider() ? FEDERATED_KEY_DAYS_MAX : KEY_DAYS_MAX;
  const [name, setName] = useState('');
  const [scopes, setScopes] = useState<readonly KeyScope[]>(['read']);
  const [days, setDays] = useState('30');
  const [made, setMade] = useState<{ readonly name: string; readonly token: string } | null>(null);
  const send = async (): Promise<void> => {
    const body = { name: name.trim(), scopes: [...scopes], days: Number(days) };
    const data = await sending.call(createMyKey, { body });
    if (data === null) return;
    setMade({ name: data.key.name, token: data.token });
    setName('');
    onMade();
  };
  const changed = (): void => {
    setMade(null);
    sending.changed();
  };
  return (
    <section className="card key-new" aria-label="New API key">
      <ActionForm
        label="New API key"
        sending={sending}
        ready={name.trim() !== '' && scopes.length > 0}
        word="Create the key"
        onCancel={onClose}
        onSend={() => void send()}
      >
        <div className="key-fields">
          <TextField
            label="Name"
            name="name"
            maxLength={KEY_NAME_MAX_CHARS}
            placeholder="what uses it, for example backup script"
            value={name}
            onChange={(text) => {
              setName(text);
              changed();
            }}
            autoFocus
          />
          <SelectField
            label="Expires after"
            name="days"
            value={days}
            options={lifetimes(mostDays)}
            onChange={setDays}
          />
        </div>
        <fieldset className="key-scopes">
          <legend>The program may</legend>
          {offered.map((scope) => (
            <CheckField
              key={scope}
              name={scope}
              label={SCOPE_WORDS[scope]}
              value={scopes.includes(scope)}
              onChange={(on) => {
                setScopes(offered.filter((each) => (each === scope ? on : scopes.includes(each))));
                changed();
              }}
            />
          ))}
        </fieldset>
        {made !== null && (
          <Notice tone="info" icon={null} className="key-shown">
            <b>Copy the key {made.name} now.</b> It is not shown again. A program sends it as a bearer token.
            <span className="key-line">
              <code data-token>{made.token}</code>
              <CopyButton text={made.token} word="Copy the key" />
            </span>
          </Notice>
        )}
      </ActionForm>
    </section>
  );
}
