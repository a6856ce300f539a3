import { type HandsCall, listPermissions, type Permission, type Run } from '@hamlet/contract';
import { type ReactElement, useMemo } from 'react';
import { type CallItem, type TraceItem, traceItems } from '../../client/minds/trace-items.ts';
import { runRefreshMs } from '../../client/minds/run-refresh.ts';
import { useLive } from '../../client/query/use-live.ts';
import { Button, LinkButton } from '../../ui/button.tsx';
import { Notice } from '../../ui/notices/notice.tsx';
import { RefusedNotice } from '../../ui/notices/refused-notice.tsx';
import { ScriptedMark } from '../scripted/scripted-mark.tsx';
import { dateTime } from '../../ui/time-labels.ts';
import { TaintList } from '../permissions/taint-list.tsx';
import { MoreButton } from '../../ui/paged-list.tsx';
import { RunSkills } from '../capabilities/run-skills.tsx';
import { RunFiles } from '../hands/run-files.tsx';
import { CitedText } from '../citations/cited-text.tsx';
import { OpenedPagesProvider, useKeysOf } from '../citations/opened-pages.ts';
import { RunResults, RunSources, useRunArtifacts, useRunSources } from '../results/run-results.tsx';
import { RunWorkers } from './run-workers.tsx';
import { useRunCalls } from '../hands/use-hands-calls.ts';
import { RunOfferView } from '../offers/run-offer.tsx';
import { useRole, useViewerId, useVillage } from '../village-context.ts';
import { isChange, shortCall, toolLabel } from '../permissions/call-labels.ts';
import { RunCourse } from './run-course.tsx';
import { mayCancel, SAFE_MODE_LABELS, scriptedLabel, streamLabel, usageOfRun } from './run-labels.ts';
import { useCancelRun } from './use-cancel-run.ts';
import { useRunTrace } from './use-run-trace.ts';

type DetailsProps = Readonly<{ run: Run; onChanged: () => void }>;

/** A run as it happens: outcome, use, changes, what is unsettled, everything in order, and the button that ends it. */
export function RunDetails({ run: listed, onChanged }: DetailsProps): ReactElement {
  const { state: trace, stream } = useRunTrace(listed.run_id);
  const run = trace.run ?? listed;
  const asked = useRunPermissions(run, trace.events.length);
  const hands = useRunCalls(run, trace.events.length);
  const calls = hands.rows ?? NO_CALLS;
  const items = useMemo(() => traceItems(trace, asked.permissions), [trace, asked.permissions]);
  const artifacts = useRunArtifacts(run, trace.events.length);
  const sources = useRunSources(run, trace.events.length);
  const problem = streamLabel(stream);
  return (
    <OpenedPagesProvider value={useKeysOf(sources)}>
      <div className="run-details" data-stream={stream.kind}>
        <dl className="run-facts">
          <Result run={run} />
          <RunOfferView run={run} />
          <Origin run={run} />
          <Mode run={run} />
          <Taint run={run} />
          <Changes run={run} items={items} />
          <RunResults artifacts={artifacts} />
          <RunSources sources={sources} text={run.summary ?? ''} />
          <RunFiles calls={calls} />
          <RunSkills run={run} version={trace.events.length} />
          <RunWorkers run={run} version={trace.events.length} />
          <dt>Course</dt>
          <dd>
            {items.length === 0 && stream.kind !== 'refused' && 'Loading…'}
            <RunCourse items={items} calls={calls} onAnswered={asked.again} />
            <MoreButton more={hands.more} word="Load older commands and changes" />
            {trace.partial !== null && <p className="prose run-partial">{trace.partial.text}</p>}
            {problem !== null && <Notice tone={stream.kind === 'refused' ? 'bad' : 'waiting'}>{problem}</Notice>}
          </dd>
        </dl>
        <CancelRun run={run} onChanged={onChanged} />
      </div>
    </OpenedPagesProvider>
  );
}

const NO_CALLS: readonly HandsCall[] = [];
const NO_PERMISSIONS: readonly Permission[] = [];

/** The permissions of a run, read again with each new event of the run. */
function useRunPermissions(
  run: Run,
  version: number,
): { readonly permissions: readonly Permission[]; readonly again: () => void } {
  const timing = { everyMs: runRefreshMs(run), version };
  const { data, again } = useLive(listPermissions, { query: { run_id: run.run_id } }, timing);
  return { permissions: data?.permissions ?? NO_PERMISSIONS, again };
}

