import { type RunContext, type RunContextPart, readRunContext } from '@hamlet/contract';
import { useState } from 'react';
import { useLive } from '../../../client/query/use-live.ts';
import { LinkButton, Unread } from '../../../ui/controls.tsx';
import { visibleText } from '@hamlet/core/visible-text';
import { useVillage } from '../../village-context.ts';
import { contextSummary, missingText, partFacts, partLabel } from './context-labels.ts';
import '../calls.css';
import './context.css';

type Asked = Readonly<{ runId: string; ask: number }>;

/** The parts that the model read before one of its answers, as they were then. */
export function WhySaid(asked: Asked) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details className="why" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>Why did it say that?</summary>
      {isOpen && <Context {...asked} />}
    </details>
  );
}

/** The request does not change any more; only deleted texts go from it. */
const EVERY_MS = 300_000;

function Context({ runId, ask }: Asked) {
  const { data, refused } = useLive(readRunContext, { params: { run_id: runId }, query: { ask } }, EVERY_MS);
  if (data === null) return <Unread refused={refused} />;
  if (data.context === null)
    return <p className="hint">The agent has not reported what the model read. Only its own engine does.</p>;
  return <Parts context={data.context} />;
}

function Parts({ context }: { readonly context: RunContext }) {
  return (
    <>
      <p className="hint">{contextSummary(context)}</p>
      <ol className="why-parts">
        {context.parts.map((part, index) => (
          // The list never changes its order.
          <li key={index} data-source={part.source} data-form={part.form}>
            <PartView part={part} />
          </li>
        ))}
      </ol>
    </>
  );
}

function PartView({ part }: { readonly part: RunContextPart }) {
  const { open } = useVillage();
  const { text, run_id: run } = part;
  const missing = missingText(part);
  const head = (
    <>
      <b>{partLabel(part)}</b> <span>{partFacts(part)}</span>
    </>
  );
  if (text === null)
    return (
      <p className="why-head">
        {head} {run !== null && <LinkButton word="Open that run" onClick={() => open({ view: 'runs', run })} />}
        {missing !== null && <span>· {missing}</span>}
      </p>
    );
  return (
    <details>
      <summary className="why-head">{head}</summary>
      <pre className="call-result" tabIndex={0}>
        {visibleText(text)}
      </pre>
    </details>
  );
}
