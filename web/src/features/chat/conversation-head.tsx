import type { ChatSession } from '@hamlet/contract';
import { type ReactElement, useState } from 'react';
import { Badge } from '../../ui/badge.tsx';
import { IconButton } from '../../ui/button.tsx';
import { useVillage } from '../village-context.ts';
import { SESSION_STATES } from './chat-labels.ts';
import { ConversationMenu } from './conversation-menu.tsx';

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
