import { MEMORY_CHANGE_REFUSALS } from '@hamlet/contract';
import type {
  AgentMemory,
  FoundMemory,
  MemoryCertainty,
  MemoryKind,
  MemoryTotals,
  OwnMemoryChange,
} from '@hamlet/contract';
import { isOwn, type ViewerId } from '../../client/labels.ts';

export const CERTAINTY: Readonly<Record<MemoryCertainty, { readonly word: string; readonly title: string }>> = {
  confirmed: { word: 'Confirmed', title: 'A person wrote it as a correction.' },
  said: { word: 'Said', title: 'The words of a person or an agent, exactly as said.' },
  noted: { word: 'Noted', title: 'The agent noted it itself; no person has confirmed it.' },
  outside: { word: 'From outside', title: 'The run in which it arose had read text from outside.' },
};

export const KINDS: Readonly<Record<MemoryKind, { readonly word: string; readonly empty: string }>> = {
  fact: { word: 'Believes', empty: 'Facts that it learns about you, and facts for everybody, appear here.' },
  evidence: { word: 'Was said', empty: 'Your words and its answers in conversations appear here.' },
  diary: { word: 'Did', empty: 'The work that you give it appears here.' },
};

const SHORT_CHARS = 400;
const SHORT_LINES = 8;

/** True if words would push the next memory off the screen. Pure. */
export const isLongText = (text: string): boolean => text.length > SHORT_CHARS || text.split('\n').length > SHORT_LINES;

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

/** How many memories are listed, and how to find the others. Pure. */
export const moreLabel = (listed: number): string =>
  `The newest ${listed.toLocaleString('en')} are listed; find others by search, or below under “Older memories”.`;

/** How full a memory is, and what was lost. Pure. */
export function totalsLabel({ active, dormant, dropped, capacity }: MemoryTotals): string {
  const used = `${(active + dormant).toLocaleString('en')} of ${capacity.toLocaleString('en')} memories`;
  const asleep = dormant === 0 ? '' : `, ${dormant.toLocaleString('en')} of them dormant`;
  const deleted = dropped === 1 ? '1 was' : `${dropped.toLocaleString('en')} were`;
  const lost = dropped === 0 ? '' : `. ${deleted} deleted because the memory was full`;
  return `${used}${asleep}${lost}`;
}

/** How many memories a list has not shown, and how to find them; null if the copy has all. Pure. */
export function notShownLabel(shown: number, { active, dormant }: MemoryTotals): string | null {
  const missing = active + dormant - shown;
  if (missing <= 0) return null;
  const count = missing === 1 ? '1 memory is' : `${missing.toLocaleString('en')} memories are`;
  return `${count} not copied here yet. Ask the agent about them in a conversation.`;
}

const CHANGES: Readonly<Record<OwnMemoryChange['op'], string>> = {
  forget: 'forget a memory',
  pin: 'pin a memory',
  unpin: 'unpin a memory',
  correct: 'correct a memory',
};

/** The agent's reason against a change. Pure. */
export const refusalLabel = ({ op, reason }: Pick<OwnMemoryChange, 'op' | 'reason'>): string =>
  `The agent could not ${CHANGES[op]}: ${reason === null ? 'it gave no reason' : MEMORY_CHANGE_REFUSALS[reason]}.`;

const REFUSED_SHOWN_MS = 7 * 86_400_000;

/** The refused changes of a week that no later change of the same memory has replaced. Pure. */
export function refusedChanges(changes: readonly OwnMemoryChange[], nowMs: number): readonly OwnMemoryChange[] {
  const newest = new Map(changes.toReversed().map((change) => [change.memory_id, change]));
  return [...newest.values()].filter(
    ({ state, at }) => state === 'refused' && nowMs - Date.parse(at) < REFUSED_SHOWN_MS,
  );
}

/** How many memories a search found; `limit`: the most that it returns. Pure. */
export function foundLabel(count: number, limit: number): string {
  if (count === 0) return 'No memory shares a word with the search.';
  if (count === 1) return '1 memory shares a word with the search.';
  return count < limit
    ? `${count} memories share a word with the search, the best first.`
    : `The ${count} best are listed; add a word to narrow the search.`;
}

const PARTS: Readonly<Record<keyof FoundMemory['explain'], string>> = {
  words: 'matching words',
  recency: 'recency',
  importance: 'importance',
  use: 'use',
  pinned: 'pin',
};

/** Why a memory has its rank: the shares of its score in percent, the greatest first. Pure. */
export function explanationLabel({ explain, score }: Pick<FoundMemory, 'explain' | 'score'>): string {
  const parts = Object.entries(PARTS)
    .map(([key, word]) => ({
      word,
      share: Math.round((100 * (explain[key as keyof typeof PARTS] ?? 0)) / (score || 1)),
    }))
    .filter(({ share }) => share > 0)
    .toSorted((one, other) => other.share - one.share);
  return parts.map(({ word, share }) => `${share} % ${word}`).join(', ');
}
