import type { HandsCall, Permission, Run, SkillUse } from '@hamlet/contract';
import { listCalls, listPermissions, listSkills } from '@hamlet/contract';
import { useMemo } from 'react';
import { type CallItem, type ModelItem, type TraceItem, traceItems } from '../../client/minds/trace-items.ts';
import { runRefreshMs } from '../../client/minds/run-trace.ts';
import { type Pages, useLive, usePages } from '../../client/query/use-live.ts';
import { Button, LinkButton, MoreButton, Notice, RefusedNotice, Time, Fact } from '../../ui/controls.tsx';
import { ScriptedMark } from '../scripted/village-mark.tsx';
import { dateTime, minuteTime } from '../../ui/time-labels.ts';
import { TaintList } from '../permissions/taint-list.tsx';
import { Markdown } from '../markdown/markdown.tsx';
import { OpenedPagesProvider, useKeysOf } from '../citations/opened-pages.ts';
import { RunResults, RunSources, useRunArtifacts, useRunSources } from '../results/session-results.tsx';
import { RunWorkers } from './run-workers.tsx';
import { RunOfferView } from '../offers/run-offer.tsx';
import { useRole, useShowAgent, useViewerId, useVillage } from '../village-context.ts';
import { isChange, shortCall, toolLabel } from '../permissions/call-labels.ts';
import {
  eventLabel,
  mayCancel,
  modelLabel,
  SAFE_MODE_LABELS,
  scriptedLabel,
  streamLabel,
  usageOfRun,
} from './run-labels.ts';
import { useCancelRun } from './use-runs.ts';
import { useRunTrace } from './use-run-trace.ts';
import { skillFromLabel } from '../capabilities/capability-labels.ts';
import '../capabilities/capabilities.css';
import { visibleText } from '../permissions/shown-arguments.ts';
import { DiffView } from '../hands/diff-view.tsx';
import { changeLabel, fileChanges } from '../hands/hands-labels.ts';
import '../hands/hands.css';
import { CallLine } from './call-line.tsx';

type CourseProps = Readonly<{
  items: readonly TraceItem[];
  calls: readonly HandsCall[];
  onAnswered: (permission: Permission) => void;
}>;

function RunCourse({ items, calls, onAnswered }: CourseProps) {
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
}: Readonly<{ item: TraceItem; logged: HandsCall | undefined; onAnswered: CourseProps['onAnswered'] }>) {
  switch (item.kind) {
    case 'call':
      return <CallLine call={item} logged={logged} onAnswered={onAnswered} />;
    case 'model':
      return <ModelLine item={item} />;
    case 'note':
      return <span>{eventLabel(item.event)}</span>;
  }
}

function ModelLine({ item }: { readonly item: ModelItem }) {
  return (
    <div className="model-line">
      <span className="model-line-head">{modelLabel(item)}</span>
      {item.text !== null && <Markdown text={item.text} />}
    </div>
  );
}

export function RunDetails({ run: listed, onChanged }: Readonly<{ run: Run; onChanged: () => void }>) {
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
          <Fact name="Course">
            {items.length === 0 && stream.kind !== 'refused' && 'Loading…'}
            <RunCourse items={items} calls={calls} onAnswered={asked.again} />
            <MoreButton more={hands.more} word="Load older commands and changes" />
            {trace.partial !== null && <Markdown className="run-partial" text={trace.partial.text} />}
            {problem !== null && <Notice tone={stream.kind === 'refused' ? 'bad' : 'waiting'}>{problem}</Notice>}
          </Fact>
        </dl>
        <CancelRun run={run} onChanged={onChanged} />
      </div>
    </OpenedPagesProvider>
  );
}

const NO_PERMISSIONS: readonly Permission[] = [];

function useRunPermissions(
  run: Run,
  version: number,
): { readonly permissions: readonly Permission[]; readonly again: () => void } {
  const timing = { everyMs: runRefreshMs(run), version };
  const { data, again } = useLive(listPermissions, { query: { run_id: run.run_id } }, timing);
  return { permissions: data?.permissions ?? NO_PERMISSIONS, again };
}

function Result({ run }: { readonly run: Run }) {
  const scripted = scriptedLabel(run.runtime);
  return (
    <>
      {run.summary !== null && (
        <Fact name="Summary">
          <Markdown className="run-summary" text={run.summary} />
          {scripted !== null && <ScriptedMark {...scripted} />}
        </Fact>
      )}
      {run.error !== null && (
        <Fact name="Error">
          <code className="reason">{run.error.code}</code> {run.error.message}
        </Fact>
      )}
      <Fact name="Use">
        {usageOfRun(run)} {!run.usage.witnessed && <small title="The API did not see this use itself">claimed</small>}
      </Fact>
    </>
  );
}

