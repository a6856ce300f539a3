import { type Mind, type Permission, readFileList, type Run, type SessionMessage } from '@hamlet/contract';
import { isForeign, mindLabel } from '@hamlet/core';
import { memo, type ReactElement, useCallback, useEffect, useMemo, useState } from 'react';
import { type Exchange, isFinalMessage, sameExchange } from '../../../client/minds/conversation.ts';
import type { RunTrace } from '../../../client/minds/run-trace.ts';
import {
  type ModelItem,
  newWords,
  saidIn,
  type TraceItem,
  traceItems,
  withoutSaid,
} from '../../../client/minds/trace-items.ts';
import { Avatar, Icon, LinkButton, Notice, RefusedNotice, Time, useNow } from '../../../ui/controls.tsx';
import { ScriptedMark } from '../../scripted/village-mark.tsx';
import { minuteTime } from '../../../ui/time-labels.ts';
import { AddTokens } from '../../runs/add-tokens.tsx';
import { ContinueMessage } from '../../runs/continue-run.tsx';
import { RaiseLimits } from '../../runs/raise-limits.tsx';
import { tokensHelp } from '../../runs/run-advice.ts';
import { nearLimit, shareLabel } from '../../runs/run-budget.ts';
import { eventLabel, type NoteEvent, parkedLabel, scriptedLabel } from '../../runs/run-labels.ts';
import { useRole, useViewerId, useVillage } from '../../village-context.ts';
import { authorLabel, failureLabel, usageLabel, workingLabel, workLabel } from '../chat-labels.ts';
import { OpenedPagesProvider, useKeysOf } from '../../citations/opened-pages.ts';
import { AnswerDeliverables, AnswerSources, useAnswerSources } from '../../results/session-results.tsx';
import { CallLine } from '../../runs/call-line.tsx';
import { Thoughts } from '../../runs/thoughts.tsx';
import { useRunTrace } from '../../runs/use-run-trace.ts';
import { MindChange } from '../../mind/mind-facts.tsx';
import { traceMind } from '../../mind/trace-mind.ts';
import { failureCause } from '../../models/model-labels.ts';
import { FileChips } from '../../given-files/file-chips.tsx';
import { Markdown } from '../../markdown/markdown.tsx';

/** The notes of a run that a reader of the conversation needs; the run shows all of them. */
const SHOWN_NOTES: ReadonlySet<NoteEvent> = new Set<NoteEvent>([
  'step',
  'cancel_requested',
  'lapsed',
  'budget_warned',
  'budget_raised',
  'interrupted',
]);

interface WorkProps {
  readonly items: readonly TraceItem[];
  /** The answer, whose words the list of work does not repeat. */
  readonly answer: SessionMessage | null;
  readonly onAnswered: (permission: Permission) => void;
}

function Work({ items, answer, onAnswered }: WorkProps) {
  const shown = items
    .map((item) => ({ item, view: viewOf(item, answer, onAnswered) }))
    .filter(({ view }) => view !== null);
  if (shown.length === 0) return null;
  return (
    <ol className="work">
      {shown.map(({ item, view }) => (
        <li key={item.key}>{view}</li>
      ))}
    </ol>
  );
}

function viewOf(
  item: TraceItem,
  answer: SessionMessage | null,
  onAnswered: (permission: Permission) => void,
): ReactElement | null {
  switch (item.kind) {
    case 'call':
      return <CallLine call={item} onAnswered={onAnswered} />;
    case 'model':
      return modelView(item, answer?.text ?? '');
    case 'said':
      return <Markdown text={item.text} />;
    case 'note':
      return SHOWN_NOTES.has(item.event.event) ? <p className="message-facts">{eventLabel(item.event)}</p> : null;
  }
}

function modelView({ state, code, text, thoughts }: ModelItem, answer: string): ReactElement | null {
  if (state === 'failed') return <p className="message-facts">{failureCause(code)}.</p>;
  const said = text === null || text.trim() === answer.trim() ? null : text;
  if (said === null && thoughts === null) return null;
  return (
    <>
      <Thoughts text={thoughts} />
      {said !== null && <Markdown text={said} />}
    </>
  );
}

/** The work on a message as its reader unfolded it. `read`: its items, if the conversation did not have them. */
type Unfolded = Readonly<{ isOpen: boolean; read: readonly TraceItem[] | null }>;
const FOLDED: Unfolded = { isOpen: false, read: null };

interface FinishedProps extends WorkProps {
  readonly unfolded: Unfolded;
  readonly onUnfold: (change: Partial<Unfolded>) => void;
  readonly runId: string;
  readonly trace: RunTrace;
  readonly state: SessionMessage['state'];
}

