import type { ReactElement, ReactNode } from 'react';
import { useVillageState } from '../village-context.ts';
import type { Draft, Problems, TimingKind } from './schedule-draft.ts';

/** A part of the form: the draft, what is wrong with it, and how to change it. */
export interface FieldProps {
  readonly draft: Draft;
  readonly problems: Problems;
  readonly onDraft: (change: Partial<Draft>) => void;
}

/** Who gets the prompt: one agent, or all that carry some labels. */
export function TargetFields({ draft, problems, onDraft }: FieldProps): ReactElement {
  const details = useVillageState((state) => state.details);
  const names = [...details.values()].toSorted((left, right) => left.display_name.localeCompare(right.display_name));
  return (
    <div className="field">
      <div className="segments" role="radiogroup" aria-label="For">
        <label className="segment">
          <input
            type="radio"
            name="target"
            checked={draft.target === 'agent'}
            onChange={() => onDraft({ target: 'agent' })}
          />
          One agent
        </label>
        <label className="segment">
          <input
            type="radio"
            name="target"
            checked={draft.target === 'labels'}
            onChange={() => onDraft({ target: 'labels' })}
          />
          All with labels
        </label>
      </div>
      {draft.target === 'agent' && (
        <select
          name="agent"
          aria-label="Agent"
          value={draft.agent}
          onChange={(event) => onDraft({ agent: event.target.value })}
          aria-invalid={problems.agent !== undefined}
        >
          <option value="">Choose an agent</option>
          {draft.agent !== '' && !details.has(draft.agent) && (
            <option value={draft.agent}>{draft.agent} (not here)</option>
          )}
          {names.map(({ agent_id: id, display_name: name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      )}
      {draft.target === 'labels' && (
        <input
          name="labels"
          aria-label="Labels"
          value={draft.labels}
          onChange={(event) => onDraft({ labels: event.target.value })}
          aria-invalid={problems.labels !== undefined}
          placeholder="hamlet.village/team=carriers"
        />
      )}
      {draft.target === 'agent' && problems.agent !== undefined && (
        <span className="field-problem">{problems.agent}</span>
      )}
      {draft.target === 'labels' && problems.labels !== undefined && (
        <span className="field-problem">{problems.labels}</span>
      )}
    </div>
  );
}

const KINDS: readonly { readonly kind: TimingKind; readonly word: string }[] = [
  { kind: 'daily', word: 'Daily' },
  { kind: 'every', word: 'Every' },
  { kind: 'cron', word: 'Cron' },
];
/** Periods that people mean most. */
const PERIODS = ['30s', '10m', '1h', '6h', '24h'];

/** When it fires: once a day, by a period, or by cron fields. */
export function TimingFields({ draft, problems, onDraft }: FieldProps): ReactElement {
  return (
    <div className="field">
      <div className="segments" role="radiogroup" aria-label="When">
        {KINDS.map(({ kind, word }) => (
          <label key={kind} className="segment">
            <input type="radio" name="timing" checked={draft.kind === kind} onChange={() => onDraft({ kind })} />
            {word}
          </label>
        ))}
      </div>
      {draft.kind === 'daily' && (
        <label>
          Time of day
          <input
            name="daily-at"
            value={draft.dailyAt}
            onChange={(event) => onDraft({ dailyAt: event.target.value })}
            inputMode="numeric"
            placeholder="09:30"
            aria-invalid={problems.dailyAt !== undefined}
          />
        </label>
      )}
      {draft.kind === 'every' && (
        <label>
          Period
          <input
            name="every"
            value={draft.every}
            onChange={(event) => onDraft({ every: event.target.value })}
            placeholder="1h30m"
            aria-invalid={problems.every !== undefined}
            list="schedule-periods"
            autoComplete="off"
          />
          <datalist id="schedule-periods">
            {PERIODS.map((period) => (
              <option key={period} value={period} />
            ))}
          </datalist>
        </label>
      )}
      {draft.kind === 'cron' && (
        <label>
          Cron fields
          <input
            name="cron"
            className="mono"
            value={draft.cron}
            onChange={(event) => onDraft({ cron: event.target.value })}
            placeholder="minute hour day month weekday"
            aria-invalid={problems.cron !== undefined}
            autoComplete="off"
            spellCheck={false}
          />
        </label>
      )}
      {draft.kind !== 'every' && (
        <label>
          Time zone
          <input
            name="time-zone"
            value={draft.timeZone}
            onChange={(event) => onDraft({ timeZone: event.target.value })}
            aria-invalid={problems.timeZone !== undefined}
            list="schedule-zones"
            autoComplete="off"
            spellCheck={false}
          />
          <datalist id="schedule-zones">
            {zones().map((zone) => (
              <option key={zone} value={zone} />
            ))}
          </datalist>
        </label>
      )}
    </div>
  );
}

function zones(): readonly string[] {
  return ['UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone.includes('/'))];
}

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
