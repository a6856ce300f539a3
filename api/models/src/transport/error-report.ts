/** The words of a provider's failure report, in any of the forms that servers use. */
import { z } from 'zod';

type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isWords = (value: unknown): value is string => typeof value === 'string' && value !== '';

/** True if a message with status 200 reports a failure instead of an answer. */
export function isErrorReport(body: unknown): boolean {
  if (!isFields(body)) return false;
  const { error, object, type, choices, message, detail } = body;
  if (error !== undefined && error !== null && error !== '' && error !== false) return true;
  return object === 'error' || type === 'error' || (choices === undefined && (isWords(message) || isWords(detail)));
}

/** FastAPI names each wrong field of a request. */
const Issue = z.object({ loc: z.array(z.union([z.string(), z.number()])).catch([]), msg: z.string() });

const Word = z.union([z.string(), z.number().transform(String)]).catch('');
const Details = z.object({
  message: z.unknown().optional(),
  detail: z.unknown().optional(),
  type: Word,
  code: Word,
  status: Word,
  /** The class of the failure, from the gateway of a village. */
  cause: Word,
  resets_in_seconds: z.number().nullish().catch(null),
  /** OpenRouter forwards the error text of the upstream provider. */
  metadata: z.object({ raw: z.string() }).nullish().catch(null),
});

export interface ReportWords {
  readonly message: string;
  /** Codes and types. */
  readonly words: string;
  readonly cause: string;
  readonly resetsInS: number | null;
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map(issueText).filter(isWords).join('; ');
  return isFields(value) ? textOf(value['message'] ?? value['msg'] ?? '') : '';
}

function issueText(value: unknown): string {
  const issue = Issue.safeParse(value);
  if (!issue.success) return textOf(value);
  return [issue.data.loc.join('.'), issue.data.msg].filter(isWords).join(': ');
}

/** The part of a report with the words: `{"error": …}`, `{"detail": …}`, `{"errors": …}`, a list of one, or the report itself. */
function innerOf(body: unknown): unknown {
  const [first] = Array.isArray(body) ? (body as readonly unknown[]) : [body];
  if (!isFields(first)) return first;
  return (
    [first['error'], first['detail'], first['errors']].find((part) => isFields(part) || textOf(part) !== '') ?? first
  );
}

/** The words of a report in any form; empty texts if it has none. Pure. */
export function wordsOf(body: unknown): ReportWords {
  const inner = innerOf(body);
  const outer = detailsOf(body);
  if (!isFields(inner))
    return { message: textOf(inner), words: `${outer.code} ${outer.type}`, cause: '', resetsInS: null };
  const own = detailsOf(inner);
  const message = [own.message, own.detail, outer.message].map(textOf).find(isWords) ?? '';
  return {
    message: own.metadata ? `${message}: ${own.metadata.raw}` : message,
    words: `${own.code} ${own.type} ${own.status}`,
    cause: own.cause,
    resetsInS: own.resets_in_seconds ?? null,
  };
}

const detailsOf = (value: unknown): z.infer<typeof Details> => Details.parse(isFields(value) ? value : {});
