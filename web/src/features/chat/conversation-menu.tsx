import type { ChatSession } from '@hamlet/contract';
import { addSessionPerson, endSession, pauseSession, removeSessionPerson, resumeSession } from '@hamlet/contract';
import { useState } from 'react';
import { isOwn } from '../../client/labels.ts';
import type { Reply } from '../../client/api.ts';
import { useIntent } from '../../client/query/use-live.ts';
import { Button, RefusedNotice } from '../../ui/controls.tsx';
import { Form } from '../../ui/fields.tsx';
import { AllowRules } from '../permissions/allow-rules.tsx';
import { useRole, useViewerId, useVillage } from '../village-context.ts';
import { removalOf } from './chat-labels.ts';

type MenuProps = Readonly<{ session: ChatSession; onChanged: (session: ChatSession) => void }>;

export function ConversationMenu({ session, onChanged }: MenuProps) {
  const { api, open } = useVillage();
  const viewer = useViewerId();
  const intent = useIntent();
  const [ending, setEnding] = useState(false);
  const params = { session_id: session.session_id };
  const change = async (
    intentName: string,
    call: (idempotencyKey: string) => Promise<Reply<{ readonly session: ChatSession }>>,
  ): Promise<boolean> => {
    const reply = await intent.send(call, intentName);
    if (reply?.ok === true) onChanged(reply.data.session);
    return reply?.ok === true;
  };
  const isPaused = session.state === 'paused';
  const toggle = (): Promise<boolean> =>
    isPaused
      ? change('resume', (idempotencyKey) => api.call(resumeSession, { params, idempotencyKey }))
      : change('pause', (idempotencyKey) => api.call(pauseSession, { params, idempotencyKey }));
  const end = (): Promise<boolean> =>
    change('end', (idempotencyKey) => api.call(endSession, { params, idempotencyKey }));
  return (
    <div className="conversation-menu">
      <People
        session={session}
        busy={intent.busy}
        onRemove={async (id) => {
          const left = await change(`remove ${id}`, (idempotencyKey) =>
            api.call(removeSessionPerson, { params: { ...params, person_id: id }, idempotencyKey }),
          );
          if (left && isOwn(id, viewer)) open({ chat: null });
        }}
      />
      {session.state !== 'terminated' && (
        <>
          <Invite
            busy={intent.busy}
            onInvite={(name) =>
              change(`invite ${name}`, (idempotencyKey) =>
                api.call(addSessionPerson, { params, body: { name }, idempotencyKey }),
              )
            }
          />
          <div className="button-row">
            <Button
              icon={isPaused ? 'play' : 'pause'}
              iconPx={14}
              word={isPaused ? 'Resume' : 'Pause'}
              title={isPaused ? 'The agent continues with the waiting messages' : 'Messages wait until you resume'}
              onClick={() => void toggle()}
              data-action={isPaused ? 'resume' : 'pause'}
            />
            {ending ? (
              <>
                <Button
                  className="button-danger"
                  word="End this conversation"
                  autoFocus
                  onClick={() => void end()}
                  data-action="confirm-end"
                />
                <Button word="Keep it" onClick={() => setEnding(false)} />
              </>
            ) : (
              <Button word="End…" onClick={() => setEnding(true)} data-action="end" />
            )}
          </div>
        </>
      )}
      <AllowRules title="Always allowed here" of={{ session_id: session.session_id }} />
      {intent.refused !== null && <RefusedNotice refused={intent.refused} />}
    </div>
  );
}

type PeopleProps = Readonly<{ session: ChatSession; busy: boolean; onRemove: (id: string) => Promise<void> }>;

/** The people of a conversation. Its creator and admins remove others, and every person may leave. */
function People({ session, busy, onRemove }: PeopleProps) {
  const viewer = useViewerId();
  const role = useRole();
  const [asked, setAsked] = useState<string | null>(null);
  return (
    <ul className="conversation-people" aria-label="People of this conversation">
      {session.people.map(({ id, name }) => {
        const word = removalOf(session, id, { viewer, role });
        return (
          <li key={id} data-person={name}>
            <span>{name}</span>
            {word !== null && asked !== id && (
              <Button
                word={word}
                aria-label={`${word}: ${name}`}
                onClick={() => setAsked(id)}
                data-action="remove-person"
              />
            )}
            {word !== null && asked === id && (
              <span className="button-row">
                <Button
                  className="button-danger"
                  word={isOwn(id, viewer) ? 'Leave, and read no more' : `Remove ${name}`}
                  autoFocus
                  aria-disabled={busy}
                  onClick={() => void onRemove(id)}
                  data-action="confirm-remove-person"
                />
                <Button word="Keep" onClick={() => setAsked(null)} />
              </span>
            )}
          </li>
        );
      })}
    </ul>
  );
}

function Invite({ busy, onInvite }: Readonly<{ busy: boolean; onInvite: (name: string) => Promise<boolean> }>) {
  const [name, setName] = useState('');
  const ready = name.trim() !== '' && !busy;
  const invite = async (): Promise<void> => {
    if (ready && (await onInvite(name.trim()))) setName('');
  };
  return (
    <Form className="invite" onSend={invite}>
      <input
        name="person"
        aria-label="Name of a person to invite"
        placeholder="Invite a person by name"
        autoComplete="off"
        maxLength={64}
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
      <Button word="Invite" type="submit" aria-disabled={!ready} title="The person reads the whole conversation" />
    </Form>
  );
}
