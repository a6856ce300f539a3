import type { ToolOutcome } from '../../../effects/tool-outcome.ts';
import { contentOf } from './file-content.ts';
import { inFolder } from './open-folder.ts';
import { realParts } from './real-parts.ts';
import { fault } from './tool-fault.ts';
import { jsonResult, type ToolJob } from './tool-job.ts';

/** Largest file that the tool reads. */
export const READ_MAX_BYTES = 900_000;

/** Gives a text file: `{ path, content, bytes, sha256 }`. */
export async function readFile({ path }: Readonly<{ path: string }>, job: ToolJob): Promise<ToolOutcome> {
  const { root } = job.workspace;
  const parts = await realParts(root, path);
  const [real, name] = [parts.join('/'), parts.at(-1)];
  job.permit({ kind: 'read', path: real });
  if (name === undefined) throw fault('is_a_folder', 'The root is a folder: name a file.');
  const content = await inFolder({ root, parts: parts.slice(0, -1) }, (folder) =>
    contentOf(folder, { name, path: real, maxBytes: READ_MAX_BYTES }),
  );
  if (content === null) throw fault('not_found', `${path} does not exist.`);
  const { data, sha256 } = content;
  return jsonResult({ path: real, content: textOf(data, real), bytes: data.length, sha256 });
}

function textOf(data: Buffer, path: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(data);
  } catch {
    throw fault('not_text', `${path} is not UTF-8 text: read it with a command.`);
  }
}
