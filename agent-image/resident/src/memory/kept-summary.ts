import { mayAllKnow } from '@hamlet/engine/audience';
import type { Memory, NewFact, Remembered, Tombstone } from '@hamlet/engine/memory';
import { MEMORY_WORDS_MAX_CHARS, storableText } from '@hamlet/contract/resident';
import { shorten } from '@hamlet/core/shorten';

/** A summary of a conversation. The next one of the same conversation contains what still holds of it. */
export interface NewSummary {
  /** Id that `summaryId` made. */
  readonly id: string;
  readonly conversation: string;
  readonly text: string;
  /** The people of the run in which it was made. */
  readonly audience: readonly string[];
  readonly repository: string | null;
  /** True if it contains text from outside. */
  readonly isOutside: boolean;
  /** Ids of the words of that run. */
  readonly words: readonly string[];
  /** Ids under which the words of the runs before it were kept. */
  readonly earlier: readonly string[];
}

/** Maximum number of sources of one fact in the store. */
const SOURCES_MAX = 1_024;
const LISTED_MAX = 1_000;
const REF_CHARS = 16;
const TITLE = 'Summary of a conversation: ';

const prefixOf = (conversation: string): string => `summary-${conversation}-`;

/** The id of a summary; `ref` is equal for equal texts. Pure. */
export const summaryId = (conversation: string, ref: string): string =>
  `${prefixOf(conversation)}${ref.slice(0, REF_CHARS)}`;

export const isSummaryOf = (conversation: string, { id }: Pick<Remembered, 'id'>): boolean =>
  id.startsWith(prefixOf(conversation));

export const isSummary = ({ kind, layer }: Remembered): boolean => kind === 'fact' && layer === 'conversation';

/**
 * The summary as a fact made from the words of its conversation: forgetting one of them forgets it too. Only people who may know all
 * of these words may know it; null if that leaves no person, if no words are kept, or if some of the words are forgotten.
 */
export function summaryFact(
  memory: Pick<Memory, 'get' | 'list' | 'tombstones'>,
  summary: NewSummary,
): Omit<NewFact, 'subject'> | null {
  const { id, conversation, text, repository, isOutside, words } = summary;
  const { previous, sources } = sourcesOf(memory, conversation, words);
  const audience = summary.audience.filter((person) =>
    sources.every((source) => mayAllKnow(source.audience, [person])),
  );
  if (sources.length === 0 || audience.length === 0 || hasForgotten(memory, summary)) return null;
  const isSameAudience = previous !== undefined && mayAllKnow(audience, previous.audience);
  return {
    kind: 'fact',
    id,
    layer: 'conversation',
    text: `${TITLE}${wholeSentences(storableText(text), MEMORY_WORDS_MAX_CHARS - TITLE.length)}`,
    audience,
    repository,
    taint: isOutside ? 'outside' : 'none',
    provenance: sources.slice(0, SOURCES_MAX).map((source) => source.id),
    supersedes: isSameAudience ? previous.id : null,
  };
}

/** True if a person has forgotten words of the conversation, or a summary that the next one contains. */
function hasForgotten(memory: Pick<Memory, 'tombstones'>, { conversation, earlier }: NewSummary): boolean {
  const words = new Set(earlier);
  const isOfIt = ({ id }: Tombstone): boolean => words.has(id) || id.startsWith(prefixOf(conversation));
  let after = 0;
  for (;;) {
    const page = memory.tombstones(after, LISTED_MAX);
    if (page.some(isOfIt)) return true;
    const last = page.at(-1);
    if (last === undefined) return false;
    after = last.number;
  }
}

/** The summary before, and the words since then. */
function sourcesOf(memory: Pick<Memory, 'get' | 'list'>, conversation: string, words: readonly string[]) {
  const page = { audience: 'keeper', limit: LISTED_MAX } as const;
  const previous = memory
    .list({ ...page, kind: 'fact', layers: ['conversation'] })
    .memories.find((each) => isSummaryOf(conversation, each) && each.kind === 'fact' && each.validTo === null);
  const said = memory.list({ ...page, kind: 'evidence', session: conversation }).memories;
  const own = words.flatMap((id) => memory.get(id, { audience: 'keeper' }) ?? []);
  const sources = new Map(
    [...(previous === undefined ? [] : [previous]), ...own, ...said].map((each) => [each.id, each]),
  );
  return { previous, sources: [...sources.values()] };
}

/** The end of a sentence or of a line. A number with a dot begins an item of a list. */
const SENTENCES = /^[^]*(?:(?<!\d)[.!?…]["'”’)\]]*(?=\s)|(?=\n))/;

/** As many whole sentences of a text as fit; the beginning of one that is longer. Pure. */
export function wholeSentences(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  // The white space after a sentence shows that it has ended.
  const kept = SENTENCES.exec(text.slice(0, maxChars + 1))?.[0].trimEnd() ?? '';
  return kept === '' ? shorten(text, maxChars) : kept;
}
