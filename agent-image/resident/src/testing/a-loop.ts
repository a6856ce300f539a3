import { randomUUID } from 'node:crypto';
import { createBoardWriter, createHelpRequests, createResourcePlanner } from '../loop/board-kit.ts';
import { createInbox } from '../loop/inbox.ts';
import { runTurns } from '../loop/turn-loop.ts';
import { forgetfulLifeStore } from '../memory/life-store.ts';
import { createLog } from '../process/json-log.ts';
import { createTurnGate } from '../runs/turn-gate.ts';
import { noVoice } from './a-runtime.ts';
import type { ScriptedVillage } from './scripted-village.ts';

/** The loop of the agent of a scripted village. Its pauses take no time and are counted. */
export function aLoop(village: ScriptedVillage, voice = noVoice('no runtime')) {
  const inbox = createInbox();
  const memory = forgetfulLifeStore();
  const turnGate = createTurnGate();
  const pauses: number[] = [];
  const lines: string[] = [];
  const log = createLog(
    (line) => void lines.push(line),
    () => 0,
    { agent_id: 'ada' },
  );
  const requests = createHelpRequests();
  const planner = createResourcePlanner();
  const writer = createBoardWriter({ complete: (body) => village.complete(body), onRequest: requests.add });
  const boardKit = { requests, planner, writer };
  const rest = async (ms: number) => void pauses.push(ms);
  const ports = { village, voice, memory, turnGate, cycle: 1, newId: randomUUID, inbox, log, rest, random: () => 0 };
  const until = (turns: number) => (_: unknown, count: number) =>
    count < turns ? inbox.nudge() : inbox.end('stopped');
  const run = (turns: number) => {
    village.onTurn = until(turns);
    return runTurns(ports);
  };
  /** Like `run`, with the board, the account and the gateway. */
  const runWithBoard = (turns: number) => {
    village.onTurn = until(turns);
    return runTurns({ ...ports, boardKit });
  };
  return { inbox, memory, turnGate, pauses, lines, requests, boardKit, ports, run, runWithBoard };
}
