import type { Landmark } from '@hamlet/contract';

/** Words of a persona that speak for a kind of place. */
const WORDS: Readonly<Record<string, readonly string[]>> = {
  cafe: ['coffee', 'tea', 'café', 'social', 'chat', 'friend'],
  market: ['trade', 'sell', 'buy', 'bargain', 'cook', 'merchant'],
  board: ['news', 'organis', 'organiz', 'question', 'help'],
  workshop: ['build', 'make', 'repair', 'engineer', 'tool', 'code', 'craft', 'program'],
  garden: ['plant', 'flower', 'fruit', 'nature', 'grow', 'garden'],
  orchard: ['plant', 'fruit', 'apple', 'nature', 'grow'],
  library: ['read', 'book', 'learn', 'research', 'study', 'write', 'curious', 'mathemat'],
  park: ['walk', 'nature', 'rest', 'quiet', 'play'],
  pond: ['fish', 'swim', 'quiet', 'nature', 'water'],
  lake: ['fish', 'swim', 'quiet', 'nature', 'water'],
  square: ['meet', 'speak', 'people', 'social', 'music'],
  observatory: ['star', 'sky', 'science', 'astronom', 'curious', 'night'],
};

const INDIFFERENT = 1;
const FOR_EACH_WORD = 2;
const MAX_INTEREST = 9;

/** How much a persona is drawn to a place: 1 for no word in common, 9 at most. */
export function interestIn({ kind, name }: Landmark, persona: string): number {
  const text = persona.toLowerCase();
  const words = [...(WORDS[kind] ?? []), kind, name.toLowerCase()];
  const hits = words.filter((word) => text.includes(word)).length;
  return Math.min(INDIFFERENT + FOR_EACH_WORD * hits, MAX_INTEREST);
}
