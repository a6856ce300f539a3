import type { HandsCall, Permission } from '@hamlet/contract';
import { useMemo } from 'react';
import {
  type CallItem,
  type ModelItem,
  saidIn,
  type TraceItem,
  withoutSaid,
} from '../../../client/minds/trace-items.ts';
import { Time } from '../../../ui/controls.tsx';
import { Markdown } from '../../markdown/markdown.tsx';
import { MindChange } from '../../mind/mind-facts.tsx';
import { mindChanges } from '../../mind/trace-mind.ts';
import { useAgentName } from '../../village-context.ts';
import { CallLine } from '../call-line.tsx';
import { WhySaid } from '../context/why-said.tsx';
import { Thoughts } from '../thoughts.tsx';
import { eventLabel, isShownAnswer, modelLabel, outputLabel, ownModel, repairLabel } from '../run-labels.ts';

type CourseProps = Readonly<{
  agentId: string;
  runId: string;
  items: readonly TraceItem[];
  calls: readonly HandsCall[];
  onAnswered: (permission: Permission) => void;
}>;

/** The course of a run, in order: answers of the model, calls and events. */
export function RunCourse({ agentId, runId, items, calls, onAnswered }: CourseProps) {
  const name = useAgentName(agentId);
  const changes = useMemo(() => mindChanges(items, name), [items, name]);
  const said = useMemo(() => saidIn(items), [items]);
  const logged = useMemo(() => new Map(calls.map((call) => [call.call_id, call])), [calls]);
  return (
    <ol className="course">
      {items
        .filter((item) => item.kind !== 'model' || isShownAnswer(item))
        .map((item) => (
          <li key={item.key} data-event={item.kind === 'note' ? item.event.event : item.kind}>
            <Time at={item.at} word={new Date(item.at).toLocaleTimeString('en-GB')} />
            <div className="course-item">
              <MindChange text={changes.get(item.key) ?? null} />
              <CourseItem
                item={item}
                runId={runId}
                said={said}
                logged={item.kind === 'call' ? logged.get(item.callId) : undefined}
                onAnswered={onAnswered}
              />
            </div>
          </li>
        ))}
    </ol>
  );
}

type ItemProps = Pick<CourseProps, 'runId' | 'onAnswered'> &
  Readonly<{ item: TraceItem; said: readonly string[]; logged: HandsCall | undefined }>;

function CourseItem({ item, runId, said, logged, onAnswered }: ItemProps) {
  switch (item.kind) {
    case 'call':
      return <CallLine call={answered(item)} logged={logged} onAnswered={onAnswered} />;
    case 'model':
      return <ModelLine item={item} runId={runId} said={said} />;
    case 'said':
      return <Markdown text={item.text} />;
    case 'note':
      return <span>{eventLabel(item.event)}</span>;
  }
}

/** The call without the requests that wait: the page shows them at its top. */
function answered(call: CallItem): CallItem {
  return { ...call, permissions: call.permissions.filter(({ state }) => state !== 'pending') };
}

type ModelProps = Readonly<{ item: ModelItem; runId: string; said: readonly string[] }>;

function ModelLine({ item, runId, said }: ModelProps) {
  const fit = item.output === null ? null : outputLabel(item.output);
  return (
    <div className="model-line">
      <span className="model-line-head">{modelLabel(item)}</span>
      <Thoughts text={item.thoughts} />
      {item.text !== null && <Markdown text={withoutSaid(item.text, said)} />}
      {item.repairs.map(({ tool, actions }, index) => (
        <p key={index} className="model-line-head">
          {repairLabel(tool, actions)}
        </p>
      ))}
      {fit !== null && <p className="model-line-head">{fit}</p>}
      {item.state === 'answered' && ownModel(item) !== null && <WhySaid runId={runId} ask={item.ask} />}
    </div>
  );
}
