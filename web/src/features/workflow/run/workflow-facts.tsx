import type { Run, RunWorkflow } from '@hamlet/contract';
import { Fact, LinkButton } from '../../../ui/controls.tsx';
import { useVillage } from '../../village-context.ts';
import { JsonText } from '../json/json-text.tsx';
import { totalUsage, usageLabel } from '../stages/stage-labels.ts';
import type { StageView } from '../stages/stage-views.ts';

type FactsProps = Readonly<{ workflow: RunWorkflow; pipeline: string | null; views: readonly StageView[] }>;

/** The request for the workflow, and the total usage of its stages. */
export function WorkflowFacts({ workflow, pipeline, views }: FactsProps) {
  const { mode, tags = [], input_json: input, overrides = [] } = workflow;
  const used = usageLabel(totalUsage(views.flatMap(({ stage }) => stage ?? [])));
  return (
    <dl className="stage-facts">
      {pipeline !== null && <Fact name="Pipeline">{pipeline}</Fact>}
      {mode !== undefined && <Fact name="Mode">{mode}</Fact>}
      {tags.length > 0 && <Fact name="Tags">{tags.join(', ')}</Fact>}
      <Fact name="Stages">{countsLabel(views)}</Fact>
      {used !== '' && <Fact name="Used">{used}</Fact>}
      {overrides.length > 0 && (
        <Fact name="Overrides">
          <JsonText label="Overrides" json={JSON.stringify(overrides)} />
        </Fact>
      )}
      {input !== undefined && (
        <Fact name="Input">
          <JsonText label="Input of the task" json={input} />
        </Fact>
      )}
    </dl>
  );
}

function countsLabel(views: readonly StageView[]): string {
  const ended = views.filter(({ state }) => state === 'completed' || state === 'skipped').length;
  return `${ended} of ${views.length} done or skipped`;
}

type RepeatsProps = Readonly<{
  rerun: NonNullable<NonNullable<Run['workflow']>['rerun']>;
  views: readonly StageView[];
}>;

/** The run that this one repeats, and what it took over from it. */
export function Repeats({ rerun, views }: RepeatsProps) {
  const { open } = useVillage();
  const taken = views.filter(({ takenOver }) => takenOver).map(({ id }) => id);
  return (
    <p className="run-repeats">
      Repeats{' '}
      <LinkButton word="an earlier run" onClick={() => open({ run: rerun.run_id })} data-action="repeated-run" /> from
      the stage <b>{rerun.stage}</b>
      {rerun.input_json !== undefined && ', with another input'}.{' '}
      {taken.length > 0 && (
        <>
          Taken over: <span data-taken-over>{taken.join(', ')}</span>.
        </>
      )}
    </p>
  );
}
