import { RUN_REASON_MAX_CHARS, RUN_STEPS_MAX } from '@hamlet/contract/resident';
import type { Run, RunStep } from '@hamlet/contract';
import { RunFailure } from '@hamlet/engine';
import type { Deed, RunWork } from '@hamlet/engine';
import { surroundingsOf } from '../brain/wish/surroundings.ts';
import { fitting } from '../brain/speech.ts';
import { actOnce, findAgent, goTo, lookAround, usePlace } from './deeds.ts';
import { createHands } from './hands.ts';
import type { Hands, HandsPorts } from './hands.ts';
import { ClaimLost } from './patience.ts';

export interface RunWorkPorts extends HandsPorts {
  readonly cycle: number;
  /** Steps that the agent's tier allows one run; null where that is not known. */
  readonly stepsMax: () => number | null;
}

export interface RunInHand {
  readonly run: Run;
  /** What was noted before this process took it up. */
  readonly noted: readonly RunStep[];
  /** Aborts when the run is to end. */
  readonly signal: AbortSignal;
}

/** What was done for a run so far, in words, and what is being done at this moment; null between deeds. */
export interface Progress {
  readonly done: readonly string[];
  readonly underWay: string | null;
}

type Perform = (step: number) => Promise<Deed>;

/** Numbers deeds. One that is noted is answered from the note; any other is done, noted, and then answered. Mutable because it counts. */
class Steps implements Progress {
  readonly done: string[] = [];
  underWay: string | null = null;
  #count = 0;
  readonly #notes: ReadonlyMap<number, RunStep>;
  readonly #note: (step: RunStep) => Promise<void>;
  readonly #stepsMax: RunWorkPorts['stepsMax'];

  constructor(
    noted: readonly RunStep[],
    ports: { readonly note: (step: RunStep) => Promise<void>; readonly stepsMax: RunWorkPorts['stepsMax'] },
  ) {
    this.#notes = new Map(noted.map((step) => [step.step, step]));
    this.#note = ports.note;
    this.#stepsMax = ports.stepsMax;
  }

  async take(words: string, perform: Perform): Promise<Deed> {
    const step = this.#count;
    this.#count += 1;
    if (step >= RUN_STEPS_MAX) throw new RunFailure('too_many_steps', `A run may take ${RUN_STEPS_MAX} steps`);
    this.underWay = words;
    const { outcome, text } = this.#notes.get(step) ?? (await this.#doNow(step, perform));
    this.underWay = null;
    this.done.push(text);
    return { outcome, text };
  }

  async #doNow(step: number, perform: Perform): Promise<Deed> {
    const allowed = this.#stepsMax();
    if (allowed !== null && step >= allowed)
      throw new RunFailure('too_many_steps', `My tier allows ${allowed} steps in one run`);
    const { outcome, text } = await perform(step);
    const note: RunStep = { step, outcome, text: [...text].slice(0, RUN_REASON_MAX_CHARS).join('') };
    await this.#note(note);
    return note;
  }
}

/**
 * What a runtime does a run with. What the village does for a deed goes under a key made of run, number and try, so that a process that was
 * killed between doing and noting does it again without effect.
 */
export function createRunWork(
  ports: RunWorkPorts,
  { run, noted, signal }: RunInHand,
): { readonly work: RunWork; readonly progress: Progress } {
  const hands = createHands(ports, run.run_id, signal);
  const claim = { cycle: ports.cycle, attempt: run.attempt };
  const note = async (step: RunStep): Promise<void> => {
    const answer = await hands.told(() => ports.village.noteStep(run.run_id, claim, step));
    if (answer.kind === 'refused' && answer.code === 'claim_lapsed') throw new ClaimLost(answer.detail);
    // The village has ended the run meanwhile: nothing more is to be done for it.
    if (answer.kind === 'refused') throw new RunFailure(answer.code, answer.detail);
  };
  const steps = new Steps(noted, { note, stepsMax: ports.stepsMax });
  return { work: workWith(hands, steps, { agentId: ports.agentId, signal }), progress: steps };
}

function workWith(
  hands: Hands,
  steps: Steps,
  { agentId, signal }: { readonly agentId: string; readonly signal: AbortSignal },
): RunWork {
  const take = async (words: string, perform: Perform): Promise<Deed> => {
    signal.throwIfAborted();
    return steps.take(words, perform);
  };
  return {
    surroundings: async () => {
      const here = surroundingsOf((await hands.world()).view, agentId);
      if (here === null) throw new RunFailure('not_in_the_world', 'The agent is not in the world');
      return here;
    },
    go: (placeId) => take(`going to ${placeId}`, (step) => goTo(hands, placeId, step)),
    find: (wanted) => take(`looking for ${wanted}`, (step) => findAgent(hands, wanted, step)),
    say: (text, to) => {
      const words = fitting(text);
      const said = `I said “${words}”${to === null ? '' : ` to ${to}`}.`;
      return take('speaking', (step) =>
        actOnce(hands, { kind: 'talk', text: words, ...(to === null ? {} : { to }) }, { step, words: said }),
      );
    },
    use: () => take('using the place', (step) => usePlace(hands, step)),
    look: () => take('looking around', () => lookAround(hands)),
  };
}
