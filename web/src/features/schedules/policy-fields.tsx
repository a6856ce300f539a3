import type { ReactElement, ReactNode } from 'react';
import type { Draft } from './schedule-draft.ts';
import type { FieldProps } from './target-fields.tsx';

const MISSED: readonly (readonly [Draft['missedRuns'], string])[] = [
  ['Skip', 'Skip them'],
  ['RunOnce', 'Make up by one'],
  ['CatchUp', 'Make up for the last ones'],
];
const OVERLAP: readonly (readonly [Draft['overlap'], string])[] = [
  ['Forbid', 'Skip the new one'],
  ['Queue', 'Let it wait behind'],
  ['Replace', 'End the earlier one'],
];

/** What to do about missed and overlapping firings; the defaults suit most, so it is folded away. */
export function PolicyFields({ draft, problems, onDraft }: FieldProps): ReactElement {
  const wrong = problems.catchUpLimit ?? problems.deadline ?? problems.historyLimit;
  return (
    <details className="policy-fields" open={wrong !== undefined || undefined}>
      <summary>Missed and overlapping firings</summary>
      <div className="form-grid">
        <Select
          title="Missed firings"
          name="missed-runs"
          value={draft.missedRuns}
          options={MISSED}
          onChange={(missedRuns) => onDraft({ missedRuns })}
        />
        {draft.missedRuns === 'CatchUp' && (
          <Whole
            title="At most"
            name="catch-up-limit"
            value={draft.catchUpLimit}
            onChange={(catchUpLimit) => onDraft({ catchUpLimit })}
          />
        )}
        <Select
          title="While an earlier run goes"
          name="overlap"
          value={draft.overlap}
          options={OVERLAP}
          onChange={(overlap) => onDraft({ overlap })}
        />
        <Whole
          title="Seconds late at most"
          name="deadline"
          value={draft.deadline}
          onChange={(deadline) => onDraft({ deadline })}
        />
        <Whole
          title="Runs that are kept"
          name="history-limit"
          value={draft.historyLimit}
          onChange={(historyLimit) => onDraft({ historyLimit })}
        />
        <label className="check">
          <input
            type="checkbox"
            name="suspend"
            checked={draft.suspend}
            onChange={(event) => onDraft({ suspend: event.target.checked })}
          />
          Suspended: it does not fire
        </label>
      </div>
      {wrong !== undefined && <p className="field-problem">{wrong}</p>}
    </details>
  );
}

interface SelectProps<T extends string> {
  readonly title: string;
  readonly name: string;
  readonly value: T;
  readonly options: readonly (readonly [T, string])[];
  readonly onChange: (value: T) => void;
}

function Select<T extends string>({ title, name, value, options, onChange }: SelectProps<T>): ReactNode {
  return (
    <label>
      {title}
      <select
        name={name}
        value={value}
        onChange={(event) => {
          const chosen = options.find(([key]) => key === event.target.value);
          if (chosen !== undefined) onChange(chosen[0]);
        }}
      >
        {options.map(([key, word]) => (
          <option key={key} value={key}>
            {word}
          </option>
        ))}
      </select>
    </label>
  );
}

function Whole({
  title,
  name,
  value,
  onChange,
}: {
  readonly title: string;
  readonly name: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}): ReactElement {
  return (
    <label>
      {title}
      <input name={name} inputMode="numeric" value={value} onChange={(event) => onChange(event.target.value)} />
    </label>
  );
}
