import { z } from 'zod';
import { HandsError, type HandsClient } from '../../hands/hands-client.ts';
import { FILE_MAX_BYTES, pathIn } from '../../hands/files/hands-files.ts';
import { FilePart } from '../../hands/process-record.ts';

/** A longer file is refused. */
const READ_MAX_BYTES = 2 << 20;

/** The files that a program reaches through the village: those below the run's work tree, also through links. */
export interface TreeFiles {
  /** The lines of a file from `first` on, counted from 1. Rejects with `HandsError`. */
  read(path: string, lines: Readonly<{ first: number; limit: number | null }>): Promise<string>;
  /** Replaces a file, or makes it with the folders above it. Rejects with `HandsError`. */
  write(path: string, content: string): Promise<void>;
}

export const treeFiles = (hands: HandsClient, root: string): TreeFiles => ({
  read: async (path, { first, limit }) => {
    const text = (await contentOf(hands, { root, path: pathIn(root, path) })).toString();
    if (first === 1 && limit === null) return text;
    const lines = text.split('\n').slice(first - 1);
    return lines.slice(0, limit ?? lines.length).join('\n');
  },
  write: async (path, content) => {
    const data = Buffer.from(content);
    if (data.length > FILE_MAX_BYTES)
      throw new HandsError('too_long', `The content has more than ${FILE_MAX_BYTES} bytes: write it in your own way.`);
    const place = { root, path: pathIn(root, path), parents: true };
    await hands.ask('fs.write', { ...place, data: data.toString('base64') }, z.unknown());
  },
});

async function contentOf(hands: HandsClient, place: Readonly<{ root: string; path: string }>): Promise<Buffer> {
  const parts: Buffer[] = [];
  for (let offset = 0; ;) {
    const { data, size } = await hands.ask('fs.read', { ...place, offset, bytes: FILE_MAX_BYTES }, FilePart);
    if (size > READ_MAX_BYTES)
      throw new HandsError('too_long', `${place.path} has ${size} bytes; the limit is ${READ_MAX_BYTES}: read a part.`);
    parts.push(data);
    offset += data.length;
    if (data.length === 0 || offset >= size) return Buffer.concat(parts);
  }
}
