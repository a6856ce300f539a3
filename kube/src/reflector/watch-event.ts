import { errorOfStatus } from '../client/kube-error.ts';
import type { KubeObject } from '../kube-object.ts';

/** One parsed line of a watch. */
export type WatchEvent =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: KubeObject }
  | { readonly type: 'BOOKMARK'; readonly version: string };

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

function metadataOf(line: Record<string, unknown>): Record<string, unknown> {
  const object = line['object'];
  const metadata = isRecord(object) ? object['metadata'] : undefined;
  if (!isRecord(metadata) || typeof metadata['resourceVersion'] !== 'string')
    throw new SyntaxError('an event of the watch has no resourceVersion');
  return metadata;
}

/**
 * @throws KubeError for an ERROR event, with its status (410: the version has expired)
 * @throws SyntaxError for what is no event
 */
export function watchEventOf(line: unknown): WatchEvent {
  if (!isRecord(line)) throw new SyntaxError('a line of the watch is no event');
  const { type, object } = line;
  switch (type) {
    case 'ADDED':
    case 'MODIFIED':
    case 'DELETED':
      if (typeof metadataOf(line)['name'] !== 'string') throw new SyntaxError('an object of the watch has no name');
      return { type, object: object as KubeObject };
    case 'BOOKMARK':
      return { type, version: String(metadataOf(line)['resourceVersion']) };
    case 'ERROR':
      throw errorOfStatus(isRecord(object) ? object : {});
    default:
      throw new SyntaxError(`the watch sent an event of the unknown type ${String(type)}`);
  }
}
