import { type AgentDetail, createSession, type GivenFile, roleMay } from '@hamlet/contract';
import { useState } from 'react';
import { useIntent } from '../../client/query/use-live.ts';
import { RefusedNotice } from '../../ui/controls.tsx';
import { TimelineList } from './timeline-list.tsx';
import { SignInHint } from '../sign-in/sign-in-hint.tsx';
import { useRole, useVillage, useVillageState } from '../village-context.ts';
import { beforeSendingLabel } from './chat-labels.ts';
import { Composer } from './composer.tsx';
import { ConversationView } from './conversation-view.tsx';
import './chat.css';

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
        <TimelineList agent={agent} />
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
