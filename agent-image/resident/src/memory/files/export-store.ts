import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { replaceFile } from '../../process/replace-file.ts';
import type { GraphEntry } from './graph-file.ts';

/** Maximum number of files. The least recently written beyond it are deleted; their memory files are then overwritten unread. */
const EXPORTS_MAX = 256;

const Entry = z.strictObject({
  memory_id: z.string(),
  kind: z.enum(['entity', 'relation']),
  name: z.string(),
  type: z.string(),
  to: z.string().nullable(),
  observations: z.array(z.string()),
});
const Export = z.strictObject({ path: z.string(), entries: z.array(Entry) });

/** The last entries that were written to each memory file of the hands, on the resident's volume, out of reach of the hands. */
export interface ExportStore {
  read(path: string): readonly GraphEntry[] | null;
  /** Returns after the entries are on disk. */
  write(path: string, entries: readonly GraphEntry[]): void;
}

export function openExportStore(folder: string): ExportStore {
  const fileOf = (path: string): string => join(folder, `${createHash('sha256').update(path).digest('hex')}.json`);
  return {
    read: (path) => {
      try {
        return Export.parse(JSON.parse(readFileSync(fileOf(path), 'utf8'))).entries;
      } catch {
        return null;
      }
    },
    write: (path, entries) => {
      mkdirSync(folder, { recursive: true });
      const kept = entries.map(({ memory_id, kind, name, type, to, observations }) => {
        return { memory_id, kind, name, type, to, observations };
      });
      replaceFile(fileOf(path), JSON.stringify({ path, entries: kept }));
      prune(folder);
    },
  };
}

function prune(folder: string): void {
  const names = readdirSync(folder).map((name) => join(folder, name));
  if (names.length <= EXPORTS_MAX) return;
  const [oldest] = names.toSorted((one, other) => statSync(one).mtimeMs - statSync(other).mtimeMs);
  if (oldest !== undefined) rmSync(oldest, { force: true });
}
