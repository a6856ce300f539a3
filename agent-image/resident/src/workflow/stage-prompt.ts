import type { SystemPrompt, Tool } from '@hamlet/engine';
import { SPEECH } from '../engine/prompt.ts';
import { workInWords } from '../engine/work-rules.ts';

interface Stage {
  /** The words of the manifests to its agent. */
  readonly instructions: string;
  readonly tools: readonly Pick<Tool, 'name'>[];
  /** Names of the tools whose calls wait for a person. */
  readonly asking: readonly string[];
  /** The situation of the worker's run. */
  readonly situation: string;
}

/** The system prompt of a worker for a stage: the instructions of its agent with the rules of work of the village. Pure. */
export function stagePrompt({ instructions, tools, asking, situation }: Stage): SystemPrompt {
  const shown = tools.map(({ name }) => name);
  const work = shown.length === 0 ? [] : [workInWords({ shown, more: [], asking, asksToSend: false })];
  return { stable: [instructions, ...work, SPEECH].join('\n\n'), situation };
}
