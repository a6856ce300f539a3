import { z } from 'zod';
import { canonicalArguments } from './arguments.ts';
import type { EventOf, JournalEvent } from './event.ts';
import type { Journal, Payload } from './journal.ts';

/** The reference under which a mirror stores the journal's salt. It is not a digest, so no text can have it. */
export const SALT_REF = 'salt_of_this_journal__';

const Message = z.object({ toolCalls: z.array(z.object({ arguments: z.string() })) });

/** The texts that an event refers to, with the arguments of its calls, which the journal stores only in the model's answer. */
export function payloadsOf(journal: Pick<Journal, 'textOf' | 'refer'>, event: JournalEvent): readonly Payload[] {
  const payloads = refsOf(event).flatMap((ref) => {
    const text = journal.textOf(ref);
    return text === null ? [] : [{ ref, text }];
  });
  const message = event.type === 'model_answered' ? journal.textOf(event.message) : null;
  if (message === null) return payloads;
  const { toolCalls } = Message.parse(JSON.parse(message));
  return [...payloads, ...toolCalls.map((call) => journal.refer(canonicalArguments(call.arguments)))];
}

function refsOf(event: JournalEvent): readonly string[] {
  switch (event.type) {
    case 'run_opened':
      return refsOfOpening(event);
    case 'model_answered':
      return [event.message, ...namedRefs(event.output?.text)];
    case 'tool_settled':
      return [event.result];
    case 'program_noted':
      return [event.claim];
    case 'permission_answered':
      return namedRefs(event.words);
    case 'turns_compacted':
      return [event.summary];
    default:
      return refsOfStage(event);
  }
}

const refsOfOpening = (event: EventOf<'run_opened'>): readonly string[] => [
  event.plan,
  event.prompt,
  event.situation,
  event.recalled,
  event.input,
  ...namedRefs(event.output?.schema, event.flow?.task),
];

const namedRefs = (...refs: readonly (string | null | undefined)[]): readonly string[] =>
  refs.filter((ref) => typeof ref === 'string');

function refsOfStage(event: JournalEvent): readonly string[] {
  switch (event.type) {
    case 'calls_planned':
      return argumentsOf(event);
    case 'stage_opened':
      return event.flow === undefined ? [] : [event.flow.input, ...argumentsOf(event.flow)];
    case 'stage_closed':
      return namedRefs(event.flow?.output, event.flow?.failure?.message);
    default:
      return [];
  }
}

/** The calls of a plan have their arguments as texts of their own. */
const argumentsOf = ({ calls }: Pick<EventOf<'calls_planned'>, 'calls'>): readonly string[] =>
  calls.map((call) => call.arguments);
