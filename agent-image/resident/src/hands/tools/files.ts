import type { KeptChange } from '../files/change-log.ts';
import type { FileContent } from '../files/hands-files.ts';
import { contentOf, FILE_MAX_BYTES, pathIn, readContent, replaceContent, sha256Of } from '../files/hands-files.ts';
import { HandsError } from '../hands-client.ts';
import { handsTool, type HandsEnd, type HandsJob, type HandsKit } from '../hands-tool.ts';
import { okay } from '../../tools/tool-kit.ts';

const FILE_MS = 30_000;
const DIFF_SHOWN_CHARS = 8_000;

/** Tools that read and change files of the workspace. Each change is in the log of changes, and can be undone. */
export const fileTools = (kit: HandsKit, last = lastContents()) => [
  handsTool(kit, 'read_file', { timeoutMs: FILE_MS, perform: readFile }),
  handsTool(kit, 'write_file', { timeoutMs: FILE_MS, perform: (input, job) => writeFile(input, job, last) }),
  handsTool(kit, 'edit_file', { timeoutMs: FILE_MS, perform: editFile }),
  handsTool(kit, 'list_changes', { timeoutMs: FILE_MS, perform: ({ limit }, job) => listChanges(limit, job) }),
  handsTool(kit, 'undo_change', { timeoutMs: FILE_MS, perform: ({ change }, job) => undoChange(change, job) }),
];

type Reading = Readonly<{ path: string; first_line: number; lines: number }>;

async function readFile({ path, first_line: first, lines: count }: Reading, job: HandsJob): Promise<HandsEnd> {
  const file = pathIn(job.kit.workspace, path);
  const { data, size, sha256 } = await readContent(job, file);
  const report = { path: file, bytes: data.length };
  if (data.includes(0)) return { outcome: okay(`${file} is not text: ${size} bytes, sha256 ${sha256}.`), report };
  const lines = data.toString().split('\n');
  const shown = lines.slice(first - 1, first - 1 + count);
  const cut = size > FILE_MAX_BYTES ? ` of the first ${FILE_MAX_BYTES} bytes; read the rest with shell` : '';
  const head = `${file}: lines ${first} to ${first + shown.length - 1} of ${lines.length}${cut}`;
  return { outcome: okay(`${head}\n${shown.join('\n')}`), report };
}

type Writing = Readonly<{ path: string; content: string }>;

async function writeFile({ path, content }: Writing, job: HandsJob, last: LastContents): Promise<HandsEnd> {
  const file = pathIn(job.kit.workspace, path);
  const after = Buffer.from(content);
  const end =
    (await overLast(job, { path: file, before: last.take(file), after })) ?? (await overPresent(job, file, after));
  last.put(file, contentWith(after));
  return end;
}

/** If an earlier attempt may have written, read the file. */
async function overLast(job: HandsJob, wanted: Change): Promise<HandsEnd | null> {
  const { kit, context } = job;
  if (wanted.before === null || kit.changes.ofCall(context.run, context.call) !== null) return null;
  try {
    return await change(job, wanted);
  } catch (error) {
    if (error instanceof HandsError && error.code === 'changed') return null;
    throw error;
  }
}

async function overPresent(job: HandsJob, path: string, after: Buffer): Promise<HandsEnd> {
  return change(job, { path, before: await contentOf(job, path), after });
}

type Edit = Readonly<{ path: string; old_text: string; new_text: string; all: boolean }>;

async function editFile({ path, old_text: old, new_text: fresh, all }: Edit, job: HandsJob): Promise<HandsEnd> {
  const file = pathIn(job.kit.workspace, path);
  const before = await contentOf(job, file);
  if (before === null) throw new HandsError('not_found', `${file} does not exist. Write it with write_file.`);
  const known = knownChange(job, before);
  if (known !== null) return done(known, before);
  const text = before.data.toString();
  const found = text.split(old).length - 1;
  if (found === 0)
    throw new HandsError('text_not_found', `old_text is not in ${file}. Read the file, and copy the text exactly.`);
  if (found > 1 && !all)
    throw new HandsError(
      'text_not_unique',
      `${file} contains old_text ${found} times. Add more of its lines, or set all.`,
    );
  return change(job, { path: file, before, after: Buffer.from(text.replaceAll(old, () => fresh)) });
}

interface Change {
  readonly path: string;
  readonly before: FileContent | null;
  readonly after: Buffer | null;
}

/** The change that an earlier attempt of this call has made, if the file still has that content. */
function knownChange({ kit, context }: HandsJob, present: FileContent | null): KeptChange | null {
  const known = kit.changes.ofCall(context.run, context.call);
  return known !== null && known.afterSha256 === hashOf(present) ? known : null;
}

const contentWith = (data: Buffer): FileContent => ({ data, size: data.length, sha256: sha256Of(data) });

