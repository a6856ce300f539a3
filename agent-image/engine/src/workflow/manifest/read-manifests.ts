import { pathText, type ConfigError, type ConfigProblem, type Result } from '../plan/config-error.ts';
import { planProblems } from '../plan/compile-plan.ts';
import type { PipelineSpec } from '../plan/pipeline-spec.ts';
import { expressionProblems } from './check-expressions.ts';
import { jsonSchemaProblems } from './check-json-schemas.ts';
import { duplicateProblems, referenceProblems, type Checked } from './check-references.ts';
import { MANIFEST_NAMES, MANIFESTS, type ManifestName, type Manifests } from './manifests.ts';
import { nearestName } from './nearest-name.ts';
import { readText } from './read-text.ts';
import type { YamlText } from './read-yaml.ts';
import { schemaProblems } from './schema-problems.ts';

/** Maximum number of errors of one reading. */
const MAX_ERRORS = 100;

const DEFAULT_PIPELINE: PipelineSpec = { id: 'default', modes: [], tags: [], score: 0, stages: {} };
const REQUIRED: ManifestName = 'workflow.yaml';

/**
 * Reads the manifests of a folder, by the names of their files. An absent file is empty, but `workflow.yaml` must be there; without
 * pipelines there is one, `default`, for every task.
 *
 * Refuses, before any task exists, all that cannot be carried out: with all errors of all files at once, at most 100, in the order of files
 * and lines. Pure.
 */
export function readManifests(files: ReadonlyMap<string, string>): Result<Manifests> {
  const texts = new Map<ManifestName, YamlText>();
  const errors: ConfigError[] = [...fileErrors(files)];
  for (const name of MANIFEST_NAMES) {
    const read = readText(files.get(name) ?? '');
    if (read.ok) texts.set(name, read);
    else errors.push(...read.problems.map((problem) => ({ ...problem, file: name, path: '' })));
  }
  const { checked, problems } = checkSchemas(texts, files.has(REQUIRED));
  const all = [...problems, ...crossProblems(checked, texts)];
  errors.push(...all.map((problem) => located(problem, texts)));
  if (errors.length > 0) return { ok: false, errors: errors.toSorted(inOrder).slice(0, MAX_ERRORS) };
  const manifests = checked as Manifests;
  const pipelines = manifests.pipelines.length > 0 ? manifests.pipelines : [DEFAULT_PIPELINE];
  return { ok: true, value: { ...manifests, pipelines } };
}

function fileErrors(files: ReadonlyMap<string, string>): readonly ConfigError[] {
  const place = { line: 1, column: 1, path: '' };
  const unknown = [...files.keys()]
    .filter((name) => !Object.hasOwn(MANIFESTS, name))
    .map((file): ConfigError => {
      const nearest = nearestName(file, MANIFEST_NAMES);
      const hint = nearest === null ? `Manifests are ${MANIFEST_NAMES.join(', ')}.` : `Rename it to ${nearest}.`;
      return { code: 'config_file', file, ...place, message: 'there is no manifest with this name', hint };
    });
  if (files.has(REQUIRED)) return unknown;
  const hint = 'Add it, with the workflow and at least one node.';
  return [...unknown, { code: 'config_file', file: REQUIRED, ...place, message: 'the file is missing', hint }];
}

type Texts = ReadonlyMap<ManifestName, YamlText>;

function checkSchemas(
  texts: Texts,
  hasWorkflow: boolean,
): Readonly<{ checked: Checked; problems: readonly ConfigProblem[] }> {
  const problems: ConfigProblem[] = [];
  let checked: Checked = {};
  for (const [file, { value }] of texts) {
    if (file === REQUIRED && !hasWorkflow) continue;
    const schema = MANIFESTS[file];
    const parsed = schema.safeParse(value);
    if (parsed.success) checked = { ...checked, ...parsed.data };
    else problems.push(...schemaProblems({ file, schema, value }, parsed.error.issues, MAX_ERRORS));
  }
  return { checked, problems };
}

function crossProblems(checked: Checked, texts: Texts): readonly ConfigProblem[] {
  const raw = new Map([...texts].map(([file, { value }]) => [file, value] as const));
  const { workflow, pipelines = [] } = checked;
  return [
    ...duplicateProblems(raw),
    ...referenceProblems(checked, raw),
    ...jsonSchemaProblems(checked),
    ...expressionProblems(checked, MAX_ERRORS),
    ...(workflow === undefined ? [] : planProblems({ workflow, pipelines })),
  ];
}

function located({ at, path, ...problem }: ConfigProblem, texts: Texts): ConfigError {
  const { line, column } = texts.get(problem.file as ManifestName)?.placeOf(path, at) ?? { line: 1, column: 1 };
  return { ...problem, line, column, path: pathText(path) };
}

function inOrder(a: ConfigError, b: ConfigError): number {
  const rank = ({ file }: ConfigError): number => MANIFEST_NAMES.indexOf(file as ManifestName);
  return rank(a) - rank(b) || a.line - b.line || a.column - b.column;
}
