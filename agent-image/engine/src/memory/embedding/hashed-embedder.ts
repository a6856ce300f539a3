import type { Embedder } from '../memory.ts';
import { normalized, wordsOf } from '../text/words.ts';

const DIMENSIONS = 384;
/** Lengths of the pieces of a word. */
const LEAST_PIECE = 3;
const GREATEST_PIECE = 5;
/** Weights of a whole word and of a pair of words relative to that of a piece. */
const WORD_WEIGHT = 2;
const PAIR_WEIGHT = 1;
/** Longer texts are cut, which also bounds the work for one text. */
const MAX_CHARS = 2_000;
const PLACES = 4;

/**
 * Vectors without a model: pieces of words, words and pairs of words are hashed to signed places of the vector. Texts are near
 * each other if they share spelling, so forms and misspellings of a word are found; synonyms are not.
 */
export function hashedEmbedder(): Embedder {
  return {
    id: 'hashed-ngrams-1',
    dimensions: DIMENSIONS,
    embed: (texts) => Promise.resolve(texts.map(vectorOf)),
  };
}

function vectorOf(text: string): Float32Array {
  const vector = new Float32Array(DIMENSIONS);
  const cut = text.slice(0, MAX_CHARS);
  const stems = wordsOf(cut);
  const words = stems.length === 0 ? normalized(cut).split(' ') : stems;
  let before = '';
  for (const word of words) {
    if (word === '') continue;
    addPieces(vector, word);
    if (before !== '') add(vector, hashOf(`${before} ${word}`), PAIR_WEIGHT);
    before = word;
  }
  dampen(vector);
  return vector;
}

function addPieces(vector: Float32Array, word: string): void {
  const weight = word.length < LEAST_PIECE + 1 ? 1 : WORD_WEIGHT;
  add(vector, hashOf(word), weight);
  const bounded = `<${word}>`;
  for (let start = 0; start < bounded.length; start += 1) {
    let hash = SEED;
    for (let length = 1; length <= GREATEST_PIECE && start + length <= bounded.length; length += 1) {
      hash = mixed(hash, bounded.charCodeAt(start + length - 1));
      if (length >= LEAST_PIECE) add(vector, finished(hash), 1);
    }
  }
}

/** Halves the order of magnitude of repeated pieces, as a logarithm would. */
function dampen(vector: Float32Array): void {
  for (let place = 0; place < vector.length; place += 1) {
    const value = vector[place] ?? 0;
    vector[place] = Math.sign(value) * Math.sqrt(Math.abs(value));
  }
}

/** Each piece counts at several places, so that the signs of most places say something about a short text. */
function add(vector: Float32Array, hash: number, weight: number): void {
  let bits = hash | 1;
  for (let times = 0; times < PLACES; times += 1) {
    bits ^= bits << 13;
    bits ^= bits >>> 17;
    bits ^= bits << 5;
    const place = (bits >>> 1) % DIMENSIONS;
    vector[place] = (vector[place] ?? 0) + ((bits & 1) === 0 ? weight : -weight);
  }
}

// FNV-1a, with a last mix so that the low bits depend on all of them.
const SEED = 0x811c_9dc5;
const mixed = (hash: number, code: number): number => Math.imul(hash ^ code, 0x0100_0193);
const finished = (hash: number): number => {
  const half = Math.imul(hash ^ (hash >>> 15), 0x2c1b_3c6d);
  return (half ^ (half >>> 13)) >>> 0;
};
function hashOf(text: string): number {
  let hash = SEED;
  for (let index = 0; index < text.length; index += 1) hash = mixed(hash, text.charCodeAt(index));
  return finished(hash);
}