function Origin({ run }: { readonly run: Run }) {
  const { open, select } = useVillage();
  const showAgent = useShowAgent();
  const { session_id: chat } = run;
  return (
    <>
      <Fact name="Agent">
        <LinkButton word={run.agent_id} onClick={() => select(run.agent_id)} />
        {run.cycle !== null && <>, cycle {run.cycle}</>}
        {run.attempt > 1 && <>, started {run.attempt} times</>}
      </Fact>
      {run.schedule !== null && (
        <Fact name="Schedule">
          <ScheduleLink name={run.schedule.name} onOpen={(schedule) => open({ view: 'schedules', schedule })} />, for{' '}
          {dateTime(Date.parse(run.schedule.slot))}
        </Fact>
      )}
      {chat !== null && (
        <Fact name="Chat">
          <LinkButton word="Open the conversation" onClick={() => showAgent(run.agent_id, { tab: 'chat', chat })} />
        </Fact>
      )}
    </>
  );
}

function Mode({ run: { safe_mode: mode } }: { readonly run: Run }) {
  if (mode === undefined) return null;
  return (
    <Fact name="Mode" data-safe-mode={mode}>
      {SAFE_MODE_LABELS[mode].fact}
    </Fact>
  );
}

function Taint({ run }: { readonly run: Run }) {
  if (run.taint === undefined) return null;
  return (
    <Fact
      name="Tainted by"
      title="Text from outside has reached this run: it asks a person before it sends, spends or runs code"
    >
      <TaintList taint={run.taint} />
    </Fact>
  );
}

function Changes({ run, items }: Readonly<{ run: Run; items: readonly TraceItem[] }>) {
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
        <Fact name="Changed">
          <ul className="run-changes">
            {changes.map((call) => (
              <li key={call.key}>{callLabel(call)}</li>
            ))}
          </ul>
        </Fact>
      )}
      {unsettled.size > 0 && (
        <Fact name="Unsettled" className="run-unsettled">
          These calls may have happened; no result is known:
          <ul className="run-changes">
            {[...unsettled].map((id) => (
              <li key={id}>{nameOf(id)}</li>
            ))}
          </ul>
        </Fact>
      )}
    </>
  );
}

function callLabel({ tool, argumentsText }: CallItem): string {
  const values = shortCall({ tool, argumentsText });
  return values === '' ? toolLabel(tool).word : `${toolLabel(tool).word}: ${values}`;
}

function ScheduleLink({ name, onOpen }: Readonly<{ name: string; onOpen: (name: string) => void }>) {
  return <LinkButton word={name} onClick={() => onOpen(name)} />;
}

function CancelRun({ run, onChanged }: { readonly run: Run; readonly onChanged: () => void }) {
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

function RunSkills({ run, version }: Readonly<{ run: Run; version: number }>) {
  const input = { params: { agent_id: run.agent_id }, query: { run_id: run.run_id } };
  const { data } = useLive(listSkills, input, { everyMs: runRefreshMs(run), version });
  const [set] = data?.runs ?? [];
  if (set === undefined || set.skills.length === 0) return null;
  return (
    <Fact name="Skills">
      <ul className="skills" data-set={set.sha256}>
        {set.skills.map((skill) => (
          <RunSkillLine key={skill.name} skill={skill} />
        ))}
      </ul>
    </Fact>
  );
}

function RunSkillLine({ skill }: { readonly skill: SkillUse }) {
  const { name, from, sha256, loaded_at: loaded, why } = skill;
  return (
    <li className="skill" data-skill={name} data-loaded={loaded !== null}>
      <span className="skill-head">
        <b>{name}</b>
        <code className="skill-version" title={`Version ${sha256}`}>
          {sha256.slice(0, 12)}
        </code>
        <span className="hint">
          {skillFromLabel(from)}
          {loaded === null ? ' · not read' : ` · read ${minuteTime(loaded)}`}
        </span>
      </span>
      {why !== null && <p className="skill-text">{why}</p>}
    </li>
  );
}

function RunFiles({ calls }: { readonly calls: readonly HandsCall[] }) {
  const changer = calls.find(({ report }) => report?.change !== undefined);
  const undos = useUndos(changer?.agent_id ?? null);
  const changes = useMemo(() => fileChanges(calls, undos), [calls, undos]);
  if (changes.length === 0) return null;
  return (
    <Fact name="Files">
      <ul className="run-files">
        {changes.map((change) => (
          <li key={change.call.call_id} data-undone={change.undone}>
            <details>
              <summary>
                <span className="run-file">{visibleText(change.path)}</span>
                <span className="run-file-label">{changeLabel(change)}</span>
              </summary>
              <DiffView diff={change.diff} path={change.path} />
            </details>
          </li>
        ))}
      </ul>
    </Fact>
  );
}

const UNDOS_EVERY_MS = 10_000;
const PAGE = 50;

function useRunCalls(run: Pick<Run, 'run_id' | 'state'>, version: number): Pages<HandsCall, unknown> {
  return usePages(
    listCalls,
    { query: { run_id: run.run_id, limit: PAGE } },
    { list: 'calls', id: ({ run_id: id, call_id: call }) => `${id} ${call}`, everyMs: runRefreshMs(run), version },
  );
}

const NO_CALLS: readonly HandsCall[] = [];

/** The newest undos of an agent in all of its runs; none are requested for null. */
function useUndos(agentId: string | null): readonly HandsCall[] {
  const input = agentId === null ? null : { query: { agent_id: agentId, tool: 'undo_change', limit: PAGE } };
  return useLive(listCalls, input, UNDOS_EVERY_MS).data?.calls ?? NO_CALLS;
}
