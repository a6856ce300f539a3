/** LangGraph.js with its checkpointer in memory, which a killed process loses. */
import { MemorySaver } from '@langchain/langgraph';
import { serve } from '../../engine/subject.ts';
import { tasksOn } from './langgraph-graphs.mjs';

serve({ task: tasksOn(new MemorySaver()) });
