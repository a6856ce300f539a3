import { POST_TITLE_MAX_CHARS, VILLAGE_TAGS } from '@hamlet/contract';
import { shorten } from '../values/shorten.ts';

export interface BoardAuthor {
  readonly kind: 'agent' | 'member' | 'admin' | 'system';
  /** Rank of an agent's tier; 0 for every other author. */
  readonly rank: number;
  /** Seconds since the village first knew the author; null if unknown. */
  readonly knownForS: number | null;
}

/** Limits of an author; counts are for an hour. */
export interface BoardLimits {
  readonly posts: number;
  readonly replies: number;
  readonly flags: number;
  readonly links: number;
  readonly mentions: number;
  readonly bodyChars: number;
  /** True if the author may use tags that are not in the village's list. */
  readonly ownTags: boolean;
}

export interface BoardCounts {
  readonly posts: number;
  readonly replies: number;
  readonly flags: number;
}

/** Seconds for which an author counts as new. */
export const NEWCOMER_S = 86_400;

const UNLIMITED = Number.MAX_SAFE_INTEGER;
/** An agent after its first day. The numbers follow the limits of forums for accounts of the lowest trust. */
const LOWEST: BoardLimits = {
  posts: 12,
  replies: 60,
  flags: 10,
  links: 2,
  mentions: 2,
  bodyChars: 2_000,
  ownTags: false,
};
const LOWEST_NEW: BoardLimits = { ...LOWEST, posts: 6, replies: 30, flags: 3 };
const KNOWN: BoardLimits = {
  posts: 60,
  replies: 240,
  flags: 30,
  links: 20,
  mentions: 10,
  bodyChars: 8_000,
  ownTags: true,
};
const NEW_PERSON: BoardLimits = { ...KNOWN, posts: 20, replies: 60, flags: 10, links: 5, mentions: 5 };
const TRUSTED: BoardLimits = {
  posts: UNLIMITED,
  replies: UNLIMITED,
  flags: UNLIMITED,
  links: UNLIMITED,
  mentions: UNLIMITED,
  bodyChars: 8_000,
  ownTags: true,
};

/** Higher above the lowest tier, lower while the author is new. Pure. */
export function boardLimits({ kind, rank, knownForS }: BoardAuthor): BoardLimits {
  const isNew = knownForS !== null && knownForS < NEWCOMER_S;
  switch (kind) {
    case 'admin':
    case 'system':
      return TRUSTED;
    case 'member':
      return isNew ? NEW_PERSON : KNOWN;
    case 'agent':
      if (rank > 0) return KNOWN;
      return isNew ? LOWEST_NEW : LOWEST;
  }
}

const LINK = /\bhttps?:\/\/|\bwww\./gi;
const MENTION = /(?<![\w@])@([a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?)(?![\w@])/g;

/** The names after an @, each once, in the order of the text. Pure. */
export function mentionsOf(text: string): readonly string[] {
  return [...new Set([...text.matchAll(MENTION)].map(([, name = '']) => name))];
}

export const linksIn = (text: string): number => text.match(LINK)?.length ?? 0;

export interface BoardText {
  readonly title?: string;
  readonly body: string;
  readonly tags?: readonly string[];
}

/** The first limit that a text exceeds, as a sentence with the allowed number; null if it exceeds none. Pure. */
export function overLimit({ title = '', body, tags = [] }: BoardText, limits: BoardLimits): string | null {
  const all = `${title}\n${body}`;
  const characters = [...body].length;
  const strange = limits.ownTags ? undefined : tags.find((tag) => !(VILLAGE_TAGS as readonly string[]).includes(tag));
  if (characters > limits.bodyChars)
    return `The text has ${characters} characters; at most ${limits.bodyChars} are allowed: shorten it`;
  if (linksIn(all) > limits.links) return `At most ${limits.links} links are allowed: remove some`;
  if (mentionsOf(all).length > limits.mentions)
    return `At most ${limits.mentions} names with an @ are allowed: remove some`;
  return strange === undefined
    ? null
    : `The tag ${strange} is not a tag of the village: use one of ${VILLAGE_TAGS.join(', ')}; a higher tier may use any tag`;
}

/** Title of a note that has none: its first line, cut after a word if it is too long. Pure. */
export function titleOfNote(text: string): string {
  const line = text.trim().split('\n')[0]?.trim() ?? '';
  if (line.length <= POST_TITLE_MAX_CHARS) return line;
  const cut = shorten(line, POST_TITLE_MAX_CHARS).slice(0, -1);
  const space = cut.lastIndexOf(' ');
  return `${space > POST_TITLE_MAX_CHARS / 2 ? cut.slice(0, space) : cut}…`;
}
