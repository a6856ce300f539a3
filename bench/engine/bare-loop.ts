/** The least that an agent can be: a fetch loop without journal, limits, retries and checks. */
import { serve } from './subject.ts';

const url = `${process.env['MODEL_URL'] ?? ''}/chat/completions`;

interface Call {
  id: string;
  type: 'function';
  function: { name: string; arguments: string };
}

interface Delta {
  readonly content?: string | null;
  readonly tool_calls?: readonly { readonly id?: string; readonly function: { name?: string; arguments: string } }[];
}

const lookAt = async ({ place }: { readonly place: string }): Promise<string> => `The ${place} is open until noon.`;

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

function take(delta: Delta, answer: { content: string; call: Call | null }): void {
  answer.content += delta.content ?? '';
  for (const { id, function: piece } of delta.tool_calls ?? []) {
    answer.call ??= { id: id ?? '', type: 'function', function: { name: piece.name ?? '', arguments: '' } };
    answer.call.function.arguments += piece.arguments;
  }
}

async function ask(body: object): Promise<{ content: string; call: Call | null }> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const answer = { content: '', call: null };
  const decoder = new TextDecoder();
  let rest = '';
  for await (const bytes of response.body ?? []) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      if (!line.startsWith('data: {')) continue;
      const { choices } = JSON.parse(line.slice(6)) as { choices: { delta: Delta }[] };
      for (const { delta } of choices) take(delta, answer);
    }
  }
  return answer;
}

serve({
  run: async (calls) => {
    const messages: object[] = [
      { role: 'system', content: 'You are Ada.' },
      { role: 'user', content: 'Look around.' },
    ];
    for (;;) {
      const { content, call } = await ask({ model: `calls-${calls}`, stream: true, messages, tools: TOOLS });
      if (call === null) return content;
      const result = await lookAt(JSON.parse(call.function.arguments) as { place: string });
      messages.push({ role: 'assistant', content: null, tool_calls: [call] });
      messages.push({ role: 'tool', tool_call_id: call.id, content: result });
    }
  },
});