function FinishedWork({ runId, trace, state, items, answer, unfolded, onUnfold, onAnswered }: FinishedProps) {
  const open = unfolded.isOpen;
  const isKnown = trace.events.length > 0;
  return (
    <div className="finished-work">
      <button type="button" className="work-line" aria-expanded={open} onClick={() => onUnfold({ isOpen: !open })}>
        <Icon name="chevron" size={13} />
        {workLabel(trace.run, unfolded.read ?? items, state)}
      </button>
      {open && (isKnown ? <Work items={items} answer={answer} onAnswered={onAnswered} /> : null)}
      {open && !isKnown && <ReadWork {...{ runId, answer, onUnfold, onAnswered }} />}
      {open && <RunLink runId={runId} />}
    </div>
  );
}

type ReadProps = Pick<FinishedProps, 'runId' | 'answer' | 'onUnfold' | 'onAnswered'>;

function ReadWork({ runId, answer, onUnfold, onAnswered }: ReadProps) {
  const { state, stream } = useRunTrace(runId);
  const items = useMemo(() => traceItems(state, []), [state]);
  useEffect(() => onUnfold({ read: items }), [items, onUnfold]);
  if (stream.kind === 'refused') return <RefusedNotice refused={stream.refused} />;
  if (state.events.length === 0)
    return (
      <p className="message-facts" role="status">
        Loading…
      </p>
    );
  return <Work items={items} answer={answer} onAnswered={onAnswered} />;
}

function RunLink({ runId }: { readonly runId: string }) {
  const { open } = useVillage();
  return <LinkButton className="work-run" word="Open the run" onClick={() => open({ view: 'runs', run: runId })} />;
}

interface ExchangeProps {
  readonly exchange: Exchange;
  readonly agentId: string;
  readonly agentName: string;
  /** The reason why a message waits, or the work on it; null if it does not wait. */
  readonly waitsFor: string | null;
  /** The line about a change of the agent's mind before this work; null without one. */
  readonly mindChange: string | null;
  /** True if a message may continue this work: nothing follows it, and the conversation is open. */
  readonly isNewest: boolean;
  readonly onAnswered: (permission: Permission) => void;
}

/** A message, the agent's work on it as it happens, and the answer. Rendered again only when one of its parts changes. */
export const ExchangeView = memo(OneExchange, (before, after) => {
  const { exchange: old, ...oldRest } = before;
  const { exchange: now, ...rest } = after;
  return (
    sameExchange(old, now) &&
    oldRest.agentId === rest.agentId &&
    oldRest.agentName === rest.agentName &&
    oldRest.waitsFor === rest.waitsFor &&
    oldRest.mindChange === rest.mindChange &&
    oldRest.isNewest === rest.isNewest &&
    oldRest.onAnswered === rest.onAnswered
  );
});

function OneExchange(props: ExchangeProps) {
  const { exchange, agentId, agentName, waitsFor, mindChange, isNewest, onAnswered } = props;
  const { question, replies, answer, report, trace, permissions } = exchange;
  const items = useMemo(() => traceItems(trace, permissions), [trace, permissions]);
  const author = { agentId, name: agentName, mind: traceMind(trace) };
  const [unfolded, setUnfolded] = useState(FOLDED);
  const onUnfold = useCallback((change: Partial<Unfolded>) => setUnfolded((now) => ({ ...now, ...change })), []);
  // Unfolded work has the words before its calls, so the answer below it has only the rest.
  const said = unfolded.isOpen ? saidIn(unfolded.read ?? items) : [];
  return (
    <article className="exchange" data-state={question?.state ?? 'answered'}>
      <MindChange text={mindChange} />
      {question !== null && (
        <>
          <Question message={question} />
          {waitsFor !== null && <Queued text={waitsFor} />}
          {question.state === 'working' && (
            <OpenWork
              items={items}
              run={trace.run}
              words={newWords(trace, items)}
              author={author}
              onAnswered={onAnswered}
            />
          )}
          {isFinalMessage(question) && (
            <Outcome {...{ exchange, question, items, isNewest, unfolded, onUnfold, onAnswered }} />
          )}
        </>
      )}
      {replies.map((reply) => (
        <Question key={reply.message_id} message={reply} />
      ))}
      <Report message={report} />
      {answer !== null && <Answer message={answer} author={author} said={said} />}
    </article>
  );
}

function Queued({ text }: { readonly text: string }) {
  return (
    <p className="message-facts" role="status">
      {text}
    </p>
  );
}

interface OpenWorkProps {
  readonly items: readonly TraceItem[];
  readonly run: Run | null;
  readonly words: string | null;
  readonly author: Author;
  readonly onAnswered: (permission: Permission) => void;
}

