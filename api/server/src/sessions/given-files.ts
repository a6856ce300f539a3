import { createHash } from 'node:crypto';
import { type GivenFile, withFileList } from '@hamlet/contract';
import type { NewRunFile } from '@hamlet/store';

/** The folder of the workspace with the files that people give. */
const FOLDER = 'given';
/** Digits of the hash in a path: files of one name stay apart, and the same file has the same path in each message. */
const HASH_DIGITS = 12;

interface GivenFiles {
  readonly files: readonly NewRunFile[];
  /** The text of the message with the list of its files, so that the agent knows their paths. */
  readonly text: string;
}

function storedFile({ name, content: base64 }: GivenFile): NewRunFile {
  const content = Buffer.from(base64, 'base64');
  const sha256 = createHash('sha256').update(content).digest();
  return { path: `${FOLDER}/${sha256.toHex().slice(0, HASH_DIGITS)}/${name}`, sha256, content };
}

/** The files of a message, each path once, and its text. */
export function readGivenFiles(text: string, given: readonly GivenFile[]): GivenFiles {
  const stored = given.map((file) => ({ ...storedFile(file), mediaType: file.media_type }));
  const byPath = new Map(stored.map((file) => [file.path, file]));
  const listed = [...byPath.values()].map(({ path, mediaType, content }) => ({
    path,
    mediaType,
    bytes: content.length,
  }));
  return {
    files: [...byPath.values()].map(({ path, sha256, content }) => ({ path, sha256, content })),
    text: withFileList(text, listed),
  };
}
