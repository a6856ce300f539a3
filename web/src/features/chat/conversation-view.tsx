import { type AgentDetail, getAgent, type Permission } from '@hamlet/contract';
import { type ReactElement, useCallback, useMemo } from 'react';
import { type Conversation, exchangesOf, isFinalMessage, withPermission } from '../../client/minds/conversation.ts';
import { traceItems } from '../../client/minds/trace-items.ts';
import { useLive } from '../../client/query/use-live.ts';
import { useStore } from '../../client/store.ts';
import { Button } from '../../ui/button.tsx';
import { Notice } from '../../ui/notices/notice.tsx';
import { secondTime } from '../../ui/time-labels.ts';
import { useVillage } from '../village-context.ts';
import { SessionResults } from '../results/session-results.tsx';
import { streamLabel } from '../runs/run-labels.ts';
import { announcement, beforeSendingLabel, limitLabel, type Listener, queueLabel } from './chat-labels.ts';
import { Composer } from './composer.tsx';
import { ConversationHead } from './conversation-head.tsx';
import { ExchangeView } from './transcript/exchange-view.tsx';
import { usageOf } from './conversation-usage.ts';
import { OlderMessages } from './transcript/older-messages.tsx';
import { PendingMessages } from './transcript/pending-messages.tsx';
import { StopButton } from './stop-button.tsx';
import { useConversation } from './use-conversation.ts';
import { useStickToEnd } from './use-stick-to-end.ts';

interface ViewProps {
  readonly sessionId: string;
  readonly agent: AgentDetail;
}

/** One conversation: its transcript, which follows the stream, and the field for a message. */
export function ConversationView({ sessionId, agent }: ViewProps): ReactElement {
  const { state, stream, change } = useConversation(sessionId, agent.agent_id);
  const { messages } = useVillage();
  const wake = useStore(messages.wakes, (wakes) => wakes.get(sessionId) ?? null);
  const listener = { ...agent, wake };
  const stick = useStickToEnd();
  const onAnswered = useCallback(
    (permission: Permission) => change((now) => withPermission(now, permission)),
    [change],
  );
  const { session } = state;
  const isOther = session !== null && session.agent_id !== agent.agent_id;
  const problem = streamLabel(stream);
  if (isOther) return <OtherAgent session={session} name={agent.display_name} />;
  return (
    <div className="chat" data-session={sessionId} data-stream={stream.kind}>
      <ConversationHead
        session={session}
        usage={usageOf(state)}
        onChanged={(known) => change((now) => ({ ...now, session: known }))}
      />
      <div className="chat-scroll" ref={stick.scroller} tabIndex={0} role="group" aria-label="Transcript">
        <div className="chat-content" ref={stick.content}>
          <OlderMessages state={state} sessionId={sessionId} change={change} />
          <SessionResults sessionId={sessionId} version={state.messages.length}>
            <Transcript state={state} listener={listener} agentId={agent.agent_id} onAnswered={onAnswered} />
          </SessionResults>
          <PendingMessages sessionId={sessionId} shown={state.messages} />
          {problem !== null && (
            <Notice tone={stream.kind === 'refused' ? 'bad' : 'waiting'} icon="offline">
              {problem}
            </Notice>
          )}
        </div>
      </div>
      {!stick.atEnd && <Button className="to-end" icon="down" iconPx={14} word="Newest" onClick={stick.toEnd} />}
      {session?.state === 'terminated' ? (
        <p className="hint chat-ended">This conversation has ended. Its transcript stays readable for 30 days.</p>
      ) : (
        <OpenComposer
          sessionId={sessionId}
          state={state}
          listener={listener}
          onSend={(text) => {
            void messages.outbox.add(sessionId, text);
            stick.toEnd();
          }}
        />
      )}
    </div>
  );
}

function OtherAgent({
  session,
  name,
}: Readonly<{ session: { readonly agent_id: string }; name: string }>): ReactElement {
  const { open, select } = useVillage();
  return (
    <div className="empty">
      <p>This conversation is not with {name}.</p>
      <div className="button-row">
        <Button word={`Open ${session.agent_id}`} onClick={() => select(session.agent_id)} />
        <Button word={`Conversations with ${name}`} onClick={() => open({ chat: null })} />
      </div>
    </div>
  );
}

interface TranscriptProps {
  readonly state: Conversation;
  readonly listener: Listener;
  readonly agentId: string;
  readonly onAnswered: (permission: Permission) => void;
}

function Transcript({ state, listener, agentId, onAnswered }: TranscriptProps): ReactElement {
  const exchanges = useMemo(() => exchangesOf(state), [state]);
  const open = exchanges.filter(({ question }) => question?.state === 'queued' || question?.state === 'working');
  const newest = open[0] ?? exchanges.at(-1);
  const limit = useLimit(agentId, listener.display_name, open.length > 0);
  const items = useMemo(() => (newest === undefined ? [] : traceItems(newest.trace, newest.permissions)), [newest]);
  return (
    <>
      <ol className="transcript">
        {exchanges.map((exchange) => (
          <li key={exchange.key}>
            <ExchangeView
              exchange={exchange}
              agentId={agentId}
              agentName={listener.display_name}
              waitsFor={
                exchange.question?.state === 'queued'
                  ? queueLabel({ session: state.session, agent: listener, before: open.indexOf(exchange) })
                  : exchange.question?.state === 'working'
                    ? limit
                    : null
              }
              onAnswered={onAnswered}
            />
          </li>
        ))}
      </ol>
      <div className="sr-only" role="status" aria-live="polite">
        {announcement(newest, listener.display_name, items)}
      </div>
    </>
  );
}

const LIMIT_EVERY_MS = 3_000;

/** The limit at which the agent waits, in words, while there is work for it. */
function useLimit(agentId: string, name: string, isBusy: boolean): string | null {
  const { data } = useLive(getAgent, isBusy ? { params: { agent_id: agentId } } : null, LIMIT_EVERY_MS);
  return isBusy ? limitLabel(name, data?.limit_reached, secondTime) : null;
}

interface OpenComposerProps {
  readonly sessionId: string;
  readonly state: Conversation;
  readonly listener: Listener;
  readonly onSend: (text: string) => void;
}

function OpenComposer({ sessionId, state, listener, onSend }: OpenComposerProps): ReactElement {
  const open = state.messages.find((message) => !isFinalMessage(message));
  const runId = open?.run_id ?? null;
  return (
    <Composer
      draft={`chat-${sessionId}`}
      to={listener.display_name}
      focused
      onSend={(text) => {
        onSend(text);
        return true;
      }}
      stop={runId === null ? null : <StopButton key={runId} runId={runId} run={state.traces.get(runId)?.run ?? null} />}
      hint={open === undefined ? beforeSendingLabel(listener) : null}
    />
  );
}
