import { useNow } from '../../../ui/controls.tsx';
import { StageMark } from '../graph/stage-mark.tsx';
import { stageLength, stateWord, turnsLabel, usageLabel, workLabel } from './stage-labels.ts';
import type { StageView } from './stage-views.ts';

type ListProps = Readonly<{
  views: readonly StageView[];
  selected: string | null;
  onSelect: (stage: string) => void;
}>;

/** The stages in the order of the plan: the same as the graph for screen readers, the keyboard and small screens. */
export function StageList({ views, selected, onSelect }: ListProps) {
  const now = useNow(1000);
  return (
    <ol className="stage-list" aria-label="Stages">
      {views.map((view) => (
        <li key={view.id}>
          <button
            type="button"
            className="stage-line"
            data-stage={view.id}
            data-state={view.state}
            aria-pressed={view.id === selected}
            onClick={() => onSelect(view.id)}
          >
            <StageMark state={view.state} />
            <b>{view.id}</b>
            <span className="stage-work">{workLabel(view)}</span>
            <span className="stage-state">{wordsOf(view, now)}</span>
          </button>
        </li>
      ))}
    </ol>
  );
}

const wordsOf = (view: StageView, now: number): string =>
  [
    stateWord(view),
    turnsLabel(view.stage),
    view.takenOver || view.state === 'stopped' ? '' : stageLength(view.stage, now),
    view.stage === null ? '' : usageLabel(view.stage),
  ]
    .filter((word) => word !== '')
    .join(' · ');
