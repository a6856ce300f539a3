import { compileExpression } from '../expression/expression.ts';
import { templateProblems } from '../expression/fill-template.ts';
import type { ConfigPath, ConfigProblem } from '../plan/config-error.ts';
import { expandPipeline } from '../plan/expand-pipeline.ts';
import type { NodeSpec, SequenceStage } from '../plan/workflow-spec.ts';
import type { Checked } from './check-references.ts';
import type { ManifestName } from './manifests.ts';

type Expression = Readonly<{ file: ManifestName; path: ConfigPath; text: string; part: 'stage' | 'edge' | 'merge' }>;
type Template = Readonly<{ file: ManifestName; path: ConfigPath; template: unknown }>;

/** Expressions that cannot be compiled, or that name a stage that no pipeline has; about `most` at most. Pure. */
export function expressionProblems(checked: Checked, most: number): readonly ConfigProblem[] {
  const stages = stageIds(checked);
  const problems: ConfigProblem[] = [];
  const add = (file: string, path: ConfigPath, message: string): void =>
    void problems.push({
      code: 'config_expression',
      file,
      path,
      at: 'value',
      message,
      hint: 'Correct the expression.',
    });
  for (const { file, path, text, part } of expressionsOf(checked)) {
    if (problems.length >= most) return problems;
    const compiled = compileExpression(text, { part, ...(stages && { stages }) });
    if (!compiled.ok) add(file, path, compiled.message);
  }
  for (const { file, path, template } of templatesOf(checked)) {
    if (problems.length >= most) return problems;
    for (const problem of templateProblems(template, stages)) add(file, [...path, ...problem.path], problem.message);
  }
  return problems;
}

/** The ids that a stage has in any pipeline; undefined if a file is missing that may add some. */
function stageIds({ workflow, pipelines }: Checked): ReadonlySet<string> | undefined {
  if (workflow === undefined || pipelines === undefined) return undefined;
  const expanded = pipelines.flatMap((pipeline) => expandPipeline(workflow, pipeline).nodes);
  return new Set([...workflow.nodes, ...expanded].map(({ id }) => id));
}

type Stage = Readonly<{ file: ManifestName; path: ConfigPath; node: NodeSpec | SequenceStage }>;

function stagesOf({ workflow, pipelines = [] }: Checked): readonly Stage[] {
  const nodes = (workflow?.nodes ?? []).map((node, index): Stage => ({
    file: 'workflow.yaml',
    path: ['workflow', 'nodes', index],
    node,
  }));
  const added = pipelines.flatMap(({ stages }, index) =>
    Object.entries(stages).flatMap(([role, sequence = []]) =>
      sequence.flatMap((node, at): readonly Stage[] =>
        node === 'node' ? [] : [{ file: 'pipelines.yaml', path: ['pipelines', index, 'stages', role, at], node }],
      ),
    ),
  );
  return [...nodes, ...added];
}

function expressionsOf(checked: Checked): readonly Expression[] {
  const edges = (checked.workflow?.edges ?? []).flatMap(({ when }, index): readonly Expression[] =>
    when === undefined
      ? []
      : [{ file: 'workflow.yaml', path: ['workflow', 'edges', index, 'when'], text: when, part: 'edge' }],
  );
  return [...stagesOf(checked).flatMap(expressionsOfStage), ...edges];
}

function expressionsOfStage({ file, path, node }: Stage): readonly Expression[] {
  if (node.role === 'feedback') return [{ file, path: [...path, 'until'], text: node.until, part: 'edge' }];
  if (!('output' in node) || node.output === undefined) return [];
  const part = node.role === 'merge' ? 'merge' : 'stage';
  return [{ file, path: [...path, 'output'], text: node.output.slice(1), part }];
}

const templatesOf = (checked: Checked): readonly Template[] =>
  stagesOf(checked).flatMap(({ file, path, node }) =>
    'input' in node && node.input !== undefined ? [{ file, path: [...path, 'input'], template: node.input }] : [],
  );
