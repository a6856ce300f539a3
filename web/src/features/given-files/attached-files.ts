import { ArtifactName, GIVEN_FILE_MAX_BYTES, GIVEN_FILES_MAX, type GivenFile, MediaType } from '@hamlet/contract';
import { visibleText } from '@hamlet/core/visible-text';
import { sizeLabel } from '../results/result-labels.ts';

/** A file that a person chose, dropped or pasted. */
interface Chosen {
  readonly name: string;
  readonly size: number;
}

/** Maximum number of problems of files that are shown one by one. */
const PROBLEMS_MAX = 3;
const NAME_MAX_CHARS = 60;

/**
 * The files that a message takes besides the `have` files that it has already, and the reasons for those that it does
 * not. Pure.
 */
export function admitFiles<F extends Chosen>(
  chosen: readonly F[],
  have: number,
): { readonly taken: readonly F[]; readonly problems: readonly string[] } {
  const judged = chosen.map((file) => ({ file, problem: problemOf(file) }));
  const fit = judged.filter(({ problem }) => problem === null).map(({ file }) => file);
  const taken = fit.slice(0, Math.max(0, GIVEN_FILES_MAX - have));
  const problems = judged.flatMap(({ problem }) => problem ?? []);
  return {
    taken,
    problems: [...problems.slice(0, PROBLEMS_MAX), ...tooMany(fit.length - taken.length)],
  };
}

function problemOf({ name, size }: Chosen): string | null {
  const short = shortName(name);
  if (size > GIVEN_FILE_MAX_BYTES)
    return `${short} has more than ${sizeLabel(GIVEN_FILE_MAX_BYTES)}, the most for one file: attach the part that matters.`;
  if (size === 0) return `${short} is empty: attach a file with content.`;
  return ArtifactName.safeParse(name).success
    ? null
    : `${short} has a name that agents cannot use: rename the file, for example to notes.txt.`;
}

function tooMany(count: number): readonly string[] {
  if (count <= 0) return [];
  const [subject, rest] = count === 1 ? ['1 file was', 'it'] : [`${count} files were`, 'them'];
  return [
    `${subject} not attached, because a message has at most ${GIVEN_FILES_MAX}: send ${rest} with the next message.`,
  ];
}

function shortName(name: string): string {
  const shown = visibleText(name);
  return shown.length <= NAME_MAX_CHARS ? shown : `${shown.slice(0, NAME_MAX_CHARS)}…`;
}

const OTHER_TYPE = 'application/octet-stream';

/** Reads a file for a message; a text with the reason if the browser cannot read it, for example because it is a folder. */
export async function readGivenFile(file: File): Promise<GivenFile | string> {
  try {
    const content = await base64Of(file);
    const [type = ''] = file.type.toLowerCase().split(';');
    return { name: file.name, media_type: MediaType.safeParse(type.trim()).data ?? OTHER_TYPE, content };
  } catch {
    return `${shortName(file.name)} cannot be read: attach a file, not a folder, that this browser may open.`;
  }
}

function base64Of(file: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener('error', () => reject(reader.error ?? new Error('the file cannot be read')));
    reader.addEventListener('load', () => {
      const url = typeof reader.result === 'string' ? reader.result : '';
      resolve(url.slice(url.indexOf(',') + 1));
    });
    reader.readAsDataURL(file);
  });
}
