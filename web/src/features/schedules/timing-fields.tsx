import type { ReactElement } from 'react';
import type { TimingKind } from './schedule-draft.ts';
import type { FieldProps } from './target-fields.tsx';

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
