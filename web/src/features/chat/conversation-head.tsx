import { addSessionPerson, type ChatSession, endSession, pauseSession, resumeSession } from '@hamlet/contract';
import { type ReactElement, useState } from 'react';
import type { Reply } from '../../client/api.ts';
import { useIntent } from '../../client/query/use-intent.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button, IconButton } from '../../ui/button.tsx';
import { RefusedNotice } from '../../ui/notices/refused-notice.tsx';
import { useVillage } from '../village-context.ts';
import { SESSION_STATES } from './chat-labels.ts';

interface HeadProps {
  readonly session: ChatSession | null;
  /** Steps and cost of the whole conversation so far. */
  readonly usage: string;
  readonly onChanged: (session: ChatSession) => void;
}

/** The title of a conversation with its state, and a menu: people, pause, end. */
export function ConversationHead({ session, usage, onChanged }: HeadProps): ReactElement {
  const { open } = useVillage();
  const [menu, setMenu] = useState(false);
  return (
    <header className="conversation-head">
      <IconButton icon="back" label="All conversations" onClick={() => open({ chat: null })} data-action="back" />
      <h3>{session?.title ?? 'Conversation'}</h3>
      {session !== null && session.state !== 'idle' && (
        <Badge tone={SESSION_STATES[session.state].tone}>{SESSION_STATES[session.state].word}</Badge>
      )}
      {session !== null && (
        <IconButton
          icon="more"
          label="People, pause and end"
          aria-expanded={menu}
          onClick={() => setMenu(!menu)}
          data-action="menu"
        />
      )}
      {usage !== '' && <p className="conversation-usage">{usage}</p>}
      {menu && session !== null && <ConversationMenu session={session} onChanged={onChanged} />}
    </header>
  );
}

type MenuProps = Readonly<{ session: ChatSession; onChanged: (session: ChatSession) => void }>;

function ConversationMenu({ session, onChanged }: MenuProps): ReactElement {
  const { api } = useVillage();
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
      <p>
        <b>People:</b> {session.people.map(({ name }) => name).join(', ')}
      </p>
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
      {intent.refused !== null && <RefusedNotice refused={intent.refused} />}
    </div>
  );
}

type InviteProps = Readonly<{ busy: boolean; onInvite: (name: string) => Promise<boolean> }>;

function Invite({ busy, onInvite }: InviteProps): ReactElement {
  const [name, setName] = useState('');
  const ready = name.trim() !== '' && !busy;
  const invite = async (): Promise<void> => {
    if (ready && (await onInvite(name.trim()))) setName('');
  };
  return (
    <form
      className="form invite"
      onSubmit={(event) => {
        event.preventDefault();
        void invite();
      }}
    >
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
    </form>
  );
}
