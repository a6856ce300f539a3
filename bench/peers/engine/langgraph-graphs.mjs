/**
 * LangGraph.js: a graph with a node for each stage. Durability `sync`: a checkpoint is written before the next step starts.
 * Nodes side by side are one step, whose writes are stored as each node ends.
 */
import { Annotation, END, START, StateGraph } from '@langchain/langgraph';
import { StageWork } from '../../workflow/stage-work.ts';

const Chain = Annotation.Root({ text: Annotation() });
const Fan = Annotation.Root({
  texts: Annotation({ reducer: (all, more) => ({ ...all, ...more }), default: () => ({}) }),
});

const work = new StageWork();
const graphs = new Map();

function sequence(stages) {
  let graph = new StateGraph(Chain);
  for (let at = 0; at < stages; at += 1)
    graph = graph
      .addNode(`s${at}`, ({ text }, { configurable }) => ({
        text: work.textOf({ task: configurable.thread_id, at, text }),
      }))
      .addEdge(at === 0 ? START : `s${at - 1}`, `s${at}`);
  return graph.addEdge(`s${stages - 1}`, END);
}

function parallel(stages) {
  let graph = new StateGraph(Fan);
  for (let at = 0; at < stages; at += 1)
    graph = graph
      .addNode(`s${at}`, (_state, { configurable }) => ({
        texts: { [`s${at}`]: work.textOf({ task: configurable.thread_id, at, text: '' }) },
      }))
      .addEdge(START, `s${at}`)
      .addEdge(`s${at}`, END);
  return graph;
}

/** The tasks of a subject, with the graphs compiled once for each size. */
export function tasksOn(checkpointer) {
  const graphOf = (shape, stages) => {
    const key = `${shape}-${stages}`;
    if (!graphs.has(key))
      graphs.set(key, (shape === 'sequence' ? sequence(stages) : parallel(stages)).compile({ checkpointer }));
    return graphs.get(key);
  };
  return (shape, texts) =>
    work.during(shape, texts, async (task) => {
      const config = { configurable: { thread_id: task }, durability: 'sync', recursionLimit: texts.length + 5 };
      const input = shape === 'sequence' ? { text: '' } : { texts: {} };
      const ended = await graphOf(shape, texts.length).invoke(input, config);
      return shape === 'sequence' ? [ended.text] : texts.map((_text, at) => ended.texts[`s${at}`]);
    });
}
