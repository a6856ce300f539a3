import { withoutMiddle } from '@hamlet/engine';
import type { KeptChange } from '../files/change-log.ts';
import type { FileContent } from '../files/hands-files.ts';
import { editText, type EditedText } from '../files/edit-text.ts';
import { contentOf, pathIn, replaceContent, sha256Of } from '../files/hands-files.ts';
import { lastContents, type LastContents } from '../files/last-contents.ts';
import { nearestMatch } from '../files/nearest-match.ts';
import { codecOf, inStyleOf, toLf, UTF_8, withoutMark, type TextCodec } from '../files/text-codec.ts';
import { unifiedDiff } from '../files/unified-diff.ts';
import { HandsError, isRefusal } from '../hands-client.ts';
import { handsTool, type HandsEnd, type HandsJob, type HandsKit } from '../hands-tool.ts';
import { okay } from '../../tools/tool-kit.ts';
import { readFile } from './read-file.ts';

const FILE_MS = 30_000;
const DIFF_SHOWN_CHARS = 4_000;
const SHOWN_PLACES_MAX = 10;

/** Tools that read and change files of the workspace. Each change is in the log of changes, and can be undone. */
export const fileTools = (kit: HandsKit, last = lastContents()) => [
  handsTool(kit, 'read_file', { timeoutMs: FILE_MS, perform: readFile }),
  handsTool(kit, 'write_file', { timeoutMs: FILE_MS, perform: (input, job) => writeFile(input, job, last) }),
  handsTool(kit, 'edit_file', { timeoutMs: FILE_MS, perform: editFile }),
  handsTool(kit, 'list_changes', { timeoutMs: FILE_MS, perform: ({ limit }, job) => listChanges(limit, job) }),
  handsTool(kit, 'undo_change', { timeoutMs: FILE_MS, perform: ({ change }, job) => undoChange(change, job) }),
];

type Writing = Readonly<{ path: string; content: string }>;

async function writeFile({ path, content }: Writing, job: HandsJob, last: LastContents): Promise<HandsEnd> {
  const file = pathIn(job.kit.workspace, path);
  const write = async (before: FileContent | null): Promise<HandsEnd> => {
    const { data: after, note } = inStyleOf(dataOf(before), content);
    const made = await change(job, { path: file, before, after });
    last.put(file, contentWith(after));
    return written(made, note);
  };
  return (await overLast(job, last.take(file), write)) ?? write(await contentOf(job, file));
}

/** If an earlier attempt may have written, or another program has, read the file. */
async function overLast(
  { kit, context }: HandsJob,
  before: FileContent | null,
  write: (before: FileContent) => Promise<HandsEnd>,
): Promise<HandsEnd | null> {
  if (before === null || kit.changes.ofCall(context.run, context.call) !== null) return null;
  try {
    return await write(before);
  } catch (error) {
    if (error instanceof HandsError && error.code === 'changed') return null;
    throw error;
  }
}

type Edit = Readonly<{ path: string; old_text: string; new_text: string; all: boolean }>;

async function editFile({ path, old_text: old, new_text: fresh, all }: Edit, job: HandsJob): Promise<HandsEnd> {
  const file = pathIn(job.kit.workspace, path);
  const before = await contentOf(job, file);
  if (before === null) throw new HandsError('not_found', `${file} does not exist. Write it with write_file.`);
  const known = knownChange(job, before);
  if (known !== null) return edited({ kept: known, after: before });
  const codec = codecOf(before.data);
  if (codec === null) throw new HandsError('not_text', `${file} is not text. Change it with shell.`);
  const end = editText(before.data, codec, { old, fresh, all });
  if (end.kind !== 'edited') throw refusedEdit(end, { file, old, text: codec.decode(before.data), codec });
  return edited(await change(job, { path: file, before, after: end.data }));
}

interface RefusedEdit {
  readonly file: string;
  readonly old: string;
  readonly text: string;
  readonly codec: TextCodec;
}

