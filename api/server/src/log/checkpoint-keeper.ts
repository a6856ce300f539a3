import { readLogHead, readSignedEdge } from '@hamlet/store';
import type { Db, Tree } from '@hamlet/store';
import type { LogSigner } from './log-signer.ts';

/** What is known of the log outside of the database. */
export interface CheckpointKeeper {
  /** The newest tree that was adopted; null before the first `follow`. */
  readonly known: () => Tree | null;
  /** Adopts the newest checkpoint of the log, once it is kept. Returns its size. Throws LogBroken where it does not continue what is known. */
  follow(db: Db): Promise<number>;
}

/** Keeps the newest checkpoint in the memory of this process: it protects for as long as the process runs, whatever becomes of a folder. */
export function keepInMemory({ open }: LogSigner): CheckpointKeeper {
  let newest: Tree | null = null;
  let adopted: string | null = null;
  const known = (): Tree | null => newest;
  return {
    known,
    follow: async (db) => {
      const head = await readLogHead(db);
      if (head.note === null || head.note !== adopted) {
        await readSignedEdge(db, head, { open, known });
        newest = head.note === null ? newest : open(head.note);
        adopted = head.note;
      }
      return head.size;
    },
  };
}

/** Keeps checkpoints in a folder and in memory: a folder that was emptied while the process runs does not make it forget. */
export function keepInBoth(folder: CheckpointKeeper, memory: CheckpointKeeper): CheckpointKeeper {
  return {
    known: () => {
      const [kept, seen] = [folder.known(), memory.known()];
      return kept === null || (seen !== null && seen.size > kept.size) ? seen : kept;
    },
    follow: async (db) => {
      await folder.follow(db);
      return memory.follow(db);
    },
  };
}
