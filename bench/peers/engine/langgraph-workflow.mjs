/** LangGraph.js with its Postgres checkpointer. */
import { PostgresSaver } from '@langchain/langgraph-checkpoint-postgres';
import { serve } from '../../engine/subject.ts';
import { tasksOn } from './langgraph-graphs.mjs';
import { storedBytes } from './stored-bytes.mjs';

const checkpointer = PostgresSaver.fromConnString(process.env.POSTGRES_URL);
await checkpointer.setup();

serve({
  task: tasksOn(checkpointer),
  stored: () => storedBytes(process.env.POSTGRES_URL),
  end: () => checkpointer.end(),
});
