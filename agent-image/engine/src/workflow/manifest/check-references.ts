import { isJsonObject } from '../../json/canonical-json.ts';
import type { ConfigPath, ConfigProblem } from '../plan/config-error.ts';
import type { NodeSpec, SequenceStage } from '../plan/workflow-spec.ts';
import type { ManifestName, Manifests } from './manifests.ts';
import { nearestName } from './nearest-name.ts';

/** The value of each file that could be read, whether or not its schema accepts it. */
type RawFiles = ReadonlyMap<ManifestName, unknown>;
/** The manifests that their schemas accept. */
export type Checked = Partial<Manifests>;

type Kind = 'agent' | 'tool' | 'model' | 'profile';
const LISTS: Readonly<Record<Kind, readonly [ManifestName, string]>> = {
  agent: ['agents.yaml', 'agents'],
  model: ['agents.yaml', 'models'],
  tool: ['tools.yaml', 'tools'],
  profile: ['memory.yaml', 'context_profiles'],
};

type Reference = Readonly<{ kind: Kind; id: string; file: ManifestName; path: ConfigPath }>;

/** References to ids that the manifests lack. Ignores references to a file that cannot be read. Pure. */
export function referenceProblems(checked: Checked, raw: RawFiles): readonly ConfigProblem[] {
  const known = new Map((Object.keys(LISTS) as Kind[]).map((kind) => [kind, knownIds(kind, raw)] as const));
  return referencesOf(checked).flatMap(({ kind, id, file, path }) => {
    const ids = known.get(kind) ?? null;
    if (ids === null || ids.has(id)) return [];
    const nearest = nearestName(id, [...ids]);
    const [home] = LISTS[kind];
    const hint = nearest === null ? `Add it to ${home}.` : `Did you mean '${nearest}'? Else add it to ${home}.`;
    return [{ code: 'config_reference', file, path, at: 'value', message: `there is no ${kind} '${id}'`, hint }];
  });
}

/** Null if the ids cannot be known: the file cannot be read, or it names no models, because the village has them. */
function knownIds(kind: Kind, raw: RawFiles): ReadonlySet<string> | null {
  const [file, list] = LISTS[kind];
  if (!raw.has(file)) return null;
  const ids = idsIn(raw.get(file), list);
  return kind === 'model' && ids.length === 0 ? null : new Set(ids);
}

const idsIn = (value: unknown, list: string): readonly string[] => idsWithIndexes(value, list).map(([id]) => id);

function referencesOf({ agents = [], workflow, pipelines = [], overrides = [] }: Checked): readonly Reference[] {
  return [
    ...agents.flatMap((agent, index) => ofAgent(agent, ['agents', index])),
    ...(workflow?.nodes ?? []).flatMap((node, index) =>
      ofNode(node, { file: 'workflow.yaml', path: ['workflow', 'nodes', index] }),
    ),
    ...pipelines.flatMap(({ stages }, index) =>
      Object.entries(stages).flatMap(([role, sequence = []]) =>
        sequence.flatMap((stage, at) =>
          stage === 'node'
            ? []
            : ofNode(stage, { file: 'pipelines.yaml', path: ['pipelines', index, 'stages', role, at] }),
        ),
      ),
    ),
    ...overrides.flatMap((override, index) => ofOverride(override, ['overrides', index])),
  ];
}

function ofAgent({ model, context, tools }: Manifests['agents'][number], path: ConfigPath): readonly Reference[] {
  const file = 'agents.yaml';
  return [
    { kind: 'model', id: model, file, path: [...path, 'model'] },
    ...(context === undefined ? [] : [{ kind: 'profile', id: context, file, path: [...path, 'context'] } as const]),
    ...tools.map((id, index) => ({ kind: 'tool', id, file, path: [...path, 'tools', index] }) as const),
  ];
}

function ofNode(
  node: NodeSpec | SequenceStage,
  { file, path }: Pick<Reference, 'file' | 'path'>,
): readonly Reference[] {
  if (node.role === 'agent' || node.role === 'feedback')
    return [{ kind: 'agent', id: node.agent, file, path: [...path, 'agent'] }];
  if (node.role !== 'tool') return [];
  if (node.tool !== undefined) return [{ kind: 'tool', id: node.tool, file, path: [...path, 'tool'] }];
  const planned = node.tool_plan ?? [];
  return planned.map((id, index) => ({ kind: 'tool', id, file, path: [...path, 'tool_plan', index] }));
}

function ofOverride(override: Manifests['overrides'][number], path: ConfigPath): readonly Reference[] {
  const file = 'overrides.yaml';
  switch (override.kind) {
    case 'skip_tools':
      return override.tools.map((id, index) => ({ kind: 'tool', id, file, path: [...path, 'tools', index] }));
    case 'model':
      return [
        { kind: 'agent', id: override.agent, file, path: [...path, 'agent'] },
        { kind: 'model', id: override.model, file, path: [...path, 'model'] },
      ];
    case 'require_review':
      return [{ kind: 'agent', id: override.agent, file, path: [...path, 'agent'] }];
    default:
      return [];
  }
}

/** Entries of one list that have the same id. Pure. */
export function duplicateProblems(raw: RawFiles): readonly ConfigProblem[] {
  const lists: readonly (readonly [ManifestName, string])[] = [
    ...Object.values(LISTS),
    ['pipelines.yaml', 'pipelines'],
    ['plugins.yaml', 'plugins'],
  ];
  return lists.flatMap(([file, list]) => {
    const seen = new Set<string>();
    return idsWithIndexes(raw.get(file), list).flatMap(([id, index]): readonly ConfigProblem[] => {
      if (!seen.has(id)) {
        seen.add(id);
        return [];
      }
      const message = `there is another '${id}' in ${list}`;
      const hint = 'Give each entry an id of its own.';
      return [{ code: 'config_duplicate', file, path: [list, index, 'id'], at: 'value', message, hint }];
    });
  });
}

function idsWithIndexes(value: unknown, list: string): readonly (readonly [string, number])[] {
  const entries = isJsonObject(value) ? value[list] : undefined;
  if (!Array.isArray(entries)) return [];
  return entries.flatMap((entry, index) =>
    isJsonObject(entry) && typeof entry['id'] === 'string' ? [[entry['id'], index] as const] : [],
  );
}
