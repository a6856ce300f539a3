import type { FlowPort, FlowStep, Kit } from '../loop/kit.ts';
import type { Session } from '../loop/session.ts';
import { loadRun } from '../loop/transcript.ts';
import type { Command } from '../state/decide.ts';
import { decideFlow, type FlowCommand } from './decision/decide-flow.ts';
import { memoryOf } from './flow-memory.ts';
import type { FlowPorts } from './flow-ports.ts';
import { takeAnswer } from './agent-call.ts';
import { askAgent } from './agent-stage.ts';
import { beginStage, restStage } from './begin-stage.ts';
import { finishFlow, skipStages, stopStages } from './end-flow.ts';
import type { Flowing } from './flowing.ts';
import { takenOver, type Rerun } from './rerun.ts';
import { timeLeftOf } from './time-left.ts';
import { continueTool } from './tool-stage.ts';

/** The part of an engine that carries out runs with a plan. */
export function createFlow(ports: FlowPorts): FlowPort {
  return {
    stepsOf: (kit, session) => {
      const { index, waits, rerun, rested } = memoryOf(session);
      if (rerun !== null && session.state.flow?.stages.size === 0) takeOver(kit, session, rerun);
      const ancestors = session.ancestors.map(({ state }) => state);
      const isWaiting = (command: Command | FlowCommand): boolean =>
        command.type === 'ask_agent' && waits.has(command.stage.id);
      return decideFlow(index, session.state, { ancestors, rested })
        .filter((command) => !isWaiting(command))
        .map((command) => stepOf({ kit, session, ports }, command));
    },
    waitOf: (session) => {
      if (session.state.flow === null) return null;
      const waits = [...memoryOf(session).waits.values()];
      const requests = waits.flatMap((wait) => (wait.for === 'permission' ? wait.requests : []));
      if (requests.length > 0) return { kind: 'waiting', for: 'permission', requests };
      return waits[0] ?? null;
    },
    timeLeftOf,
    wake: (session, answers) => {
      if (session.state.flow === null) return;
      const memory = memoryOf(session);
      memory.waits.clear();
      memory.answers.push(...answers);
    },
  };
}

/** Takes the stages over that an earlier task had done. Throws if the journal has lost that task. */
function takeOver(kit: Kit, session: Session, { of, stage }: Rerun): void {
  const loaded = loadRun(kit.ports.journal, of);
  if (!loaded.ok || loaded.state.flow === null) throw new Error(`The journal has no task ${of} to repeat.`);
  session.append(takenOver(memoryOf(session).index.plan, loaded.state.flow, stage));
}

/** A command of the plan as a step of the loop; commands about calls are those of the loop itself. */
function stepOf(flowing: Flowing, command: Command | FlowCommand): Command | FlowStep {
  switch (command.type) {
    case 'begin_stage':
      return step(`begin ${command.stage.id}`, () => beginStage(flowing, command));
    case 'rest_stage':
      return step(`rest ${command.stage.id}`, () => restStage(flowing, command));
    case 'ask_agent':
      return step(`ask ${command.stage.id}`, () => askAgent(flowing, command.stage));
    case 'take_answer':
      return atOnce(`take answer ${command.stage.id}`, () => takeAnswer(flowing, command.stage));
    case 'continue_tool':
      return atOnce(`continue ${command.stage.id}`, () => continueTool(flowing, command.stage));
    case 'skip_stages':
      return atOnce('skip', () => skipStages(flowing, command.stages));
    case 'stop_stages':
      return step('stop', () => stopStages(flowing, command.stages));
    case 'finish_flow':
      return atOnce('finish', () => finishFlow(flowing, command.exits));
    case 'close':
      // Work that is under way begins nothing more.
      flowing.session.stopped.abort();
      flowing.session.killed.abort();
      return command;
    default:
      return command;
  }
}

const atOnce = (key: string, act: () => void): FlowStep =>
  step(key, () => {
    act();
    return null;
  });

const step = (key: string, act: () => Promise<void> | null): FlowStep => ({ type: 'flow', key, act });
