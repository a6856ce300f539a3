import type { AgentDetail, ChatSession, GivenFile, Permission, Run } from '@hamlet/contract';
import { getAgent, listMessages, roleMay } from '@hamlet/contract';
import { isForeign } from '@hamlet/core';
import { type RefObject, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { Conversation, Exchange } from '../../client/minds/conversation.ts';
import {
  exchangesOf,
  isFinalMessage,
  openQuestion,
  withMessages,
  withPermission,
} from '../../client/minds/conversation.ts';
import type { RunTrace } from '../../client/minds/run-trace.ts';
import { stepsSoFar, traceItems } from '../../client/minds/trace-items.ts';
import { useLive } from '../../client/query/use-live.ts';
import { useStore } from '../../client/store.ts';
import { Button, IconButton, MoreButton, Notice, RefusedNotice } from '../../ui/controls.tsx';
import { minuteTime, secondTime } from '../../ui/time-labels.ts';
import { useRole, useVillage } from '../village-context.ts';
import { changesBetween, traceMind } from '../mind/trace-mind.ts';
import { SessionResults } from '../results/session-results.tsx';
import { parkedLabel, streamLabel } from '../runs/run-labels.ts';
import type { Listener } from './chat-labels.ts';
import { announcement, beforeSendingLabel, limitLabel, queueLabel, usageLabel } from './chat-labels.ts';
import { Composer } from './composer.tsx';
import { ExchangeView } from './transcript/exchange-view.tsx';
import { useConversation } from './use-conversation.ts';
import { ConversationMenu } from './conversation-menu.tsx';
import { SessionBadge } from './session-badge.tsx';
import { useCancelRun } from '../runs/use-runs.ts';
import { sumOf } from '../../client/labels.ts';
import { type Refused, refusalText } from '../../client/api.ts';
import { PendingTexts } from '../pending-texts.tsx';
import { useRead } from '../away/use-unread.ts';

const PENDING = { list: 'transcript', text: 'bubble', hint: 'message-facts' };

/** Within this many pixels of its end a list counts as read to the end. */
const NEAR_PX = 48;

interface Stick {
  readonly scroller: RefObject<HTMLDivElement | null>;
  readonly content: RefObject<HTMLDivElement | null>;
  readonly atEnd: boolean;
  readonly toEnd: () => void;
}

/** Keeps a scrolled list at its end while it grows, but only if the reader is there; a reader further up is left alone. */
function useStickToEnd(): Stick {
  const scroller = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const sticks = useRef(true);
  const [atEnd, setAtEnd] = useState(true);
  const toEnd = useCallback((): void => {
    const box = scroller.current;
    if (box === null) return;
    sticks.current = true;
    setAtEnd(true);
    box.scrollTop = box.scrollHeight;
  }, []);
  useEffect(() => {
    const box = scroller.current;
    if (box === null || content.current === null) return undefined;
    let measured = '';
    const measure = (): string => `${box.scrollHeight} ${box.clientHeight}`;
    const onScroll = (): void => {
      // A change of size scrolls too; only a scroll of the reader counts.
      if (measured !== measure()) return;
      sticks.current = box.scrollHeight - box.scrollTop - box.clientHeight < NEAR_PX;
      setAtEnd(sticks.current);
    };
    // The box can also shrink: on a phone the keyboard covers a part of it.
    const watch = new ResizeObserver(() => {
      measured = measure();
      if (sticks.current) box.scrollTop = box.scrollHeight;
    });
    watch.observe(content.current);
    watch.observe(box);
    box.addEventListener('scroll', onScroll, { passive: true });
    return () => {
      watch.disconnect();
      box.removeEventListener('scroll', onScroll);
    };
  }, []);
  return { scroller, content, atEnd, toEnd };
}

export function ConversationView({ sessionId, agent }: Readonly<{ sessionId: string; agent: AgentDetail }>) {
  const { state, stream, change } = useConversation(sessionId, agent.agent_id);
  useRead('session', sessionId, state.messages.length);
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
          {session === null && stream.kind !== 'refused' && <p className="hint">Loading the conversation…</p>}
          <OlderMessages state={state} sessionId={sessionId} change={change} />
          <SessionResults sessionId={sessionId} version={state.messages.length}>
            <Transcript state={state} listener={listener} agentId={agent.agent_id} onAnswered={onAnswered} />
          </SessionResults>
          <PendingTexts
            outbox={messages.outbox}
            placeId={sessionId}
            shown={state.messages.map(({ message_id: id }) => id)}
            classes={PENDING}
          />
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
          onSend={(text, files) => {
            void messages.outbox.add(sessionId, text, files);
            stick.toEnd();
          }}
        />
      )}
    </div>
  );
}

