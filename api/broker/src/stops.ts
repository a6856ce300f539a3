import { deny } from '@hamlet/core/egress';
import type { Admission, AdmissionDenial } from './village.ts';

export const STOPPED = deny(
  'egress_agent_stopped',
  'an admin has stopped this agent or frozen the village, or the agent was deleted',
);

type Answer = Admission | AdmissionDenial;

interface Question {
  readonly stopped: Set<string>;
  /** All lives that still existed at one moment since the question began; null without such a report. */
  living: ReadonlySet<string> | null;
}

/** Stops that become known while questions about admissions are under way, whose answers may be older. */
export class Stops {
  readonly #open = new Set<Question>();

  /** Asks a question. Denies an admission of a life that was stopped since. */
  async during(ask: () => Promise<Answer>): Promise<Answer> {
    const question: Question = { stopped: new Set(), living: null };
    this.#open.add(question);
    try {
      const answer = await ask();
      if ('verdict' in answer) return answer;
      const { agent, uid, cycle } = answer;
      const isOver = question.stopped.has(uid) || question.living?.has(uid) === false;
      return isOver ? { ...STOPPED, life: { agent, uid, cycle } } : answer;
    } finally {
      this.#open.delete(question);
    }
  }

  note(uid: string): void {
    for (const { stopped } of this.#open) stopped.add(uid);
  }

  /** Notes that all lives but these have ended. */
  noteOthers(living: ReadonlySet<string>): void {
    for (const question of this.#open) question.living = living;
  }
}
