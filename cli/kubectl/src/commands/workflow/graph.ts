import { dataOf, getRun, getRunWorkflow } from '@hamlet/contract';
import { compilePlan, drawPlan, readManifests, type ConfigError, type Plan } from '@hamlet/engine/manifests';
import { writeFileSync } from 'node:fs';
import { Failure, type Invocation } from '../../command.ts';
import { withApi } from '../../village-api.ts';
import { manifestsIn, refused, type Place } from './manifest-folder.ts';
import { planText } from './plan-text.ts';
import { planIn } from './workflow-view.ts';

const RUN_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

type Drawn = Readonly<{ ok: true; plan: Plan }> | Readonly<{ ok: false; errors: readonly ConfigError[]; place: Place }>;

/** The plan of manifests, by default in their first pipeline. */
function planOf(place: Place, pipeline: string | null): Drawn {
  const read = readManifests(place.texts);
  if (!read.ok) return { ok: false, errors: read.errors, place };
  const plan = compilePlan(read.value, pipeline ?? read.value.pipelines[0]?.id ?? '');
  return plan.ok ? { ok: true, plan: plan.value } : { ok: false, errors: plan.errors, place };
}

/** The plan of a run; before the run has begun, that of its manifests. */
async function planOfRun(invocation: Invocation, id: string, pipeline: string | null): Promise<Drawn> {
  return withApi(invocation, async (api) => {
    const params = { run_id: id };
    const found = await dataOf(api.call(getRunWorkflow, { params }));
    const plan = pipeline === null ? planIn(found) : null;
    if (plan !== null) return { ok: true, plan };
    const { run } = await dataOf(api.call(getRun, { params }));
    const texts = new Map(found.manifests.files.map(({ path, text }) => [path, text]));
    return planOf({ dir: '', texts }, pipeline ?? found.pipeline ?? run.workflow?.pipeline ?? null);
  });
}

/** The file to write; null to print: JSON, a picture for a pipe, or words for a terminal. */
function fileOf({ flags: { output }, json }: Invocation): string | null {
  if (json || output === undefined) return null;
  if (typeof output !== 'string' || !output.endsWith('.svg'))
    throw new Failure('--output: write json, or a file whose name ends with .svg', 2);
  return output;
}

function show(invocation: Invocation, plan: Plan, file: string | null): void {
  const { json, print, write, note, terminal } = invocation;
  if (json) print(JSON.stringify(plan, null, 2));
  else if (file !== null) {
    writeFileSync(file, drawPlan(plan));
    note(`wrote ${file}`);
  } else if (terminal.isInteractive) for (const line of planText(plan)) print(line);
  else write(drawPlan(plan));
}

/** `workflow graph`: draws the plan of a folder or of a run. */
export async function graph(invocation: Invocation): Promise<number> {
  const { names, flags } = invocation;
  const [name = ''] = names;
  const file = fileOf(invocation);
  const pipeline = typeof flags['pipeline'] === 'string' ? flags['pipeline'] : null;
  const drawn = RUN_ID.test(name)
    ? await planOfRun(invocation, name, pipeline)
    : planOf({ dir: name, texts: manifestsIn(name) }, pipeline);
  if (!drawn.ok) return refused(invocation, drawn.errors, drawn.place);
  show(invocation, drawn.plan, file);
  return 0;
}