/** Records a change, and makes it. An earlier attempt of the call may have made it already. */
async function change(job: HandsJob, { path, before, after }: Change): Promise<HandsEnd> {
  const { kit, context, hands } = job;
  const made = knownChange(job, before);
  if (made !== null) return done(made, before);
  const earlier = kit.changes.ofCall(context.run, context.call);
  if (earlier !== null) kit.changes.drop(earlier.number);
  const { run, call, conversation } = context;
  const seen = hashOf(before);
  const content = after === null ? null : contentWith(after);
  const kept = kit.changes.note({
    run,
    call,
    conversation,
    path,
    before: dataOf(before),
    beforeSha256: seen,
    afterSha256: hashOf(content),
  });
  try {
    await replaceContent(hands, { root: kit.workspace, path, data: after, seen });
  } catch (error) {
    if (error instanceof HandsError && error.code !== 'hands_lost') kit.changes.drop(kept.number);
    throw error;
  }
  return done(kept, content);
}

const hashOf = (content: FileContent | null): string | null => content?.sha256 ?? null;
const dataOf = (content: FileContent | null): Buffer | null => content?.data ?? null;
const textOf = (data: Buffer | null): string | null => data?.toString() ?? null;

function verbOf(before: Buffer | null, afterSha256: string | null): string {
  if (before === null) return 'written';
  return afterSha256 === null ? 'removed' : 'changed';
}

function done({ number, path, before, afterSha256 }: KeptChange, after: FileContent | null): HandsEnd {
  const diff = unifiedDiff(path, textOf(before), textOf(dataOf(after)));
  const shown =
    diff.length > DIFF_SHOWN_CHARS ? `${diff.slice(0, DIFF_SHOWN_CHARS)}\n[… the rest is left out …]` : diff;
  const text =
    diff === ''
      ? `${path} has this content already.`
      : `${path} is ${verbOf(before, afterSha256)} (change ${number}).\n${shown}`;
  return { outcome: okay(text), report: { path, diff, bytes: after?.size ?? 0, change: number } };
}

async function listChanges(limit: number, { kit, context }: HandsJob): Promise<HandsEnd> {
  const lines = kit.changes
    .list(context.conversation, limit)
    .map(({ number, at, path, before, afterSha256 }) => `- ${number}: ${path} ${verbOf(before, afterSha256)}, ${at}`);
  return { outcome: okay(lines.join('\n') || 'Nothing was changed in this conversation.'), report: {} };
}

async function undoChange(number: number, job: HandsJob): Promise<HandsEnd> {
  const { kit, context } = job;
  const kept = kit.changes.find(context.conversation, number);
  if (kept === null) throw new HandsError('no_such_change', `There is no change ${number}: see list_changes.`);
  const present = await contentOf(job, kept.path);
  const isMade = knownChange(job, present) !== null;
  if (!isMade && hashOf(present) !== kept.afterSha256)
    throw new HandsError('changed', `${kept.path} has changed since change ${number}. Undo the later ones first.`);
  const end = await change(job, { path: kept.path, before: present, after: kept.before });
  return { ...end, report: { ...end.report, undoes: number } };
}

const MAX_FILES = 16;
const MAX_BYTES = 64 << 10;

/** The content that calls wrote last, so that the next write of a file need not read it first. */
interface LastContents {
  /** The remembered former content of a file; null if there is none. The hands compare it with the file. */
  take(path: string): FileContent | null;
  put(path: string, content: FileContent): void;
}

function lastContents(): LastContents {
  const contents = new Map<string, FileContent>();
  return {
    take: (path) => {
      const content = contents.get(path) ?? null;
      contents.delete(path);
      return content;
    },
    put: (path, content) => {
      contents.delete(path);
      if (content.size > MAX_BYTES) return;
      contents.set(path, content);
      const [oldest] = contents.keys();
      if (contents.size > MAX_FILES && oldest !== undefined) contents.delete(oldest);
    },
  };
}

const CONTEXT_LINES = 3;

/** The difference of two texts as one hunk of a unified diff; empty if they are equal. Pure. */
function unifiedDiff(path: string, before: string | null, after: string | null): string {
  if (before === after) return '';
  const [old, fresh] = [linesOf(before), linesOf(after)];
  const most = Math.min(old.length, fresh.length);
  let head = 0;
  while (head < most && old[head] === fresh[head]) head += 1;
  let tail = 0;
  while (tail < most - head && old[old.length - 1 - tail] === fresh[fresh.length - 1 - tail]) tail += 1;
  const first = Math.max(0, head - CONTEXT_LINES);
  const last = Math.min(tail, CONTEXT_LINES);
  const [oldEnd, freshEnd] = [old.length - tail, fresh.length - tail];
  const body = [
    ...old.slice(first, head).map((line) => ` ${line}`),
    ...old.slice(head, oldEnd).map((line) => `-${line}`),
    ...fresh.slice(head, freshEnd).map((line) => `+${line}`),
    ...old.slice(oldEnd, oldEnd + last).map((line) => ` ${line}`),
  ];
  const range = (end: number): string => {
    const count = end + last - first;
    return `${count === 0 ? first : first + 1},${count}`;
  };
  return [
    `--- ${before === null ? '/dev/null' : `a/${path}`}`,
    `+++ ${after === null ? '/dev/null' : `b/${path}`}`,
    `@@ -${range(oldEnd)} +${range(freshEnd)} @@`,
    ...body,
    '',
  ].join('\n');
}

const NO_NEWLINE = '\n\\ No newline at end of file';

function linesOf(text: string | null): readonly string[] {
  if (text === null || text === '') return [];
  const lines = text.split('\n');
  const last = lines.pop() ?? '';
  return last === '' ? lines : [...lines, `${last}${NO_NEWLINE}`];
}
