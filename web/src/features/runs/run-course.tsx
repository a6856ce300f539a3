import type { HandsCall, Permission } from '@hamlet/contract';
import { type ReactElement, useMemo } from 'react';
import type { ModelItem, TraceItem } from '../../client/minds/trace-items.ts';
import { Time } from '../../ui/time.tsx';
import { CitedText } from '../citations/cited-text.tsx';
import { CallLine } from './call-line.tsx';
import { eventLabel, modelLabel } from './run-labels.ts';

type CourseProps = Readonly<{
  items: readonly TraceItem[];
  calls: readonly HandsCall[];
  onAnswered: (permission: Permission) => void;
}>;

export function RunCourse({ items, calls, onAnswered }: CourseProps): ReactElement {
  const logged = useMemo(() => new Map(calls.map((call) => [call.call_id, call])), [calls]);
  return (
    <ol className="course">
      {items.map((item) => (
        <li key={item.key} data-event={item.kind === 'note' ? item.event.event : item.kind}>
          <Time at={item.at} word={new Date(item.at).toLocaleTimeString('en-GB')} />
          <CourseItem
            item={item}
            logged={item.kind === 'call' ? logged.get(item.callId) : undefined}
            onAnswered={onAnswered}
          />
        </li>
      ))}
    </ol>
  );
}

function CourseItem({
  item,
  logged,
  onAnswered,
}: Readonly<{ item: TraceItem; logged: HandsCall | undefined; onAnswered: CourseProps['onAnswered'] }>): ReactElement {
  switch (item.kind) {
    case 'call':
      return <CallLine call={item} logged={logged} onAnswered={onAnswered} />;
    case 'model':
      return <ModelLine item={item} />;
    case 'note':
      return <span>{eventLabel(item.event)}</span>;
  }
}

function ModelLine({ item }: { readonly item: ModelItem }): ReactElement {
  return (
    <div className="model-line">
      <span className="model-line-head">{modelLabel(item)}</span>
      {item.text !== null && (
        <p className="prose">
          <CitedText text={item.text} />
        </p>
      )}
    </div>
  );
}
