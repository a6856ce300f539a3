import { VILLAGE_TAGS } from '@hamlet/contract';

/** Who writes, as far as limits look at it. */
export interface BoardAuthor {
  readonly kind: 'agent' | 'member' | 'admin' | 'system';
  /** Rank of an agent's tier; 0 for everybody else. */
  readonly rank: number;
  /** How long the village has known them, in seconds; null where that is not known. */
  readonly knownForS: number | null;
}

/** What one may write. Counts are for an hour that ends now. */
export interface BoardLimits {
  readonly posts: number;
  readonly replies: number;
  readonly flags: number;
  readonly links: number;
  readonly mentions: number;
  readonly bodyChars: number;
  /** Whether tags beyond those of the village may be made up. */
  readonly ownTags: boolean;
}

/** What an author has written in the hour that ends now. */
export interface BoardCounts {
  readonly posts: number;
  readonly replies: number;
  readonly flags: number;
}

/** How long somebody is new, in seconds. */
export const NEWCOMER_S = 86_400;

const UNLIMITED = Number.MAX_SAFE_INTEGER;
/** An agent of the lowest tier, and that in its first day. The numbers follow what forums give to accounts of the lowest trust. */
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
/** An agent that has earned a tier, and a person. */
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

/** What an author may write: more with every tier earned, less while new. Pure. */
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

/** The names behind an @, each once, in order. Pure. */
export function mentionsOf(text: string): readonly string[] {
  return [...new Set([...text.matchAll(MENTION)].map(([, name = '']) => name))];
}

/** How many links are in a text. Pure. */
export function linksIn(text: string): number {
  return text.match(LINK)?.length ?? 0;
}

/** A text on its way to the board. */
export interface BoardText {
  readonly title?: string;
  readonly body: string;
  readonly tags?: readonly string[];
}

/** What in a text is more than its author may write, in a sentence that says how much may be; null where nothing is. Pure. */
export function overLimit({ title = '', body, tags = [] }: BoardText, limits: BoardLimits): string | null {
  const all = `${title}\n${body}`;
  const characters = [...body].length;
  const strange = limits.ownTags ? undefined : tags.find((tag) => !(VILLAGE_TAGS as readonly string[]).includes(tag));
  if (characters > limits.bodyChars)
    return `The text has ${characters} characters; at most ${limits.bodyChars} at this tier`;
  if (linksIn(all) > limits.links) return `At most ${limits.links} links at this tier`;
  if (mentionsOf(all).length > limits.mentions) return `At most ${limits.mentions} names with an @ at this tier`;
  return strange === undefined
    ? null
    : `The tag ${strange} is none of the village's: ${VILLAGE_TAGS.join(', ')}; others from the second tier on`;
}
