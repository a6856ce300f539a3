import { errorOfStatus } from './kube-error.ts';
import type { KubeObject } from './kube-object.ts';

/** The longest line of a watch: etcd stores up to 1.5 MiB an object, and JSON is larger. */
const MAX_LINE_CHARS = 16 << 20;

/** Splits a stream of bytes into lines. A character or a line may be spread over any number of chunks. */
export class LineSplitter {
  readonly #decoder = new TextDecoder('utf-8');
  #pending = '';

  /** The lines that `chunk` completes, without their line feeds. Throws RangeError for a line beyond 16 MiB. */
  push(chunk: Uint8Array): string[] {
    const lines = this.#decoder.decode(chunk, { stream: true }).split('\n');
    lines[0] = this.#pending + (lines[0] ?? '');
    this.#pending = lines.pop() ?? '';
    if (this.#pending.length > MAX_LINE_CHARS)
      throw new RangeError(`the watch sent a line of more than ${MAX_LINE_CHARS} characters`);
    return lines.filter((line) => line.trim() !== '');
  }
}

export type WatchEvent =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: KubeObject }
  | { readonly type: 'BOOKMARK'; readonly version: string };

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

function metadataOf(line: Record<string, unknown>): Record<string, unknown> {
  const object = line['object'];
  const metadata = isRecord(object) ? object['metadata'] : undefined;
  if (!isRecord(metadata) || typeof metadata['resourceVersion'] !== 'string')
    throw new SyntaxError('the watch sent an event without a resourceVersion');
  return metadata;
}

/** Parses one line of a watch. Throws KubeError for an ERROR event (410: the version expired), SyntaxError for other lines. */
export function watchEventOf(line: unknown): WatchEvent {
  if (!isRecord(line)) throw new SyntaxError('the watch sent a line that is not an event');
  const { type, object } = line;
  switch (type) {
    case 'ADDED':
    case 'MODIFIED':
    case 'DELETED':
      if (typeof metadataOf(line)['name'] !== 'string')
        throw new SyntaxError('the watch sent an object without a name');
      return { type, object: object as KubeObject };
    case 'BOOKMARK':
      return { type, version: String(metadataOf(line)['resourceVersion']) };
    case 'ERROR':
      throw errorOfStatus(isRecord(object) ? object : {});
    default:
      throw new SyntaxError(`the watch sent an event of the unknown type ${String(type)}`);
  }
}
