import type { FileContent } from './hands-files.ts';

/** Files whose last content is remembered, the oldest is dropped; and bytes of each. */
const MAX_FILES = 16;
const MAX_BYTES = 64 << 10;

/** The contents that calls have written last, so that the next write of a file need not read it first. */
export interface LastContents {
  /** A content that was there once, and is not remembered any more; null if there is none. The hands compare it with the file. */
  take(path: string): FileContent | null;
  put(path: string, content: FileContent): void;
}

/** Mutable because it remembers. */
export function lastContents(): LastContents {
  const contents = new Map<string, FileContent>();
  return {
    take: (path) => {
      const content = contents.get(path) ?? null;
      contents.delete(path);
      return content;
    },
    put: (path, content) => {
      contents.delete(path);
      if (content.size > MAX_BYTES) return;
      contents.set(path, content);
      const [oldest] = contents.keys();
      if (contents.size > MAX_FILES && oldest !== undefined) contents.delete(oldest);
    },
  };
}
