import type { Landmark, LandmarkKind } from '@hamlet/contract';

/** Words of a persona that speak for a kind of place. */
const WORDS: Readonly<Record<LandmarkKind, readonly string[]>> = {
  square: ['meet', 'speak', 'people', 'social', 'music'],
  board: ['news', 'organis', 'organiz', 'question', 'help'],
  cafe: ['coffee', 'tea', 'social', 'chat', 'friend'],
  market: ['trade', 'sell', 'buy', 'bargain', 'cook', 'merchant'],
  workshop: ['build', 'make', 'repair', 'engineer', 'tool', 'code', 'craft', 'program', 'machine'],
  library: ['read', 'book', 'learn', 'research', 'study', 'write', 'curious', 'mathemat'],
  garden: ['plant', 'flower', 'fruit', 'nature', 'grow'],
  pond: ['fish', 'swim', 'quiet', 'nature', 'water'],
  forest: ['wood', 'walk', 'nature', 'quiet'],
  home: [],
  hall: ['meet', 'organis', 'organiz', 'people', 'decide'],
  bakery: ['bread', 'cook', 'bake'],
  orchard: ['plant', 'fruit', 'apple', 'nature', 'grow'],
  dock: ['fish', 'boat', 'water'],
  hill: ['walk', 'rest', 'quiet', 'sky'],
  observatory: ['star', 'sky', 'science', 'astronom', 'curious'],
  waypoint: [],
};

const INDIFFERENT = 1;
const FOR_EACH_WORD = 2;
const MAX_INTEREST = 9;

/** How much a persona is drawn to a place: 1 for no word in common, 9 at most. */
export function interestIn({ kind, name }: Landmark, persona: string): number {
  const text = persona.toLowerCase();
  const words = [...WORDS[kind], kind, name.toLowerCase()];
  const hits = words.filter((word) => text.includes(word)).length;
  return Math.min(INDIFFERENT + FOR_EACH_WORD * hits, MAX_INTEREST);
}
