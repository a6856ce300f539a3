import { createRun, dataOf, type CallInput } from '@hamlet/contract';
import type { Invocation } from '../../command.ts';
import { printed } from '../../table.ts';
import { withApi } from '../../village-api.ts';
import { followWorkflow, printEnd } from './follow-workflow.ts';
import { inputOf } from './stage-input.ts';

type Body = CallInput<typeof createRun>['body'];

const DEFAULT_PROMPT = 'Carry out the workflow.';
const NO_INPUT = '{}';

/** The task of a command line. Without --input its prompt is the input. Throws a Failure. */
export function taskOf({ names: [, prompt], flags }: Pick<Invocation, 'names' | 'flags'>): Body {
  const { pipeline, mode, tag } = flags;
  const input = inputOf(flags['input']) ?? (prompt === undefined ? NO_INPUT : undefined);
  return {
    prompt: prompt ?? DEFAULT_PROMPT,
    workflow: {
      ...(input === undefined ? {} : { input_json: input }),
      ...(typeof pipeline === 'string' ? { pipeline } : {}),
      ...(typeof mode === 'string' ? { mode } : {}),
      ...(Array.isArray(tag) ? { tags: tag.map(String) } : {}),
    },
  };
}

/** `workflow run`: gives an agent a task, and with `--follow` reports it to its end. */
export async function run(given: Invocation): Promise<number> {
  const [agent = ''] = given.names;
  const body = taskOf(given);
  const invocation = given.flags['json'] === true ? { ...given, json: true } : given;
  return withApi(invocation, async (api) => {
    const { run: made } = await dataOf(api.call(createRun, { params: { agent_id: agent }, body }));
    const words = `run ${made.run_id} waits for ${agent}`;
    if (invocation.flags['follow'] === true) {
      invocation.note(words);
      return printEnd(invocation, await followWorkflow(api, made.run_id, invocation));
    }
    printed(invocation, made, () => words);
    return 0;
  });
}
