import {
  type AgentDetail,
  type ChatSession,
  createSession,
  type GivenFile,
  listAgentSessions,
  roleMay,
} from '@hamlet/contract';
import { useState } from 'react';
import { useIntent, usePages } from '../../client/query/use-live.ts';
import { Badge, PagedList, RefusedNotice, Time, useNow } from '../../ui/controls.tsx';
import { SignInHint } from '../sign-in/sign-in-hint.tsx';
import { useRole, useVillage, useVillageState } from '../village-context.ts';
import { beforeSendingLabel, SESSION_STATES } from './chat-labels.ts';
import { Composer } from './composer.tsx';
import { ConversationView } from './conversation-view.tsx';
import './chat.css';
import { timeAgo } from '../../ui/time-labels.ts';

export function ChatTab({ agent }: { readonly agent: AgentDetail }) {
  const chat = useVillageState((state) => state.place.chat);
  const role = useRole();
  if (!roleMay(role, 'sessions:write'))
    return <SignInHint text={`Sign in as a member to talk to ${agent.display_name}.`} />;
  return chat === null ? (
    <NewConversation agent={agent} />
  ) : (
    <ConversationView key={chat} sessionId={chat} agent={agent} />
  );
}

function NewConversation({ agent }: { readonly agent: AgentDetail }) {
  const { open, messages } = useVillage();
  const intent = useIntent();
  const isChosen = useVillageState((state) => state.place.tab === 'chat');
  const [sending, setSending] = useState(false);
  const begin = async (text: string, files: readonly GivenFile[]): Promise<boolean> => {
    setSending(true);
    const data = await intent.call(createSession, { params: { agent_id: agent.agent_id }, body: {} });
    setSending(false);
    if (data === null) return false;
    const { session_id: chat } = data.session;
    // The outbox keeps the message if it is refused, and the conversation shows it.
    void messages.outbox.add(chat, text, files);
    open({ chat });
    return true;
  };
  return (
    <div className="chat">
      <div className="chat-scroll">
        <ConversationList agent={agent} />
      </div>
      {intent.refused !== null && <RefusedNotice refused={intent.refused} />}
      <Composer
        draft={`chat-${agent.agent_id}`}
        to={agent.display_name}
        busy={sending}
        // A panel that opens by itself leaves the keys to the map.
        focused={isChosen}
        onSend={begin}
        hint={beforeSendingLabel(agent)}
      />
    </div>
  );
}

const PAGE = 20;
const EVERY_MS = 5_000;

function ConversationList({ agent }: { readonly agent: AgentDetail }) {
  const params = { agent_id: agent.agent_id };
  const pages = usePages(
    listAgentSessions,
    { params, query: { limit: PAGE } },
    { list: 'sessions', id: 'session_id', everyMs: EVERY_MS },
  );
  const now = useNow(10_000);
  return (
    <PagedList
      pages={pages}
      className="conversations"
      label={`Conversations with ${agent.display_name}`}
      older="Older conversations"
      empty={
        <span className="chat-welcome">
          <b>Talk to {agent.display_name}.</b> Ask a question or give it a task. Your conversations stay here; only
          their people read them. If an admin opens one, the audit records it.
        </span>
      }
    >
      {(session) => <ConversationRow key={session.session_id} session={session} now={now} />}
    </PagedList>
  );
}

function ConversationRow({ session, now }: Readonly<{ session: ChatSession; now: number }>) {
  const { open } = useVillage();
  const { word, tone } = SESSION_STATES[session.state];
  return (
    <li>
      <button
        type="button"
        className="conversation-row"
        data-session={session.session_id}
        onClick={() => open({ chat: session.session_id })}
      >
        <b className="conversation-title">{session.title}</b>
        <Time at={session.last_at} word={timeAgo(session.last_at, now)} />
        <span className="conversation-facts">
          {session.state !== 'idle' && <Badge tone={tone}>{word}</Badge>}
          {session.waiting > 0 && <span>{session.waiting} waiting</span>}
          {session.people.length > 1 && <span>{session.people.map(({ name }) => name).join(', ')}</span>}
        </span>
      </button>
    </li>
  );
}
