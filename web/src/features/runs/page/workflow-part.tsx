import type { Run } from '@hamlet/contract';
import { lazy } from 'react';
import { LazyBoundary } from '../../../ui/controls.tsx';

/** Loaded with the parser of manifests and the layout of graphs, which other runs do not need. */
const RunWorkflowPart = lazy(async () => ({
  default: (await import('../../workflow/run/run-workflow.tsx')).RunWorkflowPart,
}));

type PartProps = Readonly<{
  run: Run;
  version: number;
  onAnswered: () => void;
}>;

/** The workflow of a run, above the rest of the page; nothing for other runs. */
export function WorkflowPart({ run, version, onAnswered }: PartProps) {
  const { workflow, state } = run;
  if (workflow === undefined) return null;
  const { steps, tokens } = run.usage;
  return (
    <LazyBoundary fallback={<p className="empty">Loading the workflow…</p>}>
      <RunWorkflowPart {...{ run, workflow, onAnswered }} version={`${version} ${state} ${steps} ${tokens}`} />
    </LazyBoundary>
  );
}
