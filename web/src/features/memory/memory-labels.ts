import type { AgentMemory, FoundMemory, MemoryCertainty, MemoryKind, MemoryTotals } from '@hamlet/contract';
import { isOwn, type ViewerId } from '../../client/labels.ts';

export const CERTAINTY: Readonly<Record<MemoryCertainty, { readonly word: string; readonly title: string }>> = {
  confirmed: { word: 'Confirmed', title: 'A person wrote it as a correction.' },
  said: { word: 'Said', title: 'The words of a person or an agent, exactly as said.' },
  noted: { word: 'Noted', title: 'The agent noted it itself; no person has confirmed it.' },
  outside: { word: 'From outside', title: 'Text from outside had reached the run in which it arose.' },
};

export const KINDS: Readonly<Record<MemoryKind, { readonly word: string; readonly empty: string }>> = {
  fact: { word: 'Believes', empty: 'Facts that it learns about you, and facts for everybody, appear here.' },
  evidence: { word: 'Was said', empty: 'Your words and its answers in conversations appear here.' },
  diary: { word: 'Did', empty: 'The work that you give it appears here.' },
};

/** The people who may know a memory, besides admins. Pure. */
export function audienceLabel(audience: readonly string[] | null, viewer: ViewerId): string {
  if (audience === null) return 'Everybody may know it';
  const isMine = audience.some((id) => isOwn(id, viewer));
  if (audience.length === 1) return isMine ? 'Known to you alone' : 'Known to one person';
  const others = audience.length - 1;
  if (!isMine) return `Known to ${audience.length} people`;
  return `Known to you and ${others === 1 ? 'one other person' : `${others} others`}`;
}

const isOfToday = ({ since }: Pick<AgentMemory, 'since'>, nowMs: number): boolean =>
  nowMs - Date.parse(since) < 86_400_000;

/** How many of the listed memories began in the last 24 hours; `isAll`: false if older memories are not listed yet. Pure. */
export function todayLabel(memories: readonly Pick<AgentMemory, 'since'>[], isAll: boolean, nowMs: number): string {
  const count = memories.filter((memory) => isOfToday(memory, nowMs)).length;
  if (count === 0) return 'Nothing new in the last 24 hours.';
  const least = count === memories.length && !isAll ? 'At least ' : '';
  return `${least}${count} new in the last 24 hours.`;
}

/** How full a memory is, and what was lost. Pure. */
export function totalsLabel({ active, dormant, dropped, capacity }: MemoryTotals): string {
  const used = `${(active + dormant).toLocaleString('en')} of ${capacity.toLocaleString('en')} memories`;
  const asleep = dormant === 0 ? '' : `, ${dormant.toLocaleString('en')} of them dormant`;
  const deleted = dropped === 1 ? '1 was' : `${dropped.toLocaleString('en')} were`;
  const lost = dropped === 0 ? '' : `. ${deleted} deleted because the memory was full`;
  return `${used}${asleep}${lost}`;
}

const PARTS: Readonly<Record<keyof FoundMemory['explain'], string>> = {
  words: 'words',
  recency: 'age',
  importance: 'importance',
  use: 'use',
  pinned: 'pin',
};

/** Why a memory was found: the shares of its score in percent, the greatest first. Pure. */
export function explanationLabel({ explain, score }: Pick<FoundMemory, 'explain' | 'score'>): string {
  const parts = Object.entries(PARTS)
    .map(([key, word]) => ({
      word,
      share: Math.round((100 * (explain[key as keyof typeof PARTS] ?? 0)) / (score || 1)),
    }))
    .filter(({ share }) => share > 0)
    .toSorted((one, other) => other.share - one.share);
  return parts.map(({ word, share }) => `${word} ${share} %`).join(', ');
}
