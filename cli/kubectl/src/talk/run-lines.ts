import type { RunEvent } from '@hamlet/contract';
import { printable } from './printable.ts';
import { brief } from '../table.ts';

const TEXT_CHARS = 160;

const short = (text: unknown): string =>
  text === null || text === undefined
    ? ''
    : brief(printable(typeof text === 'string' ? text : JSON.stringify(text)), TEXT_CHARS);

type Detail = Readonly<Record<string, unknown>>;
type Other = Exclude<RunEvent['event'], `model_${string}` | `call_${string}`>;

/** A line for each kind of event with a free detail; null for a kind that has none. */
const LINES: Readonly<Record<Other, ((detail: Detail) => string) | null>> = {
  queued: () => 'waits for the agent',
  started: () => 'started',
  redelivered: () => 'given to the agent again',
  step: (detail) => `step: ${short(detail)}`,
  cancel_requested: ({ reason }) => `is to be cancelled ${short(reason)}`.trimEnd(),
  lapsed: () => 'the agent is gone: waits for it again',
  settled: null,
  permission_asked: ({ tool, permission_id: id }) => `asks for permission: ${short(tool)} (${short(id)})`,
  permission_answered: ({ tool, state }) => `permission ${short(state)}: ${short(tool)}`,
  permission_expired: ({ tool }) => `permission expired: ${short(tool)}`,
  waiting: () => 'waits for a person',
  budget_warned: ({ code }) => `near its limit: ${short(code)}`,
  interrupted: () => 'interrupted',
};

/** The line of an event; null for an event that has none: words of the model are printed as they stream. Pure. */
export function runLine(event: RunEvent): string | null {
  switch (event.event) {
    case 'model_asked':
    case 'model_answered':
      return null;
    case 'model_failed':
      return `the model failed: ${short(event.detail.code)}`;
    case 'call_begun':
      return `→ ${short(event.detail.tool)} ${short(event.detail.arguments_text)}`.trimEnd();
    case 'call_settled': {
      const { tool, outcome, result_text: text } = event.detail;
      return `← ${short(tool)} ${short(outcome)}${text === null ? '' : `: ${short(text)}`}`;
    }
    case 'call_unknown':
      return `? ${short(event.detail.tool)}: it is unknown whether it happened`;
    default:
      return LINES[event.event]?.(event.detail) ?? null;
  }
}
