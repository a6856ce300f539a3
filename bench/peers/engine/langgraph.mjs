/**
 * LangGraph.js: its ReAct agent and a graph of steps, both with the Postgres checkpointer. It stores all channels at
 * each step; durability `async` (its default) for agents, `sync` for steps.
 */
import { tool } from '@langchain/core/tools';
import { Annotation, END, START, StateGraph } from '@langchain/langgraph';
import { PostgresSaver } from '@langchain/langgraph-checkpoint-postgres';
import { createReactAgent } from '@langchain/langgraph/prebuilt';
import { ChatOpenAI } from '@langchain/openai';
import { z } from 'zod';
import { serve } from '../../engine/subject.ts';
import { storedBytes } from './stored-bytes.mjs';

const checkpointer = PostgresSaver.fromConnString(process.env.POSTGRES_URL);
await checkpointer.setup();

const lookAt = tool(async ({ place }) => `The ${place} is open until noon.`, {
  name: 'look_at',
  description: 'Looks at a place.',
  schema: z.object({ place: z.string() }),
});
const agents = new Map();

function agentOf(calls) {
  if (!agents.has(calls)) {
    const llm = new ChatOpenAI({
      model: `calls-${calls}`,
      apiKey: 'none',
      streaming: true,
      configuration: { baseURL: process.env.MODEL_URL },
    });
    agents.set(calls, createReactAgent({ llm, tools: [lookAt], checkpointer, prompt: 'You are Ada.' }));
  }
  return agents.get(calls);
}

const thread = () => ({ configurable: { thread_id: crypto.randomUUID() } });

async function run(calls) {
  const config = { ...thread(), recursionLimit: calls * 2 + 5, streamMode: ['messages', 'values'] };
  let last;
  const input = { messages: [{ role: 'user', content: 'Look around.' }] };
  for await (const [mode, part] of await agentOf(calls).stream(input, config)) if (mode === 'values') last = part;
  return last.messages.at(-1).content;
}

async function steps(texts, mark) {
  const State = Annotation.Root({
    texts: Annotation({ reducer: (all, more) => [...all, ...more], default: () => [] }),
  });
  const graph = new StateGraph(State)
    .addNode('step', ({ texts: done }) => {
      mark();
      return { texts: [texts[done.length]] };
    })
    .addEdge(START, 'step')
    .addConditionalEdges('step', ({ texts: done }) => (done.length < texts.length ? 'step' : END))
    .compile({ checkpointer });
  await graph.invoke({ texts: [] }, { ...thread(), durability: 'sync', recursionLimit: texts.length + 5 });
}

serve({ run, steps, stored: () => storedBytes(process.env.POSTGRES_URL), end: () => checkpointer.end() });
