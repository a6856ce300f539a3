import { GIVEN_FILE_MAX_BYTES, GIVEN_FILES_MAX, GivenFile } from '@hamlet/contract';
import { isUtf8 } from 'node:buffer';
import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { Failure } from '../command.ts';

const KIB = 1024;

/** Reads files for a message. Throws a Failure that names the file and the fix. */
export function readGivenFiles(paths: readonly string[]): readonly GivenFile[] {
  if (paths.length > GIVEN_FILES_MAX)
    throw new Failure(
      `--file: a message has at most ${GIVEN_FILES_MAX} files, not ${paths.length}: send the others with the next message`,
      2,
    );
  return paths.map(givenFile);
}

function givenFile(path: string): GivenFile {
  const content = contentOf(path);
  const media_type = isUtf8(content) && !content.includes(0) ? 'text/plain' : 'application/octet-stream';
  const read = GivenFile.safeParse({ name: basename(path), media_type, content: content.toString('base64') });
  if (!read.success)
    throw new Failure(`--file: ${path}: agents cannot use this name: rename the file, for example to notes.txt`);
  return read.data;
}

/** The bytes of a file, whose size is known before they are read. */
function contentOf(path: string): Buffer {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch (error) {
    throw new Failure(`--file: cannot read ${path}: ${error instanceof Error ? error.message : String(error)}`);
  }
  try {
    const status = fstatSync(file);
    if (!status.isFile()) throw new Failure(`--file: ${path} is not a file: name each file of a folder`);
    if (status.size === 0) throw new Failure(`--file: ${path} is empty: give a file with content`);
    if (status.size > GIVEN_FILE_MAX_BYTES) throw new Failure(tooLarge(path, status.size));
    return readFileSync(file);
  } finally {
    closeSync(file);
  }
}

const tooLarge = (path: string, bytes: number): string =>
  `--file: ${path} has ${Math.ceil(bytes / KIB)} KiB, and a file at most ${GIVEN_FILE_MAX_BYTES / KIB} KiB: give the part that matters`;
