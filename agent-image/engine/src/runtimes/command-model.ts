import type { Message, ModelEnd, ModelPort } from '../loop/ports.ts';

/** The tool of a command's run. */
export const COMMAND_TOOL = 'command';
const FREE = { usage: { prompt: 0, completion: 0, total: 0 }, moneyMicros: 0 };
const FAILED = /^The call failed \((command_[a-z_]+)\)\. /;

/**
 * Stands where a model stands, so that a command has the journal, the cancel and the questions of every run: it asks for the one call,
 * and then answers with the call's result. A result that is not `ok` is a failure with its code.
 */
export const commandModel: ModelPort = {
  chat: async function* ({ messages }) {
    const last = messages.at(-1);
    yield last?.role === 'tool' ? answerTo(last) : callFor(last?.content ?? '');
  },
};

const callFor = (prompt: string): ModelEnd => ({
  type: 'answer',
  content: '',
  toolCalls: [{ id: COMMAND_TOOL, name: COMMAND_TOOL, arguments: JSON.stringify({ prompt }) }],
  ...FREE,
});

function answerTo({ content, outcome }: Extract<Message, { role: 'tool' }>): ModelEnd {
  if (outcome === 'ok') return { type: 'answer', content, toolCalls: [], ...FREE };
  const code = FAILED.exec(content)?.[1] ?? (outcome === 'unknown' ? 'command_unknown' : 'command_failed');
  return { type: 'failed', code, retryable: false, ...FREE };
}
