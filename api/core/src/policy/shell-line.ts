const PLAIN = /^[A-Za-z0-9_@%+=:,./^~-]+$/;
const quoted = (word: string): string => (PLAIN.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`);

export const shellLine = (words: readonly string[]): string => words.map(quoted).join(' ');