function OtherAgent({ session, name }: Readonly<{ session: { readonly agent_id: string }; name: string }>) {
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

/** Why a queued message waits: for its model, if its run is parked, or for its turn. */
function waitLabel({ trace: { run } }: Exchange, place: Parameters<typeof queueLabel>[0]): string {
  return (run === null ? null : parkedLabel(run, minuteTime)) ?? queueLabel(place);
}

interface TranscriptProps {
  readonly state: Conversation;
  readonly listener: Listener;
  readonly agentId: string;
  readonly onAnswered: (permission: Permission) => void;
}

function Transcript({ state, listener, agentId, onAnswered }: TranscriptProps) {
  const exchanges = useMemo(() => exchangesOf(state), [state]);
  const open = exchanges.filter(({ question }) => question?.state === 'queued' || question?.state === 'working');
  const newest = open[0] ?? exchanges.at(-1);
  const limit = useLimit(agentId, listener.display_name, open.length > 0);
  const changes = useMemo(
    () =>
      changesBetween(
        exchanges.map(({ trace }) => trace),
        listener.display_name,
      ),
    [exchanges, listener.display_name],
  );
  const items = useMemo(() => (newest === undefined ? [] : traceItems(newest.trace, newest.permissions)), [newest]);
  return (
    <>
      <ol className="transcript">
        {exchanges.map((exchange, at) => (
          <li key={exchange.key}>
            <ExchangeView
              exchange={exchange}
              agentId={agentId}
              agentName={listener.display_name}
              mindChange={changes[at] ?? null}
              isNewest={at === exchanges.length - 1 && state.session?.state !== 'terminated'}
              waitsFor={
                exchange.question?.state === 'queued'
                  ? waitLabel(exchange, { session: state.session, agent: listener, before: open.indexOf(exchange) })
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

function useLimit(agentId: string, name: string, isBusy: boolean): string | null {
  const { data } = useLive(getAgent, isBusy ? { params: { agent_id: agentId } } : null, LIMIT_EVERY_MS);
  return isBusy ? limitLabel(name, data?.limit_reached, secondTime) : null;
}

interface OpenComposerProps {
  readonly sessionId: string;
  readonly state: Conversation;
  readonly listener: Listener;
  readonly onSend: (text: string, files: readonly GivenFile[]) => void;
}

/** The field for a message. While the agent asks a question, the API takes what a person writes there as the answer. */
function OpenComposer({ sessionId, state, listener, onSend }: OpenComposerProps) {
  const open = state.messages.find((message) => !isFinalMessage(message));
  const runId = open?.run_id ?? null;
  const mayAnswer = roleMay(useRole(), 'permission:answer');
  return (
    <Composer
      draft={`chat-${sessionId}`}
      to={listener.display_name}
      focused
      answers={mayAnswer && openQuestion(state) !== null}
      onSend={(text, files) => {
        onSend(text, files);
        return true;
      }}
      stop={runId === null ? null : <StopButton key={runId} runId={runId} run={state.traces.get(runId)?.run ?? null} />}
      hint={open === undefined ? beforeSendingLabel(listener) : null}
    />
  );
}

type HeadProps = Readonly<{ session: ChatSession | null; usage: string; onChanged: (session: ChatSession) => void }>;

function ConversationHead({ session, usage, onChanged }: HeadProps) {
  const { open } = useVillage();
  const [menu, setMenu] = useState(false);
  return (
    <header className="conversation-head">
      <IconButton icon="back" label="All conversations" onClick={() => open({ chat: null })} data-action="back" />
      <h3>{session?.title ?? 'Conversation'}</h3>
      {session !== null && <SessionBadge session={session} />}
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

function StopButton({ runId, run }: Readonly<{ runId: string; run: Run | null }>) {
  const { busy, done, refused, cancel } = useCancelRun(runId);
  const isStopping = busy || done || (run !== null && run.cancel_requested_at !== null);
  return (
    <Button
      icon="stop"
      word={isStopping ? 'Stopping…' : 'Stop'}
      className="button-stop"
      aria-disabled={isStopping}
      onClick={() => {
        if (!isStopping) void cancel();
      }}
      title={refused === null ? 'Stop the work under way' : refusalText(refused)}
      data-action="stop"
      data-code={refused?.code}
    />
  );
}

/** True for the work of a program of another maker, which has no steps of ours. */
function isOfProgram(trace: RunTrace | undefined): boolean {
  const mind = trace === undefined ? null : traceMind(trace);
  return mind !== null && isForeign(mind);
}

function usageOf({ messages, traces }: Conversation): string {
  const answers = messages.filter(({ cost, steps }) => cost !== null || steps !== null);
  const ofProgram = (id: string | null): boolean => isOfProgram(id === null ? undefined : traces.get(id));
  const open = messages
    .filter(({ state }) => state === 'working')
    .flatMap(({ run_id: id }) => {
      const trace = id === null ? undefined : traces.get(id);
      return trace === undefined ? [] : [trace];
    });
  const steps = open.map((trace) =>
    isOfProgram(trace) ? 0 : Math.max(trace.run?.usage.steps ?? 0, stepsSoFar(traceItems(trace, []))),
  );
  return usageLabel(
    [...answers.map((answer) => (ofProgram(answer.run_id) ? 0 : (answer.steps ?? 0))), ...steps].reduce(
      (sum, next) => sum + next,
      0,
    ),
    sumOf([...answers.map(({ cost }) => cost ?? '0'), ...open.map(({ run }) => run?.usage.cost ?? '0')]),
  );
}

interface OlderProps {
  readonly sessionId: string;
  readonly state: Conversation;
  readonly change: (change: (state: Conversation) => Conversation) => void;
}

/** Pages that one click may read to get past the messages that the stream sent already. */
const PAGES_PER_CLICK = 4;
const PAGE = 100;

function OlderMessages({ sessionId, state, change }: OlderProps) {
  const { api } = useVillage();
  const [cursor, setCursor] = useState<string | null>(null);
  const [refused, setRefused] = useState<Refused | null>(null);
  const first = state.messages[0]?.number ?? 1;
  if (first <= 1) return null;
  const read = async (): Promise<void> => {
    let next = cursor;
    for (let page = 0; page < PAGES_PER_CLICK; page += 1) {
      const query = { limit: PAGE, ...(next === null ? {} : { cursor: next }) };
      const reply = await api.call(listMessages, { params: { session_id: sessionId }, query });
      setRefused(reply.ok ? null : reply.refused);
      if (!reply.ok) return;
      change((now) => withMessages(now, reply.data.messages));
      next = reply.data.next_cursor;
      setCursor(next);
      if (next === null || reply.data.messages.some(({ number }) => number < first)) return;
    }
  };
  return (
    <>
      <MoreButton more={read} word="Older messages" />
      {refused !== null && <RefusedNotice refused={refused} />}
    </>
  );
}
