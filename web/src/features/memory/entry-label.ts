import type { MemoryEntry } from '@hamlet/contract';

interface Shown extends Pick<MemoryEntry, 'memory_id' | 'kind' | 'name' | 'type' | 'to' | 'about'> {
  readonly observations: readonly string[];
}

export function entryLabel({ memory_id: id, kind, name, type, to, about, observations }: Shown): {
  readonly title: string | null;
  readonly lines: readonly string[];
} {
  if (kind === 'relation') return { title: null, lines: [`${name} → ${type} → ${to ?? ''}`] };
  const lines = [...new Set(observations)];
  return { title: id === name ? about : `${name} (${type})`, lines };
}
