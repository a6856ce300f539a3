/**
 * DBOS: a workflow of a hand-written loop, since it has no agents. Each request to the model, each call and each step is
 * a step of DBOS, whose result is one row in Postgres, written after the step.
 */
import { DBOS } from '@dbos-inc/dbos-sdk';
import { serve } from '../../engine/subject.ts';
import { storedBytes } from './stored-bytes.mjs';

const url = `${process.env.MODEL_URL}/chat/completions`;
const TOOLS = [
  {
    type: 'function',
    function: {
      name: 'look_at',
      description: 'Looks at a place.',
      parameters: { type: 'object', properties: { place: { type: 'string' } }, required: ['place'] },
    },
  },
];

async function ask(body) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const answer = { content: '', call: null };
  for (const line of (await response.text()).split('\n')) {
    if (!line.startsWith('data: {')) continue;
    for (const { delta } of JSON.parse(line.slice(6)).choices) {
      answer.content += delta.content ?? '';
      for (const { id, function: piece } of delta.tool_calls ?? []) {
        answer.call ??= { id, type: 'function', function: { name: piece.name, arguments: '' } };
        answer.call.function.arguments += piece.arguments;
      }
    }
  }
  return answer;
}

const agent = DBOS.registerWorkflow(
  async (calls) => {
    const messages = [
      { role: 'system', content: 'You are Ada.' },
      { role: 'user', content: 'Look around.' },
    ];
    for (;;) {
      const body = { model: `calls-${calls}`, stream: true, messages, tools: TOOLS };
      const { content, call } = await DBOS.runStep(() => ask(body), { name: 'ask' });
      if (call === null) return content;
      const { place } = JSON.parse(call.function.arguments);
      const result = await DBOS.runStep(async () => `The ${place} is open until noon.`, { name: 'look_at' });
      messages.push({ role: 'assistant', content: null, tool_calls: [call] });
      messages.push({ role: 'tool', tool_call_id: call.id, content: result });
    }
  },
  { name: 'agent' },
);

let work = { texts: [], mark: () => {} };
const many = DBOS.registerWorkflow(
  async (count) => {
    for (let index = 0; index < count; index += 1)
      await DBOS.runStep(
        async () => {
          work.mark();
          return work.texts[index];
        },
        { name: 'step' },
      );
  },
  { name: 'many' },
);

DBOS.setConfig({
  name: 'bench',
  systemDatabaseUrl: process.env.POSTGRES_URL,
  logLevel: 'error',
  runAdminServer: false,
});
await DBOS.launch();

serve({
  run: (calls) => agent(calls),
  steps: async (texts, mark) => {
    work = { texts, mark };
    await many(texts.length);
  },
  stored: () => storedBytes(process.env.POSTGRES_URL),
  end: () => DBOS.shutdown(),
});
