import { HTTP_SECONDS_MAX } from '@hamlet/contract/resident';
import { handsTool, type HandsEnd, type HandsJob, type HandsKit } from '../hands/hands-tool.ts';
import { endedProcess, runProcess, unlessAbsent } from '../hands/job-process.ts';
import type { EndedProcess } from '../hands/process-record.ts';
import { numberOf, shownOutput } from '../hands/shown-output.ts';
import { failed, fromOutside } from '../tools/tool-kit.ts';
import { factsOf, FetchFacts, programArgv, type FetchInput } from './program-facts.ts';

const PAGE_SECONDS = 60;
const READ_BYTES = 10 << 20;
const SLACK_MS = 15_000;

export type Fetched = Extract<FetchFacts, { ok: true }>;

export async function fetchInHands(
  job: HandsJob,
  input: FetchInput,
  endOf: (facts: Fetched, record: EndedProcess) => HandsEnd,
): Promise<HandsEnd> {
  const timeoutMs = input.timeoutMs + SLACK_MS;
  return endOfFetch(
    await runProcess(job, { argv: programArgv('fetch.ts'), stdin: JSON.stringify(input), timeoutMs }),
    endOf,
  );
}

function endOfFetch(record: EndedProcess, endOf: (facts: Fetched, record: EndedProcess) => HandsEnd): HandsEnd {
  if (record.exit.cause === 'killed')
    return { outcome: { kind: 'unknown', text: 'The request was ended before its answer.' }, report: {} };
  const facts = factsOf(record, FetchFacts);
  return facts.ok ? endOf(facts, record) : { outcome: failed(facts.code, facts.message), report: {} };
}

type HttpInput = Readonly<{
  method: string;
  url: string;
  headers: Record<string, string>;
  body?: string | undefined;
  timeout_s: number;
}>;

const http = (kit: HandsKit) =>
  handsTool(kit, 'http', {
    timeoutMs: HTTP_SECONDS_MAX * 1_000 + SLACK_MS,
    perform: ({ method, url, headers, body, timeout_s: seconds }: HttpInput, job) =>
      fetchInHands(
        job,
        { method, url, headers, body, asPage: false, maxBytes: READ_BYTES, timeoutMs: seconds * 1_000 },
        endOfHttp,
      ),
    recover: async (_input, job) => {
      const record = await unlessAbsent(endedProcess(job));
      return record === null ? null : endOfFetch(record, endOfHttp);
    },
  });

function endOfHttp(facts: Fetched, { process, stdout }: EndedProcess): HandsEnd {
  const body = shownOutput(stdout, { process: numberOf(process), name: 'stdout' });
  const shown = facts.isText ? body : `[The body is not text: ${facts.bytes} bytes. Save it with curl in the shell.]`;
  const text = `HTTP status ${facts.status}${cutNote(facts)}\n${facts.headers}\n\n${shown}`;
  return { outcome: fromOutside(text), report: reportOf(facts) };
}

const webFetch = (kit: HandsKit) =>
  handsTool(kit, 'web_fetch', {
    timeoutMs: PAGE_SECONDS * 1_000 + SLACK_MS,
    perform: ({ url }, job) =>
      fetchInHands(
        job,
        { method: 'GET', url, headers: {}, asPage: true, maxBytes: READ_BYTES, timeoutMs: PAGE_SECONDS * 1_000 },
        endOfPage,
      ),
  });

function endOfPage(facts: Fetched, { process, stdout }: EndedProcess): HandsEnd {
  const { status, url, title, contentType, isText, bytes } = facts;
  if (!isText) {
    const why = `${url} is ${contentType || 'not text'}, ${bytes} bytes or more: it cannot be read as text. Download it with browser_download or curl.`;
    return { outcome: failed('not_text', why), report: reportOf(facts) };
  }
  const text = shownOutput(stdout, { process: numberOf(process), name: 'stdout' });
  const head = [title === '' ? url : `${title}\n${url}`, status === 200 ? '' : `HTTP status ${status}`].filter(Boolean);
  const shown = `${head.join('\n')}${cutNote(facts)}\n\n${text.trim() === '' ? 'The page has no text without its scripts: use browser_open.' : text}`;
  return { outcome: fromOutside(shown), report: reportOf(facts) };
}

const cutNote = ({ isCut, bytes }: Fetched): string =>
  isCut ? `\n[Only a part was read: the answer has ${bytes} bytes or more.]` : '';

/** Facts for the log of the call; the page counts as opened. */
function reportOf({ url, title, bytes }: Fetched): HandsEnd['report'] {
  return { bytes, opened: [{ url, title, at: new Date().toISOString() }] };
}

export const webTools = (kit: HandsKit) => [http(kit), webFetch(kit)];
