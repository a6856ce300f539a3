import type { CallData, HandsCall, Permission, Run } from '@hamlet/contract';
import { getRun, listPermissions, readFileList } from '@hamlet/contract';
import { isSettled, titleFrom } from '@hamlet/core';
import { useMemo } from 'react';
import { runRefreshMs } from '../../../client/minds/run-trace.ts';
import { traceItems } from '../../../client/minds/trace-items.ts';
import { useLive } from '../../../client/query/use-live.ts';
import {
  Badge,
  Button,
  LinkButton,
  MoreButton,
  Notice,
  Part,
  RefusedNotice,
  Unread,
  useNow,
} from '../../../ui/controls.tsx';
import { minuteTime } from '../../../ui/time-labels.ts';
import { useAgentName, useRole, useViewerId, useVillage } from '../../village-context.ts';
import { OpenedPagesProvider, useKeysOf } from '../../citations/opened-pages.ts';
import { FileChips } from '../../given-files/file-chips.tsx';
import { Markdown } from '../../markdown/markdown.tsx';
import { traceMind } from '../../mind/trace-mind.ts';
import { Page } from '../../navigation/page.tsx';
import { PermissionCard } from '../../permissions/permission-card.tsx';
import { deliveryOf } from '../../offers/offer-labels.ts';
import { RunOfferView } from '../../offers/run-offer.tsx';
import { RunResults, useRunArtifacts, useRunSources } from '../../results/session-results.tsx';
import { ScriptedMark } from '../../scripted/village-mark.tsx';
import { ContinueRun } from '../continue-run.tsx';
import { failureSentence } from '../run-advice.ts';
import { RunBudget } from './run-budget-view.tsx';
import { RunCourse } from './run-course.tsx';
import { RunFacts } from './run-facts.tsx';
import { RunOutput } from './run-output.tsx';
import { RunFiles, useChangedFiles, useRunCalls } from './run-files.tsx';
import {
  lastWordsOf,
  mayCancel,
  originLabel,
  parkedLabel,
  runLength,
  scriptedLabel,
  stateLabel,
  streamLabel,
  workerLabel,
} from '../run-labels.ts';
import { RunWorkers } from './run-workers.tsx';
import { todoOf } from '../../permissions/todo.ts';
import { TodoList } from './todo-list.tsx';
import { WorkflowPart } from './workflow-part.tsx';
import { useCancelRun } from '../use-runs.ts';
import { useRunTrace } from '../use-run-trace.ts';
import '../runs.css';

const REFRESH_MS = 2000;

/** The page of one run, at the address `?view=runs&run=…`. */
export function RunPage({ id }: { readonly id: string }) {
  const { open } = useVillage();
  const live = useLive(getRun, { params: { run_id: id } }, REFRESH_MS);
  const back = <Button icon="back" word="All runs" onClick={() => open({ run: null })} data-action="back" />;
  if (live.data !== null) return <FoundRun found={live.data} onChanged={live.again} />;
  return (
    <Page title="Run" intro="A task of an agent." needs="runs:read" tools={back}>
      <Unread refused={live.refused} word="Loading the run…" />
    </Page>
  );
}

type Found = Pick<CallData<typeof getRun>, 'run' | 'output_json'>;

function FoundRun({ found, onChanged }: Readonly<{ found: Found; onChanged: () => void }>) {
  const { run: listed, output_json: output = null } = found;
  const { state: trace, stream } = useRunTrace(listed.run_id);
  const run = trace.run ?? listed;
  const version = trace.events.length;
  const asked = useRunPermissions(run, version);
  const hands = useRunCalls(run, version);
  const calls = hands.rows ?? NO_CALLS;
  const files = useChangedFiles(calls);
  const items = useMemo(() => traceItems(trace, asked.permissions), [trace, asked.permissions]);
  const artifacts = useRunArtifacts(run, version);
  const sources = useRunSources(run, version);
  const problem = streamLabel(stream);
  return (
    <OpenedPagesProvider value={useKeysOf(sources)}>
      <RunFrame run={run} onChanged={onChanged}>
        <div className="run-columns" data-stream={stream.kind}>
          <div className="run-main">
            <Waiting permissions={asked.permissions} onAnswered={asked.again} />
            <WorkflowPart {...{ run, version }} onAnswered={asked.again} />
            <Task run={run} />
            <Result run={run} output={output} partial={trace.partial?.text ?? null} />
            <RunOfferView run={run} delivery={deliveryOf(items, artifacts)} />
            <TodoList items={todoOf(items)} />
            <RunResults artifacts={artifacts} />
            <RunFiles files={files} />
            <RunWorkers run={run} version={version} />
            <Part name="Timeline">
              {items.length === 0 && stream.kind !== 'refused' && <p className="hint">Loading…</p>}
              <RunCourse
                agentId={run.agent_id}
                runId={run.run_id}
                items={items}
                calls={calls}
                onAnswered={asked.again}
              />
              <MoreButton more={hands.more} word="Load older commands and changes" />
              {problem !== null && <Notice tone={stream.kind === 'refused' ? 'bad' : 'waiting'}>{problem}</Notice>}
            </Part>
          </div>
          <aside className="run-side" aria-label="About this run">
            <RunBudget run={run} />
            <RunFacts {...{ run, items, files, sources, version }} mind={traceMind({ ...trace, run })} />
          </aside>
        </div>
      </RunFrame>
    </OpenedPagesProvider>
  );
}

