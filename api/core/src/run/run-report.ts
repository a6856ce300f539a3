import type { RunEvent, RunState } from '@hamlet/contract';
import { inOneLine, shorten } from '../values/shorten.ts';
import { isSettled } from './decide-run.ts';

/** A report is replaced after this many milliseconds or steps, whichever comes first. A shorter run has none. */
const REPORT_EVERY_MS = 300_000;
const REPORT_EVERY_STEPS = 20;
/** Maximum number of tools, and of failed calls, in a report. */
const TOOLS_MAX = 12;
const FAILURES_MAX = 8;
const RESULT_MAX_CHARS = 160;

/** The newest report of a run, and the run now. `reportedAtMs`: the start of the run before its first report. */
interface ReportDue {
  readonly nowMs: number;
  readonly reportedAtMs: number;
  readonly steps: number;
  readonly reportedSteps: number;
}

/** True if a new report of a running run is due. Pure. */
export function isReportDue({ nowMs, reportedAtMs, steps, reportedSteps }: ReportDue): boolean {
  return nowMs - reportedAtMs >= REPORT_EVERY_MS || steps - reportedSteps >= REPORT_EVERY_STEPS;
}

export interface ReportFacts {
  readonly state: RunState;
  readonly steps: number;
  readonly totals: readonly { readonly tool: string; readonly outcome: string; readonly calls: number }[];
  readonly recent: readonly RunEvent[];
}

type CallEvent = Extract<RunEvent, { event: 'call_begun' | 'call_settled' | 'call_unknown' }>;

/** The report of a run from its events: calls with results, the present act, and failed calls. Pure. */
export function reportText(facts: ReportFacts): string {
  return [doneLines(facts), `Now: ${presentOf(facts)}`, failedLines(facts)].filter((part) => part !== '').join('\n\n');
}

const counted = (count: number, one: string): string => `${count} ${one}${count === 1 ? '' : 's'}`;

function doneLines({ steps, totals, recent }: ReportFacts): string {
  const done = totals.filter(({ outcome }) => outcome === 'ok');
  const calls = done.reduce((sum, total) => sum + total.calls, 0);
  const lines = done.slice(0, TOOLS_MAX).map(({ tool, calls: times }) => {
    const result = lastResult(recent, tool);
    return `- ${tool}: ${times}${result === '' ? '' : `; last: ${result}`}`;
  });
  const rest = done.length - lines.length;
  const more = rest > 0 ? [`- and ${counted(rest, 'more tool')}`] : [];
  return [`Done: ${counted(steps, 'step')}, ${counted(calls, 'call')}`, ...lines, ...more].join('\n');
}

const callsIn = (events: readonly RunEvent[]): readonly CallEvent[] =>
  events.filter(
    (event): event is CallEvent =>
      event.event === 'call_begun' || event.event === 'call_settled' || event.event === 'call_unknown',
  );

function lastResult(recent: readonly RunEvent[], tool: string): string {
  const last = callsIn(recent).findLast(
    ({ event, detail }) => event === 'call_settled' && detail.outcome === 'ok' && detail.tool === tool,
  );
  return last === undefined ? '' : outcomeIn(last).text;
}

/** The outcome of a call. An agent claims it as JSON, the API stores plain text. */
function outcomeIn({ detail }: CallEvent): { readonly code: string; readonly text: string } {
  const stored = detail.result_text ?? '';
  const claimed = stored.startsWith('{"') ? stored : null;
  return {
    code: fieldIn(claimed, 'code') ?? detail.outcome ?? 'unknown',
    text: shortLine(claimed === null ? stored : (fieldIn(claimed, 'text') ?? '')),
  };
}

/** At most 400 characters of a JSON string, without a cut escape. */
const FIELDS = {
  code: /"code":"((?:[^"\\\p{Cc}]|\\(?:u[0-9a-f]{4}|["\\/bfnrt])){0,400})/iu,
  text: /"text":"((?:[^"\\\p{Cc}]|\\(?:u[0-9a-f]{4}|["\\/bfnrt])){0,400})/iu,
};

/** The start of a JSON string whose end may be cut off; null if there is none. */
function fieldIn(json: string | null, field: keyof typeof FIELDS): string | null {
  const found = json === null ? null : FIELDS[field].exec(json);
  return found?.[1] === undefined ? null : (JSON.parse(`"${found[1]}"`) as string);
}

const shortLine = (text: string): string => shorten(inOneLine(text), RESULT_MAX_CHARS);

/** The present state in words: the end of the run, or the person, call or model that it waits for. */
function presentOf({ state, recent }: ReportFacts): string {
  if (isSettled(state)) return `the run has ended: ${state}.`;
  if (state === 'queued') return `the run waits for ${awaitedBy(recent)}.`;
  const calls = callsIn(recent);
  if (state === 'waiting_permission') return `the run waits for a person${aboutQuestion(recent)}.`;
  const ended = new Set(calls.filter(({ event }) => event !== 'call_begun').map(({ detail }) => detail.call_id));
  const open = calls.findLast(({ event, detail }) => event === 'call_begun' && !ended.has(detail.call_id));
  return open === undefined
    ? 'the model decides on the next step.'
    : `a call of ${open.detail.tool ?? 'a tool'} is under way.`;
}

/** A parked run was queued with the code of its model's failure. */
function awaitedBy(recent: readonly RunEvent[]): string {
  const last = recent.at(-1);
  const code = last?.event === 'queued' ? last.detail['code'] : undefined;
  return typeof code === 'string' ? `its model (${code})` : 'its agent';
}

function aboutQuestion(recent: readonly RunEvent[]): string {
  const asked = recent.findLast((event) => event.event === 'permission_asked');
  const tool = asked !== undefined && 'tool' in asked.detail ? asked.detail.tool : undefined;
  return typeof tool === 'string' ? ` (${tool})` : '';
}

function failedLines({ totals, recent }: ReportFacts): string {
  const failed = totals.filter(({ outcome }) => outcome !== 'ok');
  if (failed.length === 0) return '';
  const calls = failed.reduce((sum, total) => sum + total.calls, 0);
  const newest = callsIn(recent)
    .filter(({ event, detail }) => event === 'call_settled' && detail.outcome !== 'ok')
    .slice(-FAILURES_MAX)
    .map((call) => {
      const { code, text } = outcomeIn(call);
      return `- ${call.detail.tool ?? 'a tool'} (${code})${text === '' ? '' : `: ${text}`}`;
    });
  return [`Failed: ${counted(calls, 'call')}`, ...newest].join('\n');
}