function Result({ run }: { readonly run: Run }): ReactElement {
  const scripted = scriptedLabel(run.runtime);
  return (
    <>
      {run.summary !== null && (
        <>
          <dt>Summary</dt>
          <dd>
            <span className="prose run-summary">
              <CitedText text={run.summary} />
            </span>
            {scripted !== null && <ScriptedMark {...scripted} />}
          </dd>
        </>
      )}
      {run.error !== null && (
        <>
          <dt>Error</dt>
          <dd>
            <code className="reason">{run.error.code}</code> {run.error.message}
          </dd>
        </>
      )}
      <dt>Use</dt>
      <dd>
        {usageOfRun(run)} {!run.usage.witnessed && <small title="The API did not see this use itself">claimed</small>}
      </dd>
    </>
  );
}

function Origin({ run }: { readonly run: Run }): ReactElement {
  const { open, select } = useVillage();
  const { session_id: chat } = run;
  return (
    <>
      <dt>Agent</dt>
      <dd>
        <LinkButton word={run.agent_id} onClick={() => select(run.agent_id)} />
        {run.cycle !== null && <>, cycle {run.cycle}</>}
        {run.attempt > 1 && <>, started {run.attempt} times</>}
      </dd>
      {run.schedule !== null && (
        <>
          <dt>Schedule</dt>
          <dd>
            <ScheduleLink name={run.schedule.name} onOpen={(schedule) => open({ view: 'schedules', schedule })} />, for{' '}
            {dateTime(Date.parse(run.schedule.slot))}
          </dd>
        </>
      )}
      {chat !== null && (
        <>
          <dt>Chat</dt>
          <dd>
            <LinkButton
              word="Open the conversation"
              onClick={() => {
                select(run.agent_id);
                open({ tab: 'chat', chat });
              }}
            />
          </dd>
        </>
      )}
    </>
  );
}

function Mode({ run: { safe_mode: mode } }: { readonly run: Run }): ReactElement | null {
  if (mode === undefined) return null;
  return (
    <>
      <dt>Mode</dt>
      <dd data-safe-mode={mode}>{SAFE_MODE_LABELS[mode].fact}</dd>
    </>
  );
}

/** The text from outside that has reached the run: what it then sends, spends or runs asks a person. */
function Taint({ run }: { readonly run: Run }): ReactElement | null {
  if (run.taint === undefined) return null;
  return (
    <>
      <dt>Tainted by</dt>
      <dd title="Text from outside has reached this run: it asks a person before it sends, spends or runs code">
        <TaintList taint={run.taint} />
      </dd>
    </>
  );
}

/** The calls that changed something, and those whose end is unknown. */
function Changes({ run, items }: Readonly<{ run: Run; items: readonly TraceItem[] }>): ReactElement {
  const calls = items.filter((item) => item.kind === 'call');
  const changes = calls.filter(isChange);
  const unsettled = new Set(run.unsettled);
  const nameOf = (id: string): string => {
    const call = calls.find(({ callId }) => callId === id);
    return call === undefined ? id : callLabel(call);
  };
  return (
    <>
      {changes.length > 0 && (
        <>
          <dt>Changed</dt>
          <dd>
            <ul className="run-changes">
              {changes.map((call) => (
                <li key={call.key}>{callLabel(call)}</li>
              ))}
            </ul>
          </dd>
        </>
      )}
      {unsettled.size > 0 && (
        <>
          <dt>Unsettled</dt>
          <dd className="run-unsettled">
            These calls may have happened; no result is known:
            <ul className="run-changes">
              {[...unsettled].map((id) => (
                <li key={id}>{nameOf(id)}</li>
              ))}
            </ul>
          </dd>
        </>
      )}
    </>
  );
}

function callLabel({ tool, argumentsText }: CallItem): string {
  const values = shortCall({ tool, argumentsText });
  return values === '' ? toolLabel(tool).word : `${toolLabel(tool).word}: ${values}`;
}

function ScheduleLink({ name, onOpen }: Readonly<{ name: string; onOpen: (name: string) => void }>): ReactElement {
  return <LinkButton word={name} onClick={() => onOpen(name)} />;
}

function CancelRun({ run, onChanged }: { readonly run: Run; readonly onChanged: () => void }): ReactElement | null {
  const role = useRole();
  const id = useViewerId();
  const { refused, cancel } = useCancelRun(run.run_id);
  if (!mayCancel(run, { role, id })) return null;
  return (
    <div className="run-cancel">
      {refused !== null && <RefusedNotice refused={refused} />}
      <Button
        icon="close"
        iconPx={14}
        word={run.state === 'queued' ? 'Cancel this run' : 'End this run'}
        onClick={() => void cancel().then(onChanged)}
        data-action="cancel-run"
      />
    </div>
  );
}
