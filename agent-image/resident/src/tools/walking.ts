import type { CallContext } from '@hamlet/engine';
import { createTools, findAgent, goTo, goToTile, type Tools } from '../runs/tools.ts';
import { failed, okay, type ToolKit, type ToolResult } from './tool-kit.ts';

interface Destination {
  readonly landmark_id?: string | undefined;
  readonly x?: number | undefined;
  readonly y?: number | undefined;
}

/** Walks to a place or a tile. */
export const walkTo = (kit: ToolKit, { landmark_id: place, x = 0, y = 0 }: Destination, context: CallContext) =>
  walk(kit, context, (tools) => (place === undefined ? goToTile(tools, { x, y }, 0) : goTo(tools, place, 0)));

/** Walks after an agent until it is in earshot. */
export const walkAfter = (kit: ToolKit, agentId: string, context: CallContext) =>
  walk(kit, context, (tools) => findAgent(tools, agentId, 0));

/** One body: a walk waits for the walk of another run. At the end of the process the walk stays open, and the next process continues it. */
async function walk(
  kit: ToolKit,
  { key, signal }: CallContext,
  perform: (tools: Tools) => ReturnType<typeof goTo>,
): Promise<ToolResult> {
  const walking = AbortSignal.any([signal, kit.stop]);
  try {
    const { outcome, text } = await kit.body.walk(walking, () => perform(createTools(kit, key, walking)));
    return outcome === 'done' ? okay(text) : failed('not_there', text);
  } catch (error) {
    if (kit.stop.aborted && !signal.aborted) return { kind: 'unknown', text: 'The process ended.' };
    throw error;
  }
}