function refusedEdit(
  end: Exclude<EditedText, { kind: 'edited' }>,
  { file, old, text, codec }: RefusedEdit,
): HandsError {
  if (end.kind === 'not_in_encoding')
    return new HandsError(
      'not_in_encoding',
      `${file} is ${codec.name}, which lacks a character of new_text. Write other characters, or convert the file with shell (iconv).`,
    );
  if (end.kind === 'not_unique') {
    const shown = end.lines.slice(0, SHOWN_PLACES_MAX).join(', ');
    const more = end.lines.length > SHOWN_PLACES_MAX ? ' and more' : '';
    return new HandsError(
      'text_not_unique',
      `${file} contains old_text ${end.lines.length} times, at lines ${shown}${more}. Add more of its lines, or set all.`,
    );
  }
  const near = nearestMatch(withoutMark(text), old);
  if (near === null)
    return new HandsError('text_not_found', `old_text is not in ${file}, and no line is similar. Read the file first.`);
  const how =
    near.kind === 'spaces'
      ? `Line ${near.first} differs only in white space, quotes or dashes`
      : `The nearest text begins at line ${near.first}`;
  return new HandsError(
    'text_not_found',
    `old_text is not in ${file}. ${how}. Copy it exactly, without the line numbers:\n${near.text}`,
  );
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

/** A change that the log has, with the present content of its file. */
interface Made {
  readonly kept: KeptChange;
  readonly after: FileContent | null;
}

/** Records a change, and makes it. An earlier attempt of the call may have made it already. */
async function change(job: HandsJob, { path, before, after }: Change): Promise<Made> {
  const { kit, context, hands } = job;
  const made = knownChange(job, before);
  if (made !== null) return { kept: made, after: before };
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
    if (isRefusal(error)) kit.changes.drop(kept.number);
    throw error;
  }
  return { kept, after: content };
}

const hashOf = (content: FileContent | null): string | null => content?.sha256 ?? null;
const dataOf = (content: FileContent | null): Buffer | null => content?.data ?? null;

/** The text of a content for people and the model. Bytes that are not text are shown as if they were. */
const textOf = (data: Buffer | null): string | null =>
  data === null ? null : withoutMark((codecOf(data) ?? UTF_8).decode(data));

function verbOf(before: Buffer | null, afterSha256: string | null): string {
  if (before === null) return 'written';
  return afterSha256 === null ? 'removed' : 'changed';
}

const headOf = ({ path, before, afterSha256, number }: KeptChange): string =>
  `${path} is ${verbOf(before, afterSha256)} (change ${number})`;

/** The end of a call that wrote a whole file, in one line: the model has just written its content. */
function written({ kept, after }: Made, note: string): HandsEnd {
  const text = textOf(dataOf(after)) ?? '';
  const lines = text.split('\n').length - (text === '' || text.endsWith('\n') ? 1 : 0);
  return endOf(
    { kept, after },
    `${headOf(kept)}: ${lines} ${lines === 1 ? 'line' : 'lines'}, ${after?.size ?? 0} bytes.${note}`,
  );
}

/** The end of a call that changed a part of a file, with the difference. */
function edited({ kept, after }: Made): HandsEnd {
  const diff = toLf(unifiedDiff(kept.path, textOf(kept.before), textOf(dataOf(after))));
  return endOf({ kept, after }, `${headOf(kept)}.\n${withoutMiddle(diff.slice(diff.indexOf('@@')), DIFF_SHOWN_CHARS)}`);
}

function endOf({ kept, after }: Made, text: string): HandsEnd {
  const { path, number, before, afterSha256, beforeSha256 } = kept;
  const isSame = afterSha256 === beforeSha256;
  const report = { path, diff: unifiedDiff(path, textOf(before), textOf(dataOf(after))), bytes: after?.size ?? 0 };
  return { outcome: okay(isSame ? `${path} has this content already.` : text), report: { ...report, change: number } };
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
  const end = edited(await change(job, { path: kept.path, before: present, after: kept.before }));
  return { ...end, report: { ...end.report, undoes: number } };
}
