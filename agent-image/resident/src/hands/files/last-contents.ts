import type { FileContent } from './hands-files.ts';

const MAX_FILES = 16;
const MAX_BYTES = 64 << 10;

/** The content that calls wrote last, so that the next write of a file need not read it first. */
export interface LastContents {
  /** The remembered former content of a file; null if there is none. The hands compare it with the file. */
  take(path: string): FileContent | null;
  put(path: string, content: FileContent): void;
}

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
