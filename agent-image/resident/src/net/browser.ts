import { randomUUID } from 'node:crypto';
import type { HandsToolName } from '@hamlet/contract';
import type { Tool, ToolOutcome } from '@hamlet/engine';
import { z } from 'zod';
import { artifactNameOf } from '../artifacts/keep-artifact.ts';
import { HandsError, type HandsClient } from '../hands/hands-client.ts';
import { handsTool, type HandsEnd, type HandsInput, type HandsJob, type HandsKit } from '../hands/hands-tool.ts';
import { endedProcess, runProcess, unlessAbsent } from '../hands/job-process.ts';
import { FilePart, ProcessRecord, type EndedProcess } from '../hands/process-record.ts';
import { numberOf, shownOutput } from '../hands/shown-output.ts';
import { endProcess, startProcess } from '../hands/start-process.ts';
import { failed, fromOutside } from '../tools/tool-kit.ts';
import { BrowserFacts, factsOf, programArgv } from './program-facts.ts';
import type { BrowserOperation, BrowserRequest } from './programs/browser/messages.ts';

const CALL_MS = 210_000;
const SESSION_MS = 7_200_000;
const SESSIONS_MAX = 20;
/** Maximum number of browsers that run at the same time, for all runs: a tier with 2Gi has the memory for two heavy pages. */
const AT_ONCE_MAX = 2;
const SESSIONS = '/tmp/hamlet-browser';
const PART_BYTES = 512 << 10;
const PICTURE_MAX_BYTES = 5 << 20;

const folderOf = (run: string): string => `${SESSIONS}/${run}`;

const Processes = z.object({ processes: z.array(ProcessRecord) });

async function allSessions(hands: HandsClient): Promise<readonly ProcessRecord[]> {
  const { processes } = await hands.ask('list', {}, Processes);
  return processes.filter(({ process }) => /^[^.]+\.browser\./.test(process));
}

const isOf =
  (run: string) =>
  ({ process }: ProcessRecord): boolean =>
    process.startsWith(`${run}.`);
const isRunning = ({ exit }: ProcessRecord): boolean => exit === undefined;

/** Faults that make the browser unusable: the next call starts another. */
const FATAL: ReadonlySet<string> = new Set(['page_hangs', 'browser_out_of_memory', 'browser_ended', 'no_browser']);

async function endSessions({ hands, context: { run } }: HandsJob): Promise<void> {
  const running = (await allSessions(hands)).filter(isOf(run)).filter(isRunning);
  for (const { process } of running) await endProcess(hands, process, 0);
}

/** Starts the run's browser unless it is running. It belongs to the run, and ends with it. */
async function ensureSession({ hands, kit, context: { run, call } }: HandsJob): Promise<void> {
  const all = await allSessions(hands);
  const sessions = all.filter(isOf(run));
  if (sessions.some(isRunning)) return;
  if (all.filter(isRunning).length >= AT_ONCE_MAX)
    throw new HandsError(
      'too_many_browsers',
      'Other runs of yours use the browser: use web_fetch, or try again later.',
    );
  if (sessions.length >= SESSIONS_MAX)
    throw new HandsError('browser_ended', `The browser of this run has ended ${SESSIONS_MAX} times: use web_fetch.`);
  const id = `${run}.browser.${randomUUID().slice(0, 8)}`;
  const argv = programArgv('browser/session.ts', folderOf(run), kit.workspace);
  const limits = { timeoutMs: SESSION_MS };
  await startProcess(hands, { id, place: { run, call }, argv, cwd: kit.workspace, limits }, kit.environmentOf);
}

type Seen = Extract<BrowserFacts, { ok: true }>;
type Finish = (job: HandsJob, seen: Seen, record: EndedProcess) => Promise<HandsEnd>;

interface BrowserWork<Input> {
  readonly operationOf: (input: Input) => BrowserOperation;
  readonly finish: Finish;
}
/** A browser tool: the operation of its input, and the result of its call. */
function browserTool<N extends HandsToolName>(
  kit: HandsKit,
  name: N,
  { operationOf, finish }: BrowserWork<HandsInput<N>>,
): Tool {
  const endOf = async (job: HandsJob, record: EndedProcess): Promise<HandsEnd> => {
    if (record.exit.cause === 'killed')
      return { outcome: { kind: 'unknown', text: 'The call was ended before the page had answered.' }, report: {} };
    const facts = factsOf(record, BrowserFacts);
    if (facts.ok) return finish(job, facts, record);
    if (FATAL.has(facts.code)) await endSessions(job);
    return { outcome: failed(facts.code, facts.message), report: {} };
  };
  return handsTool(kit, name, {
    timeoutMs: CALL_MS,
    perform: async (input, job) => {
      await ensureSession(job);
      const { run, call } = job.context;
      const request: BrowserRequest = { folder: folderOf(run), run, call, operation: operationOf(input) };
      const program = { argv: programArgv('browser/call.ts'), stdin: JSON.stringify(request), timeoutMs: CALL_MS };
      return endOf(job, await runProcess(job, program));
    },
    recover: async (_input, job) => {
      const record = await unlessAbsent(endedProcess(job));
      return record === null ? null : endOf(job, record);
    },
  });
}