function OpenWork({ items, run, words, author, onAnswered }: OpenWorkProps) {
  const now = useNow(10_000);
  const near = run === null ? null : nearLimit(run, now);
  const parked = run === null ? null : parkedLabel(run, minuteTime);
  return (
    <>
      <Work items={items} answer={null} onAnswered={onAnswered} />
      {words !== null && (
        <div className="answer answer-partial" aria-hidden="true">
          <AnswerHead author={author} />
          <Markdown text={words} />
        </div>
      )}
      <p className="working">
        <span className="working-dots" aria-hidden="true" />
        {parked ?? workingLabel(author.name, items, words !== null)}
      </p>
      {run !== null && near !== null && (
        <p className="message-facts message-near">
          {shareLabel(near)}. <RaiseLimits run={run} near={near} />
        </p>
      )}
    </>
  );
}

interface OutcomeProps extends Pick<FinishedProps, 'unfolded' | 'onUnfold'> {
  readonly exchange: Exchange;
  readonly isNewest: boolean;
  readonly question: SessionMessage;
  readonly items: readonly TraceItem[];
  readonly onAnswered: (permission: Permission) => void;
}

function Outcome({ exchange: { answer, trace }, question, items, isNewest, ...work }: OutcomeProps) {
  const { run_id: runId, state } = question;
  return (
    <>
      {runId !== null && <FinishedWork {...{ runId, trace, state, items, answer }} {...work} />}
      {runId === null && state === 'cancelled' && <p className="message-facts">Stopped.</p>}
      {runId !== null && answer === null && <AnswerDeliverables runId={runId} />}
      {state === 'failed' && <NotAnswered message={question} run={trace.run} isNewest={isNewest} />}
    </>
  );
}

function Question({ message }: { readonly message: SessionMessage }) {
  const viewer = useViewerId();
  const { text, files } = useMemo(() => readFileList(message.text), [message.text]);
  return (
    <div className="question">
      <p className="message-author">
        <b>{authorLabel(message, viewer)}</b>{' '}
        <Time at={message.at} word={clockOf(message.at)} title={minuteTime(message.at)} />
      </p>
      <Markdown className="bubble" text={text} />
      <FileChips files={files} />
    </div>
  );
}

function Report({ message }: { readonly message: SessionMessage | null }) {
  if (message === null) return null;
  const { text, at, revised_at: revisedAt } = message;
  return (
    <details className="report" data-message={message.message_id}>
      <summary>Report of {clockOf(revisedAt ?? at)}</summary>
      <pre className="report-text">{text}</pre>
    </details>
  );
}

/** The agent as the author of words, with the mind that wrote them; null if it is unknown. */
type Author = Readonly<{ agentId: string; name: string; mind: Mind | null }>;

function AnswerHead({ author: { agentId, name, mind } }: { readonly author: Author }) {
  const scripted = scriptedLabel(mind?.runtime ?? null);
  return (
    <span className="answer-author">
      <Avatar id={agentId} size={22} />
      <b>{name}</b>
      {scripted !== null && <ScriptedMark {...scripted} />}
      {mind !== null && isForeign(mind) && <span className="agent-mind">{mindLabel(mind)}</span>}
    </span>
  );
}

type AnswerProps = Readonly<{ message: SessionMessage; author: Author; said: readonly string[] }>;

/** @param said words of the answer that are shown above it, between the calls */
function Answer({ message, author, said }: AnswerProps) {
  const { mind } = author;
  const usage = usageLabel(mind !== null && isForeign(mind) ? null : message.steps, message.cost);
  const sources = useAnswerSources(message.run_id);
  const opened = useKeysOf(sources);
  if (message.author.role === 'system') return <p className="message-facts">{message.text}</p>;
  return (
    <div className="answer" data-message={message.message_id}>
      <header className="message-author">
        <AnswerHead author={author} />
        <Time at={message.at} word={clockOf(message.at)} title={minuteTime(message.at)} />
        {usage !== '' && <span className="answer-usage">{usage}</span>}
      </header>
      <OpenedPagesProvider value={opened}>
        <Markdown text={withoutSaid(message.text, said)} />
      </OpenedPagesProvider>
      {message.run_id !== null && <AnswerDeliverables runId={message.run_id} />}
      <AnswerSources sources={sources} text={message.text} />
    </div>
  );
}

type NotAnsweredProps = Readonly<{ message: SessionMessage; run: Run | null; isNewest: boolean }>;

function NotAnswered({ message: { run_id: id }, run, isNewest }: NotAnsweredProps) {
  const { open } = useVillage();
  const role = useRole();
  return (
    <Notice
      tone="bad"
      end={id === null ? undefined : <LinkButton word="The run" onClick={() => open({ view: 'runs', run: id })} />}
    >
      {failureLabel(run, role)} {run !== null && tokensHelp(run.error) && <AddTokens run={run} />}
      {run !== null && isNewest && <ContinueMessage run={run} />}
    </Notice>
  );
}

function clockOf(iso: string): string {
  return new Date(iso).toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' });
}
