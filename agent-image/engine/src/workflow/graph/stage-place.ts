import { readText } from '../manifest/read-text.ts';
import type { ManifestName } from '../manifest/manifests.ts';
import type { ConfigPath } from '../plan/config-error.ts';

/** A place in a manifest. `line` and `column` start at 1. */
type ManifestPlace = Readonly<{ file: ManifestName; line: number; column: number }>;

/**
 * The place of a stage of a plan: its node in `workflow.yaml`, or its entry in `pipelines.yaml` for a stage such as `judge.check` that its
 * pipeline adds. Null if a file cannot be read, or has no such stage. Pure.
 */
export function placeOfStage(
  files: ReadonlyMap<string, string>,
  stage: string,
  pipeline: string,
): ManifestPlace | null {
  const nodes = listAt(valueOf(files, 'workflow.yaml'), ['workflow', 'nodes']);
  const index = nodes.findIndex((node) => idOf(node) === stage);
  if (index !== -1) return placeAt(files, 'workflow.yaml', ['workflow', 'nodes', index]);
  const pipelines = listAt(valueOf(files, 'pipelines.yaml'), ['pipelines']);
  const chosen = pipelines.findIndex((each) => idOf(each) === pipeline);
  for (const node of nodes) {
    const role = String(partOf(node, 'role'));
    const added = listAt(pipelines[chosen], ['stages', role]);
    const at = added.findIndex((each) => `${String(idOf(node))}.${String(idOf(each))}` === stage);
    if (at !== -1) return placeAt(files, 'pipelines.yaml', ['pipelines', chosen, 'stages', role, at]);
  }
  return null;
}

function valueOf(files: ReadonlyMap<string, string>, file: ManifestName): unknown {
  const read = readText(files.get(file) ?? '');
  return read.ok ? read.value : null;
}

function placeAt(files: ReadonlyMap<string, string>, file: ManifestName, path: ConfigPath): ManifestPlace | null {
  const read = readText(files.get(file) ?? '');
  return read.ok ? { file, ...read.placeOf(path) } : null;
}

const idOf = (entry: unknown): unknown => partOf(entry, 'id');

const partOf = (value: unknown, key: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? (value as Readonly<Record<string, unknown>>)[key]
    : undefined;

function listAt(value: unknown, path: readonly string[]): readonly unknown[] {
  const found = path.reduce(partOf, value);
  return Array.isArray(found) ? found : [];
}
