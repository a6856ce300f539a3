import { isRefusal, type HandsClient } from '../hands-client.ts';
import type { WorkTrees } from '../repository/work-trees.ts';
import { retry, type RetryPorts } from '../../village/retry.ts';
import type { RunBook } from '../../engine/run-book.ts';
import type { WorkVillage } from '../../village/work-village.ts';
import { replaceContent } from './hands-files.ts';

interface Ports extends RetryPorts {
  readonly work: Pick<WorkVillage, 'runFile'>;
  readonly book: Pick<RunBook, 'find'>;
  readonly workspace: string;
}

const MAX_REMEMBERED = 64;

/** The first use of the hands by a run writes the files of its message to the workspace. One that is there already stays as it is. */
export function withGivenFiles(trees: WorkTrees, ports: Ports): WorkTrees {
  const placed = new Set<string>();
  return {
    of: async (hands, place, signal) => {
      const tree = await trees.of(hands, place, signal);
      const { runId, files = [] } = ports.book.find(place.run) ?? {};
      const key = `${runId ?? ''} ${hands.boot}`;
      if (files.length === 0 || placed.has(key)) return tree;
      const faults = await placeFiles(ports, hands, { run: place.run, signal });
      const [oldest] = placed;
      if (placed.size >= MAX_REMEMBERED && oldest !== undefined) placed.delete(oldest);
      placed.add(key);
      return { ...tree, note: [tree.note, ...faults].filter((line) => line !== '').join('\n') };
    },
  };
}

/** Returns a line about each file that could not be written. Rejects with `HandsError` if the hands are lost. */
async function placeFiles(
  ports: Ports,
  hands: HandsClient,
  { run, signal }: { readonly run: string; readonly signal: AbortSignal },
): Promise<readonly string[]> {
  const { work, book, workspace: root } = ports;
  const booked = book.find(run);
  const faults: string[] = [];
  for (const { path, sha256 } of booked?.files ?? []) {
    const answer = await retry(
      () => work.runFile(booked?.runId ?? run, booked?.lease.cycle ?? 0, sha256),
      signal,
      ports,
    );
    const fault =
      answer.kind === 'ok'
        ? await write(hands, { root, path, data: Buffer.from(answer.value, 'base64'), seen: null })
        : answer.code;
    if (fault !== null) faults.push(`The file ${path} of the message could not be written: ${fault}.`);
  }
  return faults;
}

/** The code of the failure; null if the file is there now. */
async function write(hands: HandsClient, content: Parameters<typeof replaceContent>[1]): Promise<string | null> {
  try {
    await replaceContent(hands, content);
    return null;
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return error.code === 'changed' ? null : error.code;
  }
}
