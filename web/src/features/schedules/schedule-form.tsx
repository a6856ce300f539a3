import { changeSchedule, createSchedule, type ScheduleView } from '@hamlet/contract';
import { useDeferredValue, useState } from 'react';
import { fieldsOf, type FormDraft, useDialogDraft, withoutEmpty } from '../../client/drafts.ts';
import { useIntent } from '../../client/query/use-live.ts';
import { FormDialog, OwnedNotice, useNow } from '../../ui/controls.tsx';
import { CheckField, FieldProblem, Form, Segments, SelectField, SubmitButton, TextField } from '../../ui/fields.tsx';
import { useVillage } from '../village-context.ts';
import { NextTimesList, viewerZone } from './next-times-list.tsx';
import type { Draft, Problems } from './schedule-draft.ts';
import {
  changesOf,
  draftOf,
  emptyDraft,
  givenFields,
  nextOf,
  readDraft,
  timingOf,
  withPipeline,
} from './schedule-draft.ts';
import { SAID_MAX_CHARS, saidTiming } from './said-timing.ts';
import { type Day, dayWord, inOrder, WEEK } from './weekly.ts';
import { AgentField } from '../agent-field.tsx';

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

/** The switch between a prompt that the agent answers and a task for its workflow. */
function WorkflowFields({ draft: { workflow }, problems, of }: FieldProps) {
  const { onChange } = of('workflow');
  return (
    <>
      <CheckField
        label="Starts the workflow of the agent, with the prompt as its input"
        name="workflow"
        value={workflow !== null}
        onChange={(on) => onChange(on ? {} : null)}
      />
      {workflow !== null && (
        <TextField
          label="Pipeline"
          name="pipeline"
          spellCheck={false}
          value={workflow.pipeline ?? ''}
          onChange={(text) => onChange(withPipeline(workflow, text))}
          problem={problems.workflow}
          placeholder="By mode, tags and score"
        />
      )}
    </>
  );
}

/** Fills in the fields below while the person types. Only those fields are saved. */
function SaidField({ onDraft }: Pick<FieldsProps, 'onDraft'>) {
  const [said, setSaid] = useState('');
  const write = (text: string): void => {
    setSaid(text);
    const timing = saidTiming(text);
    if (timing !== null) onDraft(timing);
  };
  const isUnread = said.trim().length > 2 && saidTiming(said) === null;
  return (
    <div className="field">
      <TextField
        label="When, in words"
        name="said"
        spellCheck={false}
        maxLength={SAID_MAX_CHARS}
        placeholder="every weekday at 7:30"
        value={said}
        onChange={write}
      />
      {isUnread && (
        <p className="hint">
          These words are not understood, so the fields below apply. Try “every weekday at 7:30” or “every 2 hours”.
        </p>
      )}
    </div>
  );
}

const TIMINGS = [
  { key: 'daily', word: 'Daily' },
  { key: 'weekly', word: 'On days' },
  { key: 'every', word: 'Every' },
  { key: 'cron', word: 'Cron' },
] as const;
const PERIODS = ['30s', '10m', '1h', '6h', '24h'];

