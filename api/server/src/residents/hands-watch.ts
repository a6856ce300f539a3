import { HANDS_SHOWN_MAX, VILLAGE_TOOLS, villageTool, type HandsActivity, type HandsMessage } from '@hamlet/contract';
import { changedActivities, handsActivities, mcpServerOf, type OpenCall } from '@hamlet/core';
import { readOpenHands, type OpenCallRow } from '@hamlet/store';
import type { AgentSource } from '../agents/agent-source.ts';
import type { PresenceCache } from '../agents/presence-cache.ts';
import { repeat } from '../service/single-flight.ts';
import type { Services } from '../service/services.ts';

const POLL_MS = 700;
/** A viewer with more unsent bytes misses changes, and gets all activities when it has caught up. */
const BACKLOG_MAX_BYTES = 262_144;

interface HandsViewer {
  send(text: string): void;
  readonly bufferedAmount: number;
}

interface HandsPorts extends Pick<Services, 'db' | 'log'> {
  readonly source: Pick<AgentSource, 'get'>;
  readonly presence: Pick<PresenceCache, 'get'>;
}

type Activities = ReadonlyMap<string, HandsActivity>;

/** A `new` viewer knows no activity; one `behind` may know activities that are over. */
type ViewerState = 'new' | 'current' | 'behind';

const NONE: Activities = new Map();
const messageOf = (agents: HandsMessage['agents'], reset: boolean): string =>
  JSON.stringify({ type: 'hands', reset, agents } satisfies HandsMessage);

/** Reads the open calls while there are viewers. An agent without a connected resident has no activity. */
export function startHandsWatch(ports: HandsPorts, pollMs = POLL_MS) {
  const { db, log, source, presence } = ports;
  const viewers = new Map<HandsViewer, ViewerState>();
  let known: Activities = NONE;

  async function poll(): Promise<void> {
    if (viewers.size === 0) {
      known = NONE;
      return;
    }
    const { calls, waiting } = await readOpenHands(db, HANDS_SHOWN_MAX);
    const isHere = (agentId: string): boolean => presence.get(agentId)?.connected === true;
    const open = calls.filter(({ agentId }) => isHere(agentId)).map((row) => openCallOf(row, source));
    const before = known;
    known = handsActivities(open, waiting);
    publish(changedActivities(before, known));
  }

  function publish(changes: HandsMessage['agents']): void {
    const isChanged = Object.keys(changes).length > 0;
    const [change, whole] = [messageOf(changes, false), messageOf(Object.fromEntries(known), true)];
    for (const [viewer, state] of viewers) {
      const mayReceive = viewer.bufferedAmount <= BACKLOG_MAX_BYTES;
      const needs = state === 'current' ? isChanged : state === 'behind' || known.size > 0;
      if (needs && mayReceive) viewer.send(state === 'current' ? change : whole);
      if (!needs || mayReceive) viewers.set(viewer, 'current');
      else viewers.set(viewer, 'behind');
    }
  }

  const stop = repeat(pollMs, poll, (error) =>
    log('warn', "the activities of agents' hands could not be read; the API retries", { error }),
  );
  return {
    /** Adds a viewer, which gets all activities first. Returns a function that removes it. */
    join: (viewer: HandsViewer) => {
      viewers.set(viewer, 'new');
      return () => void viewers.delete(viewer);
    },
    stop,
  };
}

export type HandsWatch = ReturnType<typeof startHandsWatch>;

function openCallOf({ agentId, tool, arguments: args }: OpenCallRow, source: HandsPorts['source']): OpenCall {
  const server = mcpServerOf(tool);
  const toolClass =
    server === null
      ? (villageTool(tool)?.class ?? null)
      : (source.get(agentId)?.spec.mcpServers?.find(({ name }) => name === server)?.class ?? null);
  return { agentId, tool, toolClass, command: tool === 'shell' ? commandIn(args) : null };
}

function commandIn(args: string): string {
  try {
    return VILLAGE_TOOLS.shell.input.safeParse(JSON.parse(args)).data?.command ?? '';
  } catch {
    return '';
  }
}
