import type { Permission, SessionMessage } from '@hamlet/contract';
import { type ReactElement, useState } from 'react';
import type { RunTrace } from '../../../client/minds/run-trace.ts';
import { type ModelItem, type TraceItem, traceItems } from '../../../client/minds/trace-items.ts';
import { Icon, LinkButton } from '../../../ui/controls.tsx';
import { RefusedNotice } from '../../../ui/notices.tsx';
import { CallLine } from '../../runs/call-line.tsx';
import { eventLabel, type NoteEvent } from '../../runs/run-labels.ts';
import { useRunTrace } from '../../runs/use-run-trace.ts';
import { useVillage } from '../../village-context.ts';
import { modelFailureLabel, workLabel } from '../chat-labels.ts';
import { RichText } from './rich-text.tsx';

/** The notes of a run that a reader of the conversation needs; the run shows all of them. */
const SHOWN_NOTES: ReadonlySet<NoteEvent> = new Set<NoteEvent>([
  'step',
  'cancel_requested',
  'lapsed',
  'budget_warned',
  'interrupted',
]);

interface WorkProps {
  readonly items: readonly TraceItem[];
  /** The answer, whose words are not repeated among the work. */
  readonly answer: SessionMessage | null;
  readonly onAnswered: (permission: Permission) => void;
}

export function Work({ items, answer, onAnswered }: WorkProps): ReactElement | null {
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
    case 'note':
      return SHOWN_NOTES.has(item.event.event) ? <p className="message-facts">{eventLabel(item.event)}</p> : null;
  }
}

function modelView({ state, code, text }: ModelItem, answer: string): ReactElement | null {
  if (state === 'failed') return <p className="message-facts">{modelFailureLabel(code)}</p>;
  return text === null || text.trim() === answer.trim() ? null : <RichText text={text} />;
}

interface FinishedProps extends WorkProps {
  readonly runId: string;
  readonly trace: RunTrace;
}

export function FinishedWork({ runId, trace, items, answer, onAnswered }: FinishedProps): ReactElement {
  const [open, setOpen] = useState(false);
  const isKnown = trace.events.length > 0;
  return (
    <div className="finished-work">
      <button type="button" className="work-line" aria-expanded={open} onClick={() => setOpen(!open)}>
        <Icon name="chevron" size={13} />
        {workLabel(trace.run, items)}
      </button>
      {open && (isKnown ? <Work items={items} answer={answer} onAnswered={onAnswered} /> : null)}
      {open && !isKnown && <ReadWork runId={runId} answer={answer} onAnswered={onAnswered} />}
      {open && <RunLink runId={runId} />}
    </div>
  );
}

function ReadWork({ runId, answer, onAnswered }: Omit<FinishedProps, 'items' | 'trace'>): ReactElement {
  const { state, stream } = useRunTrace(runId);
  if (stream.kind === 'refused') return <RefusedNotice refused={stream.refused} />;
  if (state.events.length === 0)
    return (
      <p className="message-facts" role="status">
        Loading…
      </p>
    );
  return <Work items={traceItems(state, [])} answer={answer} onAnswered={onAnswered} />;
}

function RunLink({ runId }: { readonly runId: string }): ReactElement {
  const { open } = useVillage();
  return <LinkButton className="work-run" word="Open the run" onClick={() => open({ view: 'runs', run: runId })} />;
}
