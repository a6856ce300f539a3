import type { ReactElement } from 'react';
import { FieldProblem, Segments, SelectField, TextField } from '../../ui/fields.tsx';
import { AgentField } from '../agent-list/agent-field.tsx';
import type { Draft, Problems } from './schedule-draft.ts';

/** One part of the form: the draft, its problems and a way to change it. */
type FieldProps = Readonly<{ draft: Draft; problems: Problems; onDraft: (change: Partial<Draft>) => void }>;

const TARGETS = [
  { key: 'agent', word: 'One agent' },
  { key: 'labels', word: 'All with labels' },
] as const;

/** The agents that get the prompt: one agent, or all agents with certain labels. */
export function TargetFields({ draft, problems, onDraft }: FieldProps): ReactElement {
  return (
    <div className="field">
      <Segments label="For" items={TARGETS} chosen={draft.target} onChoose={(target) => onDraft({ target })} />
      {draft.target === 'agent' ? (
        <AgentField value={draft.agent} onChange={(agent) => onDraft({ agent })} problem={problems.agent} />
      ) : (
        <TextField
          label="Labels"
          name="labels"
          value={draft.labels}
          onChange={(labels) => onDraft({ labels })}
          problem={problems.labels}
          placeholder="hamlet.village/team=carriers"
        />
      )}
    </div>
  );
}

const TIMINGS = [
  { key: 'daily', word: 'Daily' },
  { key: 'every', word: 'Every' },
  { key: 'cron', word: 'Cron' },
] as const;
const PERIODS = ['30s', '10m', '1h', '6h', '24h'];

/** The times of the firings: once a day, by a period, or by cron fields. The list of next firings beside the fields shows problems. */
export function TimingFields({ draft, problems, onDraft }: FieldProps): ReactElement {
  return (
    <div className="field">
      <Segments label="When" items={TIMINGS} chosen={draft.kind} onChoose={(kind) => onDraft({ kind })} />
      {draft.kind === 'daily' && (
        <TextField
          label="Time of day"
          name="daily-at"
          inputMode="numeric"
          value={draft.dailyAt}
          onChange={(dailyAt) => onDraft({ dailyAt })}
          invalid={problems.dailyAt !== undefined}
          placeholder="09:30"
        />
      )}
      {draft.kind === 'every' && (
        <TextField
          label="Period"
          name="every"
          suggestions={PERIODS}
          value={draft.every}
          onChange={(every) => onDraft({ every })}
          invalid={problems.every !== undefined}
          placeholder="1h30m"
        />
      )}
      {draft.kind === 'cron' && (
        <TextField
          label="Cron fields"
          name="cron"
          className="mono"
          spellCheck={false}
          value={draft.cron}
          onChange={(cron) => onDraft({ cron })}
          invalid={problems.cron !== undefined}
          placeholder="minute hour day month weekday"
        />
      )}
      {draft.kind !== 'every' && (
        <TextField
          label="Time zone"
          name="time-zone"
          spellCheck={false}
          suggestions={timeZones()}
          value={draft.timeZone}
          onChange={(timeZone) => onDraft({ timeZone })}
          invalid={problems.timeZone !== undefined}
        />
      )}
    </div>
  );
}

function timeZones(): readonly string[] {
  return ['UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone.includes('/'))];
}

/** The policies for missed and overlapping firings, folded away: the defaults suit most schedules. */
export function PolicyFields({ draft, problems, onDraft }: FieldProps): ReactElement {
  const wrong = problems.catchUpLimit ?? problems.deadline ?? problems.historyLimit;
  return (
    <details className="policy-fields" open={wrong !== undefined || undefined}>
      <summary>Missed and overlapping firings</summary>
      <div className="form-grid">
        <SelectField
          label="Missed firings"
          name="missed-runs"
          value={draft.missedRuns}
          options={[
            ['Skip', 'Skip them'],
            ['RunOnce', 'Fire once for all of them'],
            ['CatchUp', 'Fire for the latest ones'],
          ]}
          onChange={(missedRuns) => onDraft({ missedRuns })}
        />
        {draft.missedRuns === 'CatchUp' && (
          <TextField
            label="Most firings to catch up"
            name="catch-up-limit"
            inputMode="numeric"
            value={draft.catchUpLimit}
            onChange={(catchUpLimit) => onDraft({ catchUpLimit })}
          />
        )}
        <SelectField
          label="While an earlier run is active"
          name="overlap"
          value={draft.overlap}
          options={[
            ['Forbid', 'Skip the new one'],
            ['Queue', 'Queue the new one'],
            ['Replace', 'End the earlier one'],
          ]}
          onChange={(overlap) => onDraft({ overlap })}
        />
        <TextField
          label="Missed after (seconds)"
          name="deadline"
          inputMode="numeric"
          value={draft.deadline}
          onChange={(deadline) => onDraft({ deadline })}
        />
        <TextField
          label="Runs to keep"
          name="history-limit"
          inputMode="numeric"
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
      <FieldProblem text={wrong} />
    </details>
  );
}