export function TimingFields({ draft, problems, of }: FieldProps) {
  return (
    <div className="field">
      <Segments label="When" items={TIMINGS} {...of('kind')} />
      {draft.kind === 'weekly' && <DayFields {...of('days')} />}
      {(draft.kind === 'daily' || draft.kind === 'weekly') && (
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

type DayProps = Readonly<{ value: readonly Day[]; onChange: (days: readonly Day[]) => void }>;

function DayFields({ value, onChange }: DayProps) {
  return (
    <fieldset className="days">
      <legend className="sr-only">Days</legend>
      {WEEK.map((day) => (
        <CheckField
          key={day}
          className="choice choice-small"
          label={dayWord(day)}
          name={day}
          value={value.includes(day)}
          onChange={(on) => onChange(on ? inOrder([...value, day]) : value.filter((each) => each !== day))}
        />
      ))}
    </fieldset>
  );
}

function timeZones(): readonly string[] {
  return ['UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone.includes('/'))];
}

export function PolicyFields({ draft, problems, of }: FieldProps) {
  const wrong = problems.catchUpLimit ?? problems.deadline ?? problems.historyLimit;
  return (
    <details className="policy-fields" open={wrong !== undefined || undefined}>
      <summary>Missed and overlapping runs</summary>
      <div className="form-grid">
        <SelectField
          label="Missed runs"
          name="missed-runs"
          {...of('missedRuns')}
          options={[
            ['Skip', 'Skip them'],
            ['RunOnce', 'Run once for all of them'],
            ['CatchUp', 'Run for the latest ones'],
          ]}
        />
        {draft.missedRuns === 'CatchUp' && (
          <TextField
            label="Maximum runs to catch up"
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

type FormProps = Readonly<{ schedule: ScheduleView | null; onClose: (saved: string | null) => void }>;

export function ScheduleForm({ schedule, onClose }: FormProps) {
  const { draft, write, unsaved } = useDialogDraft(() =>
    schedule === null ? emptyDraft('', viewerZone()) : draftOf(schedule, viewerZone()),
  );
  return (
    <FormDialog
      title={schedule === null ? 'New schedule' : `Change ${schedule.name}`}
      {...unsaved}
      onClose={() => onClose(null)}
    >
      <Fields schedule={schedule} draft={draft} onDraft={write} onSaved={onClose} />
    </FormDialog>
  );
}

interface FieldsProps {
  readonly schedule: ScheduleView | null;
  readonly draft: Draft;
  readonly onDraft: (change: Partial<Draft>) => void;
  readonly onSaved: (name: string) => void;
}

function Fields({ schedule, draft, onDraft, onSaved }: FieldsProps) {
  const save = useSave(schedule, draft, onSaved);
  const reading = readDraft(draft);
  const problems: Problems = reading.ok ? {} : save.tried ? reading.problems : withoutEmpty(reading.problems, draft);
  const of = fieldsOf(draft, onDraft);
  const parts = { draft, problems, of };
  return (
    <Form className="schedule-form" noValidate onSend={() => save.send('refuse')}>
      <div className="form-columns">
        <div className="form-column">
          <TextField
            label="Name"
            name="name"
            {...of('name')}
            disabled={schedule !== null}
            problem={problems.name}
            placeholder="Morning round"
          />
          <TargetFields {...parts} />
          <TextField
            label="Prompt"
            name="prompt"
            rows={4}
            {...of('prompt')}
            problem={problems.prompt}
            placeholder="The work for the agent"
          />
          <WorkflowFields {...parts} />
        </div>
        <div className="form-column">
          <SaidField onDraft={onDraft} />
          <TimingFields {...parts} />
          <Ahead draft={draft} />
        </div>
      </div>
      <PolicyFields {...parts} />
      <FieldProblem text={problems.kind} />
      {save.refused !== null && <OwnedNotice refused={save.refused} onTakeOver={() => void save.send('take_over')} />}
      <SubmitButton word={schedule === null ? 'Create the schedule' : 'Save'} busy={save.busy} />
    </Form>
  );
}

function Ahead({ draft }: { readonly draft: Draft }) {
  const now = useNow(5000);
  const shown = useDeferredValue(draft);
  const next = nextOf(shown, now);
  return (
    <section className="ahead" aria-label="Next runs" aria-live="polite">
      <h3 className="section-name">Next runs</h3>
      {next.ok ? (
        <NextTimesList slots={next.slots} timeZone={timingOf(shown).timeZone ?? null} />
      ) : (
        <p className="field-problem">{next.problem}</p>
      )}
    </section>
  );
}

function useSave(schedule: ScheduleView | null, draft: Draft, onSaved: (name: string) => void) {
  const { api } = useVillage();
  const sending = useIntent();
  const [tried, setTried] = useState(false);
  const send = async (conflict: 'refuse' | 'take_over'): Promise<void> => {
    setTried(true);
    const reading = readDraft(draft);
    if (!reading.ok) return;
    const reply = await sending.send(
      (idempotencyKey) =>
        schedule === null
          ? api.call(createSchedule, { body: { ...givenFields(reading.body), name: reading.name }, idempotencyKey })
          : api.call(changeSchedule, {
              params: { name: schedule.name },
              query: { on_conflict: conflict },
              body: changesOf(reading.body, schedule),
              idempotencyKey,
            }),
      JSON.stringify([draft, conflict]),
    );
    if (reply?.ok === true) onSaved(reading.name);
  };
  return { tried, busy: sending.busy, refused: sending.refused, send };
}
