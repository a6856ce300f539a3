import type { Kit } from './kit.ts';
import type { Message, ModelRequest } from './ports.ts';
import type { RunState } from '../state/run-state.ts';
import { inputMessage, turnMessages, warningAt } from './transcript.ts';

type Basis = Readonly<{
  history: readonly Message[];
  ask: Readonly<{ ask: number; attempt: number; withTools: boolean }>;
}>;

/** The next request of a run, and a digest of everything in it. */
export function requestOf(
  kit: Kit,
  state: RunState,
  { history, ask: { ask, attempt, withTools } }: Basis,
): Readonly<{ request: ModelRequest; digest: string }> {
  const { journal } = kit.ports;
  const { opened } = state;
  const textOf = (ref: string): string => journal.textOf(ref) ?? '';
  const request: ModelRequest = {
    model: opened.model,
    at: { run: opened.run, ask, attempt },
    system: { stable: textOf(opened.prompt), situation: textOf(opened.situation) },
    messages: [...history, inputMessage(journal, state, true), ...warningAt(state, 0), ...ownMessages(kit, state)],
    tools: withTools ? kit.ports.tools.map(({ name, description, input }) => ({ name, description, input })) : [],
  };
  const { model, prompt, situation, recalled, input, after } = opened;
  const parts = state.turns.flatMap((turn) => [turn.message, ...turn.calls.map((call) => call.result)]);
  const basis = [model, prompt, situation, recalled, input, after, withTools, state.warned?.afterTurns, ...parts];
  return { request, digest: journal.refer(basis.join(' ')).ref };
}

/** The messages of settled turns, which never change. They stay in memory as long as the turn. */
const kept = new WeakMap<object, readonly Message[]>();

function ownMessages(kit: Kit, state: RunState): readonly Message[] {
  return state.turns.flatMap((turn, index) => {
    const messages = kept.get(turn) ?? turnMessages(kit.ports.journal, turn);
    kept.set(turn, messages);
    return [...messages, ...warningAt(state, index + 1)];
  });
}