const NO_CALLS: readonly HandsCall[] = [];
const NO_PERMISSIONS: readonly Permission[] = [];

function useRunPermissions(
  run: Run,
  version: number,
): { readonly permissions: readonly Permission[]; readonly again: () => void } {
  const timing = { everyMs: runRefreshMs(run), version };
  const { data, again } = useLive(listPermissions, { query: { run_id: run.run_id } }, timing);
  return { permissions: data?.permissions ?? NO_PERMISSIONS, again };
}

/** The requests that wait for a person, above the rest of the page. */
function Waiting({
  permissions,
  onAnswered,
}: Readonly<{ permissions: readonly Permission[]; onAnswered: () => void }>) {
  const waiting = permissions.filter(({ state }) => state === 'pending');
  return waiting.map((permission) => (
    <PermissionCard key={permission.permission_id} permission={permission} onAnswered={onAnswered} />
  ));
}

type FrameProps = Readonly<{ run: Run; onChanged: () => void; children: React.ReactNode }>;

function RunFrame({ run, onChanged, children }: FrameProps) {
  const { open } = useVillage();
  const now = useNow(1000);
  const name = useAgentName(run.agent_id);
  const viewer = useViewerId();
  const { word, tone } = stateLabel(run);
  const parked = parkedLabel(run, minuteTime);
  return (
    <div className="run-page" data-run-id={run.run_id} data-state={run.state}>
      <Page
        title={titleFrom(run.prompt)}
        intro={`${name} · ${originLabel(run, viewer)} · ${runLength(run, now)}`}
        needs="runs:read"
        tools={
          <div className="button-row">
            <Badge tone={tone}>{word}</Badge>
            <CancelRun run={run} onChanged={onChanged} />
            <Button icon="back" word="All runs" onClick={() => open({ run: null })} data-action="back" />
          </div>
        }
      >
        {run.worker !== undefined && <Parent worker={run.worker} />}
        {parked !== null && <Notice tone="waiting">{parked}. It continues by itself.</Notice>}
        {children}
      </Page>
    </div>
  );
}

function Parent({ worker }: { readonly worker: NonNullable<Run['worker']> }) {
  const { open } = useVillage();
  return (
    <p className="run-parent">
      {workerLabel(worker)} of{' '}
      <LinkButton word="another run" onClick={() => open({ run: worker.parent_run_id })} data-action="parent-run" />
    </p>
  );
}

/** The whole task with its files, unless the title has all of it. */
function Task({ run: { prompt } }: { readonly run: Run }) {
  const { text, files } = readFileList(prompt);
  const isInTitle = titleFrom(text) === text;
  if (isInTitle && files.length === 0) return null;
  return (
    <Part name="Task">
      {!isInTitle && <Markdown text={text} />}
      <FileChips files={files} />
    </Part>
  );
}

type WordsProps = Readonly<{ runId: string; words: string | null; output: string | null }>;

/** The words of the agent, or its output, which says the same in the form that was asked for. */
function Words({ runId, words, output }: WordsProps) {
  if (output !== null) return <RunOutput runId={runId} json={output} />;
  return words === null ? null : <Markdown className="run-summary" text={words} />;
}

function Result({ run, output, partial }: Readonly<{ run: Run; output: string | null; partial: string | null }>) {
  const role = useRole();
  const scripted = scriptedLabel(run.runtime);
  const words = lastWordsOf(run);
  if (words === null && run.error === null && partial === null) return null;
  return (
    <Part name={isSettled(run.state) ? 'Result' : 'Answer so far'}>
      {run.error !== null && (
        <Notice tone="bad">
          {failureSentence(run.error, role)} <ContinueRun run={run} />
        </Notice>
      )}
      <Words runId={run.run_id} {...{ words, output }} />
      {partial !== null && <Markdown className="run-partial" text={partial} />}
      {scripted !== null && words !== null && <ScriptedMark {...scripted} />}
    </Part>
  );
}

function CancelRun({ run, onChanged }: { readonly run: Run; readonly onChanged: () => void }) {
  const role = useRole();
  const id = useViewerId();
  const { refused, cancel } = useCancelRun(run.run_id);
  if (!mayCancel(run, { role, id })) return null;
  return (
    <>
      {refused !== null && <RefusedNotice refused={refused} />}
      <Button
        icon="stop"
        iconPx={14}
        word={run.state === 'queued' ? 'Cancel this run' : 'End this run'}
        onClick={() => void cancel().then(onChanged)}
        data-action="cancel-run"
      />
    </>
  );
}
