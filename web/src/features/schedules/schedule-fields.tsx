import type { FormDraft } from '../../client/drafts.ts';
import { CheckField, FieldProblem, Segments, SelectField, TextField } from '../../ui/fields.tsx';
import { AgentField } from '../agent-list/agent-field.tsx';
import type { Draft, Problems } from './schedule-draft.ts';

type FieldProps = Pick<FormDraft<Draft>, 'draft' | 'of'> & Readonly<{ problems: Problems }>;

const TARGETS = [
  { key: 'agent', word: 'One agent' },
  { key: 'labels', word: 'All with labels' },
] as const;

export function TargetFields({ draft, problems, of }: FieldProps) {
  return (
    <div className="field">
      <Segments label="For" items={TARGETS} {...of('target')} />
      {draft.target === 'agent' ? (
        <AgentField {...of('agent')} problem={problems.agent} />
      ) : (
        <TextField
          label="Labels"
          name="labels"
          {...of('labels')}
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

export function TimingFields({ draft, problems, of }: FieldProps) {
  return (
    <div className="field">
      <Segments label="When" items={TIMINGS} {...of('kind')} />
      {draft.kind === 'daily' && (
        <TextField
          label="Time of day"
          name="daily-at"
          inputMode="numeric"
          {...of('dailyAt')}
          invalid={problems.dailyAt !== undefined}
          placeholder="09:30"
        />
      )}
      {draft.kind === 'every' && (
        <TextField
          label="Period"
          name="every"
          suggestions={PERIODS}
          {...of('every')}
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
          {...of('cron')}
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
          {...of('timeZone')}
          invalid={problems.timeZone !== undefined}
        />
      )}
    </div>
  );
}

function timeZones(): readonly string[] {
  return ['UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone.includes('/'))];
}

export function PolicyFields({ draft, problems, of }: FieldProps) {
  const wrong = problems.catchUpLimit ?? problems.deadline ?? problems.historyLimit;
  return (
    <details className="policy-fields" open={wrong !== undefined || undefined}>
      <summary>Missed and overlapping firings</summary>
      <div className="form-grid">
        <SelectField
          label="Missed firings"
          name="missed-runs"
          {...of('missedRuns')}
          options={[
            ['Skip', 'Skip them'],
            ['RunOnce', 'Fire once for all of them'],
            ['CatchUp', 'Fire for the latest ones'],
          ]}
        />
        {draft.missedRuns === 'CatchUp' && (
          <TextField
            label="Most firings to catch up"
            name="catch-up-limit"
            inputMode="numeric"
            {...of('catchUpLimit')}
          />
        )}
        <SelectField
          label="While an earlier run is active"
          name="overlap"
          {...of('overlap')}
          options={[
            ['Forbid', 'Skip the new one'],
            ['Queue', 'Queue the new one'],
            ['Replace', 'End the earlier one'],
          ]}
        />
        <TextField label="Missed after (seconds)" name="deadline" inputMode="numeric" {...of('deadline')} />
        <TextField label="Runs to keep" name="history-limit" inputMode="numeric" {...of('historyLimit')} />
        <CheckField label="Suspended: it does not fire" name="suspend" {...of('suspend')} />
      </div>
      <FieldProblem text={wrong} />
    </details>
  );
}
