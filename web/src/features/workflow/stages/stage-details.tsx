import type { Permission, Run, WorkflowStage } from '@hamlet/contract';
import type { Plan } from '@hamlet/engine/manifests';
import { type ReactNode, useEffect, useRef } from 'react';
import { Badge, Fact, Icon, LinkButton, Notice, useNow } from '../../../ui/controls.tsx';
import { secondTime } from '../../../ui/time-labels.ts';
import { PermissionCard } from '../../permissions/permission-card.tsx';
import { stateLabel } from '../../runs/run-labels.ts';
import { useVillage } from '../../village-context.ts';
import { StageMark } from '../graph/stage-mark.tsx';
import { edgesFrom } from './edge-views.ts';
import { JsonText } from '../json/json-text.tsx';
import { stageLength, stateWord, turnsLabel, usageLabel, workLabel } from './stage-labels.ts';
import type { StageView } from './stage-views.ts';

type DetailsProps = Readonly<{
  view: StageView;
  runId: string;
  plan: Plan | null;
  onSelect: (stage: string) => void;
  onAnswered: () => void;
  /** The button that repeats the run from here, if the viewer may. */
  repeat: ReactNode;
}>;

/** One stage: its state, its requests to people, its input and output, and its edges. */
export function StageDetails({ view, runId, plan, onSelect, onAnswered, repeat }: DetailsProps) {
  const { id, stage } = view;
  const part = useRef<HTMLElement>(null);
  // The details may be below the graph, and on a phone below the list.
  useEffect(() => {
    // The braces keep the promise that some browsers return from React, which expects a clean-up function.
    part.current?.scrollIntoView({ block: 'nearest' });
  }, []);
  return (
    <section ref={part} className="stage-details" aria-label={`Stage ${id}`} data-stage={id} data-state={view.state}>
      <h3>
        <StageMark state={view.state} /> {id}
        <small>
          {workLabel(view)} · {stateWord(view)}
        </small>
      </h3>
      {view.asked.map((permission) => (
        <Asked key={permission.permission_id} {...{ permission, onAnswered }} isOfRun={permission.run_id === runId} />
      ))}
      {stage === null ? <p className="hint">This stage has not begun.</p> : <Course view={view} stage={stage} />}
      {stage !== null && stage.failure !== null && <Failure failure={stage.failure} />}
      {stage !== null && <Texts stage={stage} takenOver={view.takenOver} />}
      <Edges view={view} plan={plan} onSelect={onSelect} />
      {repeat}
    </section>
  );
}

type AskedProps = Readonly<{ permission: Permission; isOfRun: boolean; onAnswered: () => void }>;

/** A request of a stage's agent, or a link to a request of the run, which is at the top of the page. */
function Asked({ permission, isOfRun, onAnswered }: AskedProps) {
  if (!isOfRun) return <PermissionCard permission={permission} onAnswered={onAnswered} />;
  const show = (): void => {
    const card = document.querySelector(`[data-permission-id="${CSS.escape(permission.permission_id)}"]`);
    card?.scrollIntoView({ block: 'center' });
    card?.querySelector('button')?.focus();
  };
  return <LinkButton word="Answer its request" onClick={show} data-action="show-request" />;
}

function Course({ view, stage }: Readonly<{ view: StageView; stage: WorkflowStage }>) {
  const { open } = useVillage();
  const now = useNow(1000);
  const { worker_run_id: workerId, started_at: started, ended_at: ended } = stage;
  const turns = turnsLabel(stage);
  const used = usageLabel(stage);
  return (
    <dl className="stage-facts">
      {turns !== '' && <Fact name="Turn">{turns}</Fact>}
      {started !== null && !view.takenOver && (
        <Fact name="Time">
          {secondTime(started)}
          {ended !== null && `–${secondTime(ended)}`} · {stageLength(stage, now)}
        </Fact>
      )}
      {view.takenOver && <Fact name="Time">Taken over from the run that this one repeats</Fact>}
      {workerId !== null && (
        <Fact name="Agent">
          <LinkButton
            word="Open its run"
            onClick={() => open({ view: 'runs', run: workerId })}
            data-action="open-worker"
          />{' '}
          {view.worker !== null && <WorkerState worker={view.worker} />}
        </Fact>
      )}
      {used !== '' && <Fact name="Used">{used}</Fact>}
    </dl>
  );
}

function WorkerState({ worker }: { readonly worker: Run }) {
  const { word, tone } = stateLabel(worker);
  return <Badge tone={tone}>{word}</Badge>;
}

function Failure({
  failure: { category, code, message },
}: Readonly<{ failure: NonNullable<WorkflowStage['failure']> }>) {
  return (
    <Notice tone="bad" role="status" data-failure={code}>
      <code className="reason">{category}</code> <code className="reason">{code}</code> {message}
    </Notice>
  );
}

function Texts({ stage, takenOver }: Readonly<{ stage: WorkflowStage; takenOver: boolean }>) {
  const { input, output, status } = stage;
  const isDone = status === 'completed';
  return (
    <>
      {status !== 'skipped' && (
        <>
          <h4>Input</h4>
          {input === null ? <p className="hint">{GONE}</p> : <JsonText label="Input" json={input} />}
        </>
      )}
      {(isDone || output !== null) && (
        <>
          <h4>Output</h4>
          {output === null ? <p className="hint">{GONE}</p> : <JsonText label="Output" json={output} />}
          {takenOver && <p className="hint">As the earlier run left it.</p>}
        </>
      )}
    </>
  );
}

const GONE = 'This text is too long to be shown here, was deleted, or is not yours to read.';

type EdgesProps = Pick<DetailsProps, 'view' | 'plan' | 'onSelect'>;

function Edges({ view, plan, onSelect }: EdgesProps) {
  const edges = edgesFrom(plan, view);
  if (edges.length === 0) return null;
  return (
    <>
      <h4>Then</h4>
      <ul className="stage-edges">
        {edges.map(({ id, to, isFollowed, reason }) => (
          <li key={id} data-edge={id} data-followed={isFollowed ?? undefined}>
            <Icon name={isFollowed === true ? 'check' : isFollowed === false ? 'close' : 'more'} size={14} />
            <span className="sr-only">
              {isFollowed === true ? 'Taken:' : isFollowed === false ? 'Not taken:' : 'Open:'}
            </span>
            <LinkButton word={to} onClick={() => onSelect(to)} />
            <span className="hint">{reason}</span>
          </li>
        ))}
      </ul>
    </>
  );
}
