import type { Source } from '@hamlet/engine/memory';

/** The size of remembered documents in words: `1 file in 3 pieces`. Pure. */
export const documentSize = ({ files, chunks }: Pick<Source, 'files' | 'chunks'>): string =>
  `${files} ${files === 1 ? 'file' : 'files'} in ${chunks} ${chunks === 1 ? 'piece' : 'pieces'}`;
