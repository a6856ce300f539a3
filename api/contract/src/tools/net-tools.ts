import { z } from 'zod';
import { OUTSIDE_AGENT_NAME_MAX_CHARS } from '../values/egress.ts';
import type { VillageTool } from './tool.ts';

const URL_MAX_CHARS = 4_096;
const HEADERS_MAX = 32;
const HEADER_MAX_CHARS = 4_096;
const REQUEST_BODY_MAX_CHARS = 200_000;
export const HTTP_SECONDS_MAX = 120;
const QUERY_MAX_CHARS = 400;
export const SEARCH_RESULTS_MAX = 20;
const FILL_MAX_CHARS = 20_000;
const OUTSIDE_MESSAGE_MAX_CHARS = 16_000;
const OUTSIDE_ID_MAX_CHARS = 200;
const REF = /^(f\d{1,4})?e\d{1,6}$/;

const Url = z
  .url({ protocol: /^https?$/, message: 'write an address that begins with http:// or https://' })
  .max(URL_MAX_CHARS);

export const HTTP_METHODS = ['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
/** Methods that do not change anything on the server. */
const READING: readonly string[] = ['GET', 'HEAD', 'OPTIONS'];

const Http = z.strictObject({
  method: z.enum(HTTP_METHODS).default('GET'),
  url: Url,
  headers: z
    .record(
      z
        .string()
        .max(100)
        .regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/, 'write the name of a header'),
      z
        .string()
        .max(HEADER_MAX_CHARS)
        .regex(/^[\t\x20-\x7e\x80-\xff]*$/, 'write the header on one line'),
    )
    .refine((headers) => Object.keys(headers).length <= HEADERS_MAX, `write at most ${HEADERS_MAX} headers`)
    .default({}),
  body: z.string().max(REQUEST_BODY_MAX_CHARS).optional(),
  timeout_s: z.int().min(1).max(HTTP_SECONDS_MAX).default(30),
});
const WebFetch = z.strictObject({ url: Url });
const WebSearch = z.strictObject({
  query: z.string().trim().min(1).max(QUERY_MAX_CHARS),
  count: z.int().min(1).max(SEARCH_RESULTS_MAX).default(8),
});

const CallAgent = z.strictObject({
  agent: z.string().min(1).max(OUTSIDE_AGENT_NAME_MAX_CHARS),
  message: z.string().trim().min(1).max(OUTSIDE_MESSAGE_MAX_CHARS).optional().describe('Work in words, or a reply'),
  task: z.string().min(1).max(OUTSIDE_ID_MAX_CHARS).optional().describe('Task to answer with message, or to read'),
});

const sends = z
  .boolean()
  .default(false)
  .describe('True to let the page send something: a form, a sign-in, an order. Without it such requests are held back');
const ref = z
  .string()
  .regex(REF, 'write the ref of an element as the page shows it, for example e12')
  .describe('Element, as the page shows it: e12');
const BrowserOpen = z.strictObject({
  url: Url,
  timeout_s: z.int().min(1).max(60).default(30).describe('Seconds to wait for the page to start loading'),
  sends,
});
const BrowserRead = z.strictObject({
  show: z
    .enum(['elements', 'text'])
    .default('elements')
    .describe('elements: what can be used, with refs. text: the words of the page'),
  tab: z.int().min(1).max(100).optional().describe('Tab to change to, as the list of tabs numbers it'),
});
const BrowserClick = z.strictObject({ ref, sends });
const BrowserFill = z.strictObject({
  ref,
  value: z.string().max(FILL_MAX_CHARS).describe('Text of a field, or the option of a list'),
  submit: z.boolean().default(false).describe('True to press Enter in the field afterwards'),
  sends,
});
const BrowserScreenshot = z.strictObject({
  full_page: z.boolean().default(false).describe('The whole page, at most 8,000 pixels of it; else what is visible'),
});
const BrowserDownload = z
  .strictObject({ ref: ref.optional(), url: Url.optional() })
  .refine((value) => (value.ref === undefined) !== (value.url === undefined), 'write ref or url');

function httpSends(value: unknown): boolean {
  const { data } = Http.safeParse(value);
  return data === undefined || !READING.includes(data.method) || (data.body ?? '') !== '';
}

function pageSends(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'sends' in value && value.sends !== false;
}

const outward = { class: 'network', runs: 'hands' } as const;
const requesting = { ...outward, rate: 'web_request' } as const;
const browsing = { ...outward, effect: 'verify', rate: 'browser', memory: '2Gi' } as const;

/** The tools for network access. They run in the hands, and all their traffic passes the broker. */
export const NET_TOOLS = {
  http: {
    ...requesting,
    effect: 'verify',
    sends: httpSends,
    input: Http,
    description:
      'Send one HTTP request, for APIs. It follows no redirect. GET, HEAD and OPTIONS read; other methods, and a body, send something and may have to be allowed by a person.',
  },
  web_fetch: {
    ...requesting,
    effect: 'idempotent',
    input: WebFetch,
    description:
      'Read a web page, document or text. Runs no scripts: if the text is missing and you have a browser, use browser_open.',
  },
  web_search: {
    ...outward,
    effect: 'idempotent',
    rate: 'web_search',
    input: WebSearch,
    description: 'Search the web. Read a result with web_fetch before you rely on it.',
  },
  call_agent: {
    ...requesting,
    effect: 'verify',
    sends: () => true,
    input: CallAgent.refine(
      ({ message, task }) => message !== undefined || task !== undefined,
      'write message or task',
    ),
    description: 'Give work to an agent of another system, reply to its task, or read its task.',
  },
  browser_open: {
    ...browsing,
    sends: pageSends,
    input: BrowserOpen,
    description:
      'Open a page in the browser of this run, and see its elements by role and name, each with a ref. The browser stays open until the run ends.',
  },
  browser_read: {
    ...browsing,
    effect: 'idempotent',
    input: BrowserRead,
    description: 'Look at the present page of the browser again: its elements with refs, or its text. Lists the tabs.',
  },
  browser_click: {
    ...browsing,
    sends: pageSends,
    input: BrowserClick,
    description: 'Click an element of the page.',
  },
  browser_fill: {
    ...browsing,
    sends: pageSends,
    input: BrowserFill,
    description: 'Fill in a field of the page, choose an option, or check a box (value true or false).',
  },
  browser_screenshot: {
    ...browsing,
    effect: 'idempotent',
    input: BrowserScreenshot,
    description: 'Take a picture of the page for people. You cannot see it yourself.',
  },
  browser_download: {
    ...browsing,
    input: BrowserDownload,
    description: 'Download a file into /workspace/downloads, by the link of a page or by its address.',
  },
} as const satisfies Readonly<Record<string, VillageTool>>;
