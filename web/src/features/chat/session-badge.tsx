import type { ChatSession } from '@hamlet/contract';
import { Badge } from '../../ui/controls.tsx';
import { usePending } from '../permissions/use-pending.ts';
import { sessionLabel } from './chat-labels.ts';

/** The state of a conversation, unless it is idle. */
export function SessionBadge({ session }: { readonly session: ChatSession }) {
  const pending = usePending().data?.permissions ?? [];
  if (session.state === 'idle') return null;
  const { word, tone } = sessionLabel(session, pending);
  return <Badge tone={tone}>{word}</Badge>;
}
