import { type AgentDetail, createSession, roleMay } from '@hamlet/contract';
import { type ReactElement, useState } from 'react';
import { useIntent } from '../../client/query/use-intent.ts';
import { RefusedNotice } from '../../ui/notices/refused-notice.tsx';
import { SignInHint } from '../sign-in/sign-in-hint.tsx';
import { useRole, useVillage, useVillageState } from '../village-context.ts';
import { beforeSendingLabel } from './chat-labels.ts';
import { Composer } from './composer.tsx';
import { ConversationList } from './conversation-list.tsx';
import { ConversationView } from './conversation-view.tsx';
import './chat.css';

/** The conversations of the viewer with an agent: the list with a field for a new one, or the open conversation. */
export function ChatTab({ agent }: { readonly agent: AgentDetail }): ReactElement {
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

function NewConversation({ agent }: { readonly agent: AgentDetail }): ReactElement {
  const { api, open, messages } = useVillage();
  const intent = useIntent();
  const isChosen = useVillageState((state) => state.place.tab === 'chat');
  const [sending, setSending] = useState(false);
  const begin = async (text: string): Promise<boolean> => {
    setSending(true);
    const reply = await intent.send((idempotencyKey) =>
      api.call(createSession, { params: { agent_id: agent.agent_id }, body: {}, idempotencyKey }),
    );
    setSending(false);
    if (reply?.ok !== true) return false;
    const { session_id: chat } = reply.data.session;
    // The outbox keeps the message if it is refused, and the conversation shows it.
    void messages.outbox.add(chat, text);
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
