import { PROGRAM_TOOL_PREFIX, PROGRAM_WORDS, programClaimOf } from '@hamlet/contract';
import type { ProgramClaim, RunCallDetail, RunDelta, RunEvent, RunModelDetail } from '@hamlet/contract';
import { mindIn, mindLabel } from '@hamlet/core/mind';
import { printable } from './printable.ts';
import { brief } from '../table.ts';

const TEXT_CHARS = 160;

const short = (text: unknown): string =>
  text === null || text === undefined
    ? ''
    : brief(printable(typeof text === 'string' ? text : JSON.stringify(text)), TEXT_CHARS);

type Detail = Readonly<Record<string, unknown>>;
type Other = Exclude<RunEvent['event'], `model_${string}` | `call_${string}`>;

function withMind(detail: Detail): string {
  const mind = mindIn(detail);
  return mind === null ? '' : ` with ${printable(mindLabel(mind))}`;
}

/** The line of each kind of event with a free-form detail; null for a kind that prints nothing. */
const LINES: Readonly<Record<Other, ((detail: Detail) => string) | null>> = {
  queued: () => 'waits for the agent',
  started: (detail) => `started${withMind(detail)}`,
  redelivered: (detail) => `given to the agent again${withMind(detail)}`,
  step: (detail) => `step: ${short(detail)}`,
  cancel_requested: ({ reason }) => `is to be cancelled ${short(reason)}`.trimEnd(),
  lapsed: () => 'the agent is gone: waits for it again',
  settled: null,
  permission_asked: ({ tool, permission_id: id }) => `asks for permission: ${short(tool)} (${short(id)})`,
  permission_answered: ({ tool, state }) => `permission ${short(state)}: ${short(tool)}`,
  permission_expired: ({ tool }) => `permission expired: ${short(tool)}`,
  waiting: () => 'waits for a person',
  budget_warned: ({ code }) => `near its limit: ${short(code)}`,
  budget_raised: () => 'continues with greater limits',
  interrupted: () => 'interrupted',
  stage_begun: ({ stage }) => `stage begins: ${short(stage)}`,
  stage_ended: ({ stage, end }) => `stage ${short(end)}: ${short(stage)}`,
};

/** A call as it begins; for a program that is the agent's mind, its own words about its work. */
function beginningOf(detail: RunCallDetail): string {
  const claim = programClaimOf(detail);
  return claim === null ? `${short(detail.tool)} ${short(detail.arguments_text)}` : claimWords(claim);
}

function endOf(detail: RunCallDetail): string {
  const { tool, outcome, result_text: text } = detail;
  const claim = programClaimOf(detail);
  if (claim !== null) return `${claimWords(claim)}, ${short(outcome)}`;
  return `${short(tool)} ${short(outcome)}${text === null ? '' : `: ${short(text)}`}`;
}

function claimWords({ kind, title, plan }: ProgramClaim): string {
  if (kind === 'install') return short(title);
  const done = plan.filter(({ status }) => status === 'completed').length;
  return kind === 'plan' ? `claims: plan, ${done} of ${plan.length} done` : `claims: ${kind} ${short(title)}`;
}

/** Codes of a program that is the mind of an agent: it may fail before it asks a model. */
const OF_PROGRAM = /^(?:acp|command|program)_/;

/** The engine withdraws its last request, and asks again, if a person raises the limits of the run. */
function failureLine(code: string | null): string {
  if (code === 'limits_raised') return 'a person raised the limits';
  return `the ${OF_PROGRAM.test(code ?? '') ? 'program' : 'model'} failed: ${short(code)}`;
}

/**
 * The line of an event; null if it prints nothing, like answers of the model, which are printed as they stream. Pure.
 */
function runLine(event: RunEvent): string | null {
  switch (event.event) {
    case 'model_asked':
    case 'model_answered':
      return null;
    case 'model_failed':
      return failureLine(event.detail.code);
    case 'call_begun':
      return `→ ${beginningOf(event.detail)}`.trimEnd();
    case 'call_settled':
      return `← ${endOf(event.detail)}`;
    case 'call_unknown':
      return `? ${short(event.detail.tool)}: it is unknown whether it happened`;
    default:
      return LINES[event.event]?.(event.detail) ?? null;
  }
}

/**
 * Prints words as they stream and events as lines between them. Mutable: it remembers the streamed part of the current
 * answer and prints the rest from the stored answer, because deltas may be lost.
 */
export class Transcript {
  readonly #write: (text: string) => void;
  readonly #isReplay: boolean;
  #answer = { run: '', ask: -1, attempt: -1, printed: '' };
  #isMidLine = false;
  /** Calls under way. Two events report the start of a call that the API admits: the agent's and the API's. */
  readonly #open = new Set<string>();

  /** @param isReplay true if no words stream, so that those of a program come from its events */
  constructor(write: (text: string) => void, isReplay = false) {
    this.#write = write;
    this.#isReplay = isReplay;
  }

  line(text: string): void {
    this.#endLine();
    this.#write(`${text}\n`);
  }

  delta({ run_id: run, ask, attempt, text }: RunDelta): void {
    this.#begin({ run, ask, attempt });
    this.#answer.printed += text;
    this.#words(text);
  }

  event(event: RunEvent): void {
    if (event.event === 'model_answered') this.#complete(event.run_id, event.detail);
    if (event.event === 'call_settled' && event.detail.tool === PROGRAM_WORDS) return this.#said(event.detail);
    const line = this.#isRepeated(event) ? null : runLine(event);
    if (line !== null) this.line(`  ${line}`);
  }

  #said(detail: RunCallDetail): void {
    const words = programClaimOf(detail)?.output ?? '';
    if (this.#isReplay && words !== '') this.line(printable(words));
  }

  #isRepeated(event: RunEvent): boolean {
    const call = `${event.run_id} ${String((event.detail as Detail)['call_id'])}`;
    if (event.event === 'call_settled' || event.event === 'call_unknown') this.#open.delete(call);
    if (event.event !== 'call_begun') return false;
    const isOpen = this.#open.has(call);
    this.#open.add(call);
    // Each part of an installation is news.
    return isOpen && event.detail.tool !== `${PROGRAM_TOOL_PREFIX}install`;
  }

  /** Prints a stored answer unless it has streamed completely. */
  answer(text: string): void {
    if (this.#answer.printed.trim() !== text.trim()) this.line(printable(text));
    else this.#endLine();
    this.#answer = { run: '', ask: -1, attempt: -1, printed: '' };
  }

  #complete(run: string, { ask, attempt, text }: RunModelDetail): void {
    if (text === null || text === '') return;
    this.#begin({ run, ask, attempt });
    const { printed } = this.#answer;
    if (text === printed) return;
    if (text.startsWith(printed)) this.#words(text.slice(printed.length));
    else this.line(printable(text));
    this.#answer.printed = text;
  }

  /** A new attempt replaces the text of the previous one. */
  #begin({ run, ask, attempt }: { readonly run: string; readonly ask: number; readonly attempt: number }): void {
    const { run: lastRun, ask: lastAsk, attempt: lastAttempt } = this.#answer;
    if (run === lastRun && ask === lastAsk && attempt === lastAttempt) return;
    if (run === lastRun && ask === lastAsk && this.#answer.printed !== '') this.line(' … again:');
    else this.#endLine();
    this.#answer = { run, ask, attempt, printed: '' };
  }

  #endLine(): void {
    if (this.#isMidLine) this.#write('\n');
    this.#isMidLine = false;
  }

  #words(text: string): void {
    this.#write(printable(text));
    this.#isMidLine = !text.endsWith('\n');
  }
}
