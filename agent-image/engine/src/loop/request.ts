import type { Tool } from '../effects/tool.ts';
import type { EventOf } from '../journal/event.ts';
import type { Journal } from '../journal/journal.ts';
import type { RunState, Turn } from '../state/run-state.ts';
import type { Kit } from './kit.ts';
import type { Message, ModelRequest } from './ports.ts';
import type { Session } from './session.ts';
import { inputMessage, summaryMessage, turnMessages, warningAt } from './transcript.ts';

type Basis = Readonly<{
  history: readonly Message[];
  ask: Readonly<{ ask: number; attempt: number; withTools: boolean }>;
}>;

/** The next request of a run whose calls are settled, and a digest of everything in it. */
export function requestOf(
  kit: Kit,
  session: Session,
  { history, ask: { ask, attempt, withTools } }: Basis,
): Readonly<{ request: ModelRequest; digest: string }> {
  const { state } = session;
  const { model, run } = state.opened;
  const fixed = fixedSoFar(kit.ports.journal, session, history);
  const request: ModelRequest = {
    model,
    at: { run, ask, attempt },
    system: fixed.system,
    messages: [...fixed.messages, ...warningAt(state, state.turns.length)],
    tools: withTools ? offered(kit.ports.tools) : NO_TOOLS,
  };
  const basis = `${fixed.chain} ${withTools} ${state.warned?.afterTurns}`;
  return { request, digest: kit.ports.journal.refer(basis).ref };
}

const NO_TOOLS: ModelRequest['tools'] = [];
/** The descriptions of an engine's tools: the same list for all its requests, so that a model port converts it once. */
const descriptions = new WeakMap<readonly Tool[], ModelRequest['tools']>();

function offered(tools: readonly Tool[]): ModelRequest['tools'] {
  const known = descriptions.get(tools);
  if (known !== undefined) return known;
  const made = tools.map(({ name, description, input }) => ({ name, description, input }));
  descriptions.set(tools, made);
  return made;
}

/** The part of a run's requests that never changes again. Mutable, because each turn adds to it: a long run does not read it again. */
type Fixed = {
  readonly history: readonly Message[];
  readonly compacted: RunState['compacted'];
  readonly system: ModelRequest['system'];
  readonly messages: Message[];
  turns: number;
  /** The digest of the parts so far, each over the one before it. */
  chain: string;
};

const kept = new WeakMap<EventOf<'run_opened'>, Fixed>();

function fixedSoFar(journal: Journal, session: Session, history: readonly Message[]): Fixed {
  const { state } = session;
  const { opened, turns } = state;
  const known = kept.get(opened);
  const isCurrent = known?.history === history && known.compacted === state.compacted;
  const fixed = isCurrent ? known : beginning(journal, session, history);
  kept.set(opened, fixed);
  for (const turn of turns.slice(fixed.turns)) {
    fixed.messages.push(...warningAt(state, fixed.turns), ...turnMessages(session, turn));
    fixed.turns += 1;
    fixed.chain = journal.refer(`${fixed.chain} ${partsOf(turn).join(' ')}`).ref;
  }
  return fixed;
}

const partsOf = ({ message, calls }: Turn): readonly (string | null)[] => [
  message,
  ...calls.map(({ result }) => result),
];

function beginning(journal: Journal, { state }: Readonly<{ state: RunState }>, history: readonly Message[]): Fixed {
  const { compacted, opened } = state;
  const { model, prompt, situation, recalled, input, after } = opened;
  const before = compacted === null ? history : [summaryMessage(journal, compacted.summary)];
  return {
    history,
    compacted,
    system: { stable: journal.textOf(prompt) ?? '', situation: journal.textOf(situation) ?? '' },
    messages: [...before, inputMessage(journal, state, true)],
    turns: compacted?.turns ?? 0,
    chain: journal.refer([model, prompt, situation, recalled, input, compacted?.summary ?? after].join(' ')).ref,
  };
}
