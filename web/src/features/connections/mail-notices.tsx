import {
  type CallData,
  changeMyMail,
  confirmMail,
  forgetMyMail,
  getMyNotices,
  type NoticeWants,
  sendMailCode,
} from '@hamlet/contract';
import { useState } from 'react';
import { useIntent, useLive } from '../../client/query/use-live.ts';
import { Button, Notice, RefusedNotice } from '../../ui/controls.tsx';
import { ActionForm, SelectField, TextField } from '../../ui/fields.tsx';

const REFRESH_MS = 30_000;

const WANTS: readonly (readonly [wants: NoticeWants, text: string])[] = [
  ['needs', 'When something needs me, at most every 15 minutes'],
  ['morning', 'Each morning, with what changed'],
  ['off', 'Never'],
];

type Mail = NonNullable<CallData<typeof getMyNotices>['mail']>;
type PartProps = Readonly<{ mail: Mail; onChanged: () => void }>;

/** The ways in which the village notifies the viewer. All components share one request. */
export const useMyNotices = () => useLive(getMyNotices, {}, REFRESH_MS);

/** The address to which the village emails what waits for the viewer; empty in a village without mail. */
export function MailNotices() {
  const { data, refused, again } = useMyNotices();
  const mail = data?.mail ?? null;
  if (mail === null) return refused === null ? null : <RefusedNotice refused={refused} />;
  return (
    <section className="card notices-card" aria-label="Mail">
      <h2>Mail</h2>
      {mail.refused && (
        <Notice tone="waiting">
          The server of your address refused mail, so the village sends no more: confirm an address again.
        </Notice>
      )}
      {mail.address === null ? (
        <p className="hint">The village emails you what needs you, with links. The texts stay in the village.</p>
      ) : (
        <Wants mail={mail} onChanged={again} />
      )}
      {mail.awaits_code !== null && <Confirm mail={mail} onChanged={again} />}
      <Address mail={mail} onChanged={again} />
    </section>
  );
}

function Wants({ mail, onChanged }: PartProps) {
  const sending = useIntent();
  const choose = async (wants: NoticeWants): Promise<void> => {
    if ((await sending.call(changeMyMail, { body: { wants } })) !== null) onChanged();
  };
  const forget = async (): Promise<void> => {
    if ((await sending.call(forgetMyMail, {})) !== null) onChanged();
  };
  return (
    <>
      <p className="mail-address">
        Mail goes to <b data-mail>{mail.address}</b>
        <Button word="Forget it" aria-disabled={sending.busy} onClick={() => void forget()} data-action="forget-mail" />
      </p>
      <SelectField
        label="Send"
        name="wants"
        className="pick"
        value={mail.wants}
        options={WANTS}
        onChange={(to) => void choose(to)}
      />
      {sending.refused !== null && <RefusedNotice refused={sending.refused} />}
    </>
  );
}

function Address({ mail, onChanged }: PartProps) {
  const sending = useIntent();
  const [address, setAddress] = useState('');
  const send = async (): Promise<void> => {
    if ((await sending.call(sendMailCode, { body: { address: address.trim() } })) === null) return;
    setAddress('');
    onChanged();
  };
  const label = mail.address === null ? 'Your address' : 'Another address';
  return (
    <ActionForm
      label={label}
      sending={sending}
      ready={address.trim() !== ''}
      word="Send a code"
      onSend={() => void send()}
    >
      <TextField label={label} name="address" type="email" value={address} onChange={setAddress} autoComplete="email" />
    </ActionForm>
  );
}

function Confirm({ mail, onChanged }: PartProps) {
  const sending = useIntent();
  const [code, setCode] = useState('');
  const confirm = async (): Promise<void> => {
    if ((await sending.call(confirmMail, { body: { code: code.trim().toUpperCase() } })) !== null) onChanged();
  };
  return (
    <ActionForm
      label="Confirm the address"
      sending={sending}
      ready={code.trim() !== ''}
      word="Confirm"
      onSend={() => void confirm()}
    >
      <TextField
        label={`Code that ${mail.awaits_code} received`}
        name="code"
        value={code}
        onChange={setCode}
        autoComplete="one-time-code"
      />
    </ActionForm>
  );
}
