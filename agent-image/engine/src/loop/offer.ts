import { parseArguments } from '../journal/arguments.ts';
import type { Tool } from '../effects/tool.ts';
import type { Turn } from '../state/run-state.ts';
import type { ModelCall, ModelRequest } from './ports.ts';
import type { Kit } from './kit.ts';
import { readAnswer, type Texts } from './transcript.ts';

/** The calls of these turns, as the model wrote them. */
export const callsOf = (journal: Texts, turns: readonly Turn[]): readonly ModelCall[] =>
  turns.flatMap(({ message }) => readAnswer(journal, message).toolCalls);

/** The tools as the next request shows them. A call of another tool is carried out all the same. */
export function offeredTools({ ports, toolsOf }: Kit, run: string, calls: readonly ModelCall[]): ModelRequest['tools'] {
  const all = [...toolsOf(run).values()];
  return ports.offer?.(run, all, calls) ?? all;
}

/** The texts that the tools keep of their newest calls after a summary has replaced these. Wrong arguments have none. */
export function keptTexts(tools: ReadonlyMap<string, Tool>, calls: readonly ModelCall[]): readonly string[] {
  const kept = new Map<string, string>();
  for (const { name, arguments: text } of calls) {
    const parsed = parseArguments(text);
    const [said] = (parsed.ok && tools.get(name)?.keeps?.(parsed.value)) || [];
    if (said !== undefined) kept.set(name, said);
  }
  return [...kept.values()];
}
