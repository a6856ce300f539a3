import type { Capability, CapabilityKind, SkillFrom } from '@hamlet/contract';

const KIND_LABELS: Readonly<Record<CapabilityKind, string>> = {
  runtime: 'Mind',
  model: 'Model',
  memory: 'Memory',
  workspace: 'Workspace',
  hands: 'Hands',
  shell: 'Shell',
  git: 'Git',
  browser: 'Browser',
  egress: 'Way out',
  mcp: 'MCP server',
  skill: 'Skill',
};

export function capabilityLabel({ kind, name }: Pick<Capability, 'kind' | 'name'>): string {
  return kind === name ? KIND_LABELS[kind] : `${KIND_LABELS[kind]} ${name}`;
}

const FROM_LABELS: Readonly<Record<SkillFrom, string>> = {
  image: 'from its image',
  config_map: 'from a ConfigMap',
  repository: 'from its repository',
};

export const skillFromLabel = (from: SkillFrom): string => FROM_LABELS[from];

export const brokenFirst = (capabilities: readonly Capability[]): readonly Capability[] =>
  capabilities.toSorted((one, other) => Number(one.ok) - Number(other.ok));

export function capabilityCount(capabilities: readonly Capability[]): string {
  const broken = capabilities.filter(({ ok }) => !ok).length;
  return broken === 0 ? `all ${capabilities.length} are there` : `${broken} of ${capabilities.length} missing`;
}
