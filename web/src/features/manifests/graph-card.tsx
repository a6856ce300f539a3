import type { Manifests } from '@hamlet/engine/manifests';
import { useMemo, useState } from 'react';
import { LinkButton } from '../../ui/controls.tsx';
import { SelectField } from '../../ui/fields.tsx';
import { PlanGraph } from '../workflow/graph/plan-graph.tsx';
import { pipelineIn, planOf } from './texts/check-manifests.ts';

interface GraphCardProps {
  /** The newest manifests without problems; null if there were none yet. */
  readonly manifests: Manifests | null;
  readonly isStale: boolean;
  readonly onStage: (stage: string, pipeline: string) => void;
}

/** The graph of a pipeline. It stays at the last manifests without problems while a person types. */
export function GraphCard({ manifests, isStale, onStage }: GraphCardProps) {
  const [chosen, setChosen] = useState<string | null>(null);
  const [selected, setSelected] = useState<string | null>(null);
  const pipeline = manifests === null ? '' : pipelineIn(manifests, chosen);
  const plan = useMemo(() => (manifests === null ? null : planOf(manifests, pipeline)), [manifests, pipeline]);
  const show = (stage: string): void => {
    setSelected(stage);
    onStage(stage, pipeline);
  };
  return (
    <section className="workbench-graph card" aria-label="Graph" data-stages={plan?.stages.length ?? 0}>
      <header className="graph-head">
        <h2>Graph</h2>
        {manifests !== null && manifests.pipelines.length > 1 && (
          <SelectField
            className="pick"
            label="Pipeline"
            name="graph-pipeline"
            value={pipeline}
            options={manifests.pipelines.map(({ id }) => [id, id] as const)}
            onChange={setChosen}
          />
        )}
      </header>
      {isStale && plan !== null && <p className="hint">The graph as it was before the problems.</p>}
      {plan === null ? (
        <p className="empty">The graph appears here once the manifests have no problems.</p>
      ) : (
        <>
          <PlanGraph plan={plan} label={`Graph of ${plan.workflow}`} selected={selected} onSelect={show} />
          <ul className="stage-jumps" aria-label="Stages: go to the lines of">
            {plan.stages.map(({ id }) => (
              <li key={id}>
                <LinkButton word={id} onClick={() => show(id)} data-jump={id} />
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
}
