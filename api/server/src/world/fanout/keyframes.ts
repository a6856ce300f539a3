import type { FrameItem } from '@hamlet/contract';
import { agentEntry, frameItem } from '@hamlet/core';
import { entryMessage, identity } from './batch.ts';
import { eachCell, rectHas, type CellRect } from './cell-rect.ts';
import type { FanoutState } from './fanout-state.ts';
import type { FrameOut } from './frame-out.ts';
import type { Viewer } from './viewer.ts';

export function introduce(
  fanout: FanoutState,
  to: { readonly viewer: Viewer; readonly out: FrameOut; readonly slot: number },
): void {
  if (to.viewer.known.has(to.slot)) return;
  to.viewer.known.add(to.slot);
  to.out.message(identity(fanout.world, to.slot));
}

function sendAgent(
  fanout: FanoutState,
  to: { readonly viewer: Viewer; readonly out: FrameOut; readonly slot: number },
): void {
  introduce(fanout, to);
  to.out.message(entryMessage(fanout.world, to.slot, fanout.tick));
}

function itemsIn(fanout: FanoutState, cell: number): FrameItem[] {
  return [...fanout.world.index.itemsIn(cell)].flatMap((number) => frameItem(fanout.world, number) ?? []);
}

interface CellSending {
  readonly viewer: Viewer;
  readonly out: FrameOut;
  readonly held: { readonly cells: CellRect; readonly pinned: ReadonlySet<number> };
}

/** Clears all dirty cells before it sends any again, because an agent with wrong data may reach into the view. */
function forgetDirty({ viewer, out }: CellSending): ReadonlySet<number> {
  const dirty = new Set(viewer.pressure.dirty);
  viewer.pressure.dirty.clear();
  for (const cell of dirty) out.message({ kind: 'keyframe', cell, reset: true, agents: [], items: [] });
  return dirty;
}

/**
 * Updates a viewer about the agents whose change the next update will send, and stores the cells in which the viewer
 * now knows them, which may differ from the cells of the last update. Returns the agents in view.
 */
function settlePending(fanout: FanoutState, viewer: Viewer, out: FrameOut): number[] {
  const inView: number[] = [];
  for (const [slot, { before }] of fanout.pending.agents) {
    const knownBy = viewer.early.get(slot) ?? before;
    viewer.early.set(slot, fanout.world.index.cellsOf(slot));
    if (viewer.hasInView(slot)) inView.push(slot);
    else if (viewer.sees(knownBy)) out.message({ kind: 'despawn', agent: slot });
  }
  return inView;
}

/** Returns the agents in view whose changes were not sent. */
function settleStalePins(viewer: Viewer, out: FrameOut): ReadonlySet<number> {
  const stale = new Set(viewer.pressure.stalePins);
  viewer.pressure.stalePins.clear();
  for (const slot of stale) {
    if (viewer.hasInView(slot)) continue;
    stale.delete(slot);
    out.message({ kind: 'despawn', agent: slot });
  }
  return stale;
}

/** Sends a keyframe of every cell in view that the viewer does not hold yet, and the pinned agents that it does not know yet. */
export function sendCells(fanout: FanoutState, sending: CellSending): void {
  const { viewer, out } = sending;
  const { world, pending } = fanout;
  const dirty = forgetDirty(sending);
  const stale = settleStalePins(viewer, out);
  const holdsCell = (cell: number): boolean => !dirty.has(cell) && rectHas(sending.held.cells, world.map, cell);
  const sent = new Set<number>();
  // True if the viewer lacks the agent's newest path and state: it has not received the changes since the last update,
  // and has forgotten the agents in dirty cells.
  const isNews = (slot: number): boolean => {
    const cells = world.index.cellsOf(slot);
    if (sent.has(slot)) return false;
    if (pending.agents.has(slot) || stale.has(slot) || cells.some((cell) => dirty.has(cell))) return true;
    return !sending.held.pinned.has(slot) && !cells.some(holdsCell);
  };
  eachCell(viewer.cells, world.map, (cell) => {
    const held = holdsCell(cell);
    if (held && dirty.size === 0) return;
    const slots = world.index.agentsIn(cell).filter(isNews);
    for (const slot of slots) {
      sent.add(slot);
      introduce(fanout, { viewer, out, slot });
    }
    const items = viewer.zoom === 'near' && !held ? itemsIn(fanout, cell) : [];
    if (slots.length === 0 && items.length === 0) return;
    out.message({
      kind: 'keyframe',
      cell,
      reset: false,
      agents: slots.map((slot) => agentEntry(world, slot, fanout.tick)),
      items,
    });
  });
  for (const slot of [...viewer.pinned, ...stale, ...settlePending(fanout, viewer, out)]) {
    if (!isNews(slot)) continue;
    sent.add(slot);
    sendAgent(fanout, { viewer, out, slot });
  }
}