const reportOf = ({ opened }: Seen): HandsEnd['report'] => ({
  opened: opened.map((page) => ({ ...page, at: new Date().toISOString() })),
});

const showPage: Finish = async (_job, seen, { process, stdout }) => {
  const { url, title, held, tabs } = seen;
  const others =
    tabs.length < 2
      ? ''
      : tabs
          .map((tab, index) => `\nTab ${index + 1}${tab.current ? ' (this one)' : ''}: ${tab.title} ${tab.url}`)
          .join('');
  const text = shownOutput(stdout, { process: numberOf(process), name: 'stdout' });
  const shown = `${title}\n${url}${others}${heldNote(held)}\n\n${text}`;
  return { outcome: fromOutside(shown), report: { ...reportOf(seen), bytes: stdout?.bytes ?? 0 } };
};

const heldNote = (held: number): string =>
  held === 0
    ? ''
    : `\n[${held} requests that would send something were held back. If that is what you want, repeat the call with sends.]`;

/** The picture becomes an artifact of the call, which people see. */
const keepPicture: Finish = async (job, seen) => {
  const { kit, context } = job;
  if (seen.file === null)
    return { outcome: failed('no_picture', 'The browser made no picture.'), report: reportOf(seen) };
  const bytes = await readFile(job, 'screenshot.jpg');
  if (bytes.length < seen.file.bytes)
    return {
      outcome: failed('picture_too_large', 'The picture is too large: leave full_page out.'),
      report: reportOf(seen),
    };
  const name = artifactNameOf(`${seen.title || 'page'}.jpg`, 'screenshot.jpg');
  const made = { name, mediaType: 'image/jpeg', bytes, signal: context.signal };
  const answer = await kit.keepArtifact(context.run, context.call, made);
  const outcome: ToolOutcome =
    answer.kind === 'ok'
      ? fromOutside(`People see the picture of ${seen.url} as ${name} (artifact ${answer.value.artifact_id}).`)
      : failed(answer.code, answer.detail);
  return { outcome, report: { ...reportOf(seen), bytes: bytes.length } };
};

async function readFile({ hands, context }: HandsJob, path: string): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Buffer[] = [];
  for (let [offset, size] = [0, 1]; offset < size && offset < PICTURE_MAX_BYTES; offset += PART_BYTES) {
    const part = await hands.ask('fs.read', { root: folderOf(context.run), path, offset, bytes: PART_BYTES }, FilePart);
    parts.push(part.data);
    ({ size } = part);
  }
  return new Uint8Array(Buffer.concat(parts));
}

const showFile: Finish = async (_job, seen) => {
  const { file } = seen;
  if (file === null) return { outcome: failed('no_download', 'Nothing was saved.'), report: reportOf(seen) };
  const text = `The file is saved as ${file.path}, ${file.bytes} bytes. It comes from outside: inspect it before you run or open it.`;
  return { outcome: fromOutside(text), report: { ...reportOf(seen), path: file.path, bytes: file.bytes } };
};

export const browserTools = (kit: HandsKit): readonly Tool[] => [
  browserTool(kit, 'browser_open', {
    operationOf: ({ url, sends, timeout_s: seconds }) => ({ op: 'open', url, sends, timeoutMs: seconds * 1_000 }),
    finish: showPage,
  }),
  browserTool(kit, 'browser_read', {
    operationOf: ({ show, tab }) => ({ op: 'read', show, tab }),
    finish: showPage,
  }),
  browserTool(kit, 'browser_click', {
    operationOf: ({ ref, sends }) => ({ op: 'click', ref, sends }),
    finish: showPage,
  }),
  browserTool(kit, 'browser_fill', {
    operationOf: (input) => ({ op: 'fill', ...input }),
    finish: showPage,
  }),
  browserTool(kit, 'browser_screenshot', {
    operationOf: ({ full_page: fullPage }) => ({ op: 'screenshot', fullPage }),
    finish: keepPicture,
  }),
  browserTool(kit, 'browser_download', {
    operationOf: ({ ref, url }) => ({ op: 'download', ref, url }),
    finish: showFile,
  }),
];
