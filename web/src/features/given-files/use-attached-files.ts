import { GIVEN_FILES_MAX, type GivenFile } from '@hamlet/contract';
import { type RefObject, useEffect, useRef, useState } from 'react';
import { useStore } from '../../client/store.ts';
import { useVillage } from '../village-context.ts';
import { admitFiles, readGivenFile } from './attached-files.ts';

export interface AttachedFiles {
  readonly files: readonly GivenFile[];
  /** Why the files of the last choice were not attached. */
  readonly problems: readonly string[];
  add(chosen: Iterable<File>): Promise<void>;
  remove(file: GivenFile): void;
  clear(): void;
}

const NO_FILES: readonly GivenFile[] = [];

/** The files of a message that is not sent yet. They stay while the page is open, as its draft does. */
export function useAttachedFiles(draft: string): AttachedFiles {
  const { attached } = useVillage().messages;
  const files = useStore(attached, (all) => all.get(draft) ?? NO_FILES);
  const [problems, setProblems] = useState<readonly string[]>([]);
  const change = (next: (files: readonly GivenFile[]) => readonly GivenFile[]): void =>
    attached.set((all) => {
      const kept = next(all.get(draft) ?? NO_FILES).slice(0, GIVEN_FILES_MAX);
      const others = new Map(all);
      others.delete(draft);
      return kept.length === 0 ? others : others.set(draft, kept);
    });
  return {
    files,
    problems,
    async add(chosen) {
      const { taken, problems: refused } = admitFiles([...chosen], files.length);
      const read = await Promise.all(taken.map(readGivenFile));
      change((known) => [...known, ...read.filter((file) => typeof file !== 'string')]);
      setProblems([...refused, ...read.filter((file) => typeof file === 'string')]);
    },
    remove(file) {
      change((known) => known.filter((other) => other !== file));
      setProblems([]);
    },
    clear() {
      change(() => NO_FILES);
      setProblems([]);
    },
  };
}

/**
 * Takes files that are dropped anywhere in the chat around `inside`: elsewhere the browser would leave the page to open them.
 * True while files are dragged over it.
 */
export function useFileDrop(inside: RefObject<HTMLElement | null>, onFiles: (files: Iterable<File>) => void): boolean {
  const [isOver, setOver] = useState(false);
  const taking = useRef(onFiles);
  taking.current = onFiles;
  useEffect(() => {
    const place = inside.current?.closest<HTMLElement>('.chat') ?? null;
    if (place === null) return undefined;
    const leaving = new AbortController();
    const listen = (type: 'dragover' | 'dragleave' | 'drop', react: (event: DragEvent) => void): void =>
      place.addEventListener(type, react, { signal: leaving.signal });
    listen('dragover', (event) => {
      if (event.dataTransfer?.types.includes('Files') !== true) return;
      event.preventDefault();
      setOver(true);
    });
    listen('dragleave', ({ relatedTarget }) => {
      if (!(relatedTarget instanceof Node && place.contains(relatedTarget))) setOver(false);
    });
    listen('drop', (event) => {
      setOver(false);
      const { files } = event.dataTransfer ?? {};
      if (files === undefined || files.length === 0) return;
      event.preventDefault();
      taking.current(files);
    });
    return () => leaving.abort();
  }, [inside]);
  return isOver;
}
