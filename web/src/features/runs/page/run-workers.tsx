import { listWorkers, type Run, type Worker } from '@hamlet/contract';
import { runRefreshMs } from '../../../client/minds/run-trace.ts';
import { useLive } from '../../../client/query/use-live.ts';
import { Badge, Button, LinkButton, Part, RefusedNotice, useNow } from '../../../ui/controls.tsx';
import { mayCancel, runLength, stateLabel } from '../run-labels.ts';
import { useCancelRun } from '../use-runs.ts';
import { useRole, useViewerId, useVillage } from '../../village-context.ts';
import { Markdown } from '../../markdown/markdown.tsx';
import { workerUse } from '../../hands/hands-labels.ts';
import '../../hands/hands.css';

export function RunWorkers({ run, version }: Readonly<{ run: Run; version: number }>) {
  const input = { params: { agent_id: run.agent_id }, query: { parent_run_id: run.run_id } };
  const { data, again } = useLive(listWorkers, input, { everyMs: runRefreshMs(run), version });
  const workers = data?.workers ?? [];
  if (workers.length === 0) return null;
  return (
    <Part name="Workers">
      <ul className="run-workers">
        {workers.map((worker) => (
          <WorkerLine key={worker.run.run_id} worker={worker} onChanged={again} />
        ))}
      </ul>
    </Part>
  );
}

function WorkerLine({ worker, onChanged }: Readonly<{ worker: Worker; onChanged: () => void }>) {
  const { open } = useVillage();
  const { run, envelope } = worker;
  const now = useNow(1000);
  const { word, tone } = stateLabel(run);
  const role = run.worker?.role ?? '';
  return (
    <li className="run-worker" data-run-id={run.run_id} data-state={run.state}>
      <span className="run-worker-head">
        <Badge tone={tone}>{word}</Badge>
        <LinkButton
          word={role === '' ? 'A worker' : role}
          title="Open the run of this worker"
          onClick={() => open({ view: 'runs', run: run.run_id })}
        />
        <span className="hint">
          {runLength(run, now)} · {workerUse(run)}
        </span>
        <CancelWorker run={run} onChanged={onChanged} />
      </span>
      <Markdown className="run-worker-text" text={envelope === null ? run.prompt : envelope.summary} />
      {envelope?.errors.map(({ code, what, fix }) => (
        <p key={code} className="run-worker-text">
          <code className="reason">{code}</code> {what} {fix}
        </p>
      ))}
    </li>
  );
}

function CancelWorker({ run, onChanged }: Readonly<{ run: Run; onChanged: () => void }>) {
  const viewer = { role: useRole(), id: useViewerId() };
  const { refused, busy, cancel } = useCancelRun(run.run_id);
  if (!mayCancel(run, viewer)) return null;
  return (
    <>
      <Button
        icon="close"
        iconPx={13}
        word="End"
        aria-label={`End the worker ${run.worker?.role ?? ''}`.trim()}
        disabled={busy}
        onClick={() => void cancel().then(onChanged)}
        data-action="cancel-worker"
      />
      {refused !== null && <RefusedNotice refused={refused} />}
    </>
  );
}
