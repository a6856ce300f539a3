import type { AgentConfig } from '@hamlet/contract';
import { placeholderOf } from '@hamlet/contract/resident';
import { readJson } from '@hamlet/core/read-json';
import { z } from 'zod';
import { handsTool, type HandsEnd, type HandsKit } from '../hands/hands-tool.ts';
import { keptOutput } from '../hands/job-process.ts';
import type { EndedProcess } from '../hands/process-record.ts';
import { failed, fromOutside } from '../tools/tool-kit.ts';
import type { FetchInput } from './program-facts.ts';
import { fetchInHands, type Fetched } from './web.ts';

export type SearchService = NonNullable<AgentConfig['search']>;

const SEARCH_SECONDS = 20;
/** Maximum bytes of one answer, because JSON must be read as a whole. */
const ANSWER_BYTES = 400_000;
const TITLE_MAX_CHARS = 300;
const EXCERPT_MAX_CHARS = 500;

interface Found {
  readonly title: string;
  readonly url: string;
  readonly excerpt: string;
}

const words = z.string().nullish();
const Searxng = z
  .object({ results: z.array(z.object({ title: words, url: words, content: words })).max(1_000) })
  .transform(({ results }) => results.map(({ content, ...rest }) => ({ ...rest, excerpt: content })));
const Brave = z
  .object({
    web: z
      .object({ results: z.array(z.object({ title: words, url: words, description: words })).max(1_000) })
      .default({ results: [] }),
  })
  .transform(({ web }) => web.results.map(({ description, ...rest }) => ({ ...rest, excerpt: description })));

type Query = Readonly<{ query: string; count: number }>;

/** The request of a search. The broker replaces the placeholder of the key with its value. Pure. */
export function searchRequest({ kind, url: address, secret }: SearchService, { query, count }: Query): FetchInput {
  const url = new URL(address);
  url.searchParams.set('q', query);
  if (kind === 'searxng') url.searchParams.set('format', 'json');
  else url.searchParams.set('count', String(count));
  const key = secret === null ? {} : { 'x-subscription-token': placeholderOf(secret) };
  const headers = { accept: 'application/json', ...(kind === 'brave' ? key : {}) };
  const timeoutMs = SEARCH_SECONDS * 1_000;
  return { method: 'GET', url: url.href, headers, asPage: false, maxBytes: ANSWER_BYTES, timeoutMs };
}

export function resultsIn(kind: SearchService['kind'], answer: string, count: number): readonly Found[] | null {
  const parsed = (kind === 'searxng' ? Searxng : Brave).safeParse(readJson(answer));
  if (!parsed.success) return null;
  return parsed.data
    .flatMap(({ title, url, excerpt }) => {
      if (url === null || url === undefined || !/^https?:\/\//.test(url)) return [];
      return [{ title: plain(title, TITLE_MAX_CHARS), url, excerpt: plain(excerpt, EXCERPT_MAX_CHARS) }];
    })
    .slice(0, count);
}

/** Text on one line, without the tags with which services highlight matches. */
const plain = (text: string | null | undefined, most: number): string =>
  (text ?? '')
    .replaceAll(/<\/?(strong|b|em|mark)>/gi, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .slice(0, most)
    .toWellFormed();

export const webSearch = (kit: HandsKit, service: SearchService) =>
  handsTool(kit, 'web_search', {
    timeoutMs: SEARCH_SECONDS * 1_000 + 15_000,
    perform: async (query, job) => {
      let record: EndedProcess | undefined;
      let facts: Fetched | undefined;
      const end = await fetchInHands(job, searchRequest(service, query), (fetched, ended) => {
        [facts, record] = [fetched, ended];
        return { outcome: fromOutside(''), report: {} };
      });
      if (facts === undefined || record === undefined) return end;
      return endOf({ service, query, facts }, (await keptOutput(job, record, ANSWER_BYTES)).toString());
    },
  });

interface Searched {
  readonly service: SearchService;
  readonly query: Query;
  readonly facts: Fetched;
}

function endOf({ service, query, facts }: Searched, answer: string): HandsEnd {
  const report = { bytes: facts.bytes };
  if (facts.status === 401 || facts.status === 403)
    return {
      outcome: failed('search_refused', "The search service refuses the village's key: ask an admin to correct it."),
      report,
    };
  if (facts.status === 429)
    return {
      outcome: failed('search_busy', 'The search service answers no more requests now. Try again later.'),
      report,
    };
  const found = facts.status === 200 && !facts.isCut ? resultsIn(service.kind, answer, query.count) : null;
  if (found === null) {
    const why = `The search service answered with the status ${facts.status}, and no results that can be read.`;
    return { outcome: failed('search_failed', why), report };
  }
  const lines = found.map(({ title, url, excerpt }, index) => `[${index + 1}] ${title || url}\n${url}\n${excerpt}`);
  return { outcome: fromOutside(lines.join('\n\n') || 'Nothing was found.'), report };
}
