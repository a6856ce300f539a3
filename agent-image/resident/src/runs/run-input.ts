import { parseAiDollars } from '@hamlet/contract/resident';
import type { AgentConfig, LedgerEntry, Permission, Run, RunBudgets } from '@hamlet/contract';
import type { Budgets, GivenAnswer, RunInput, RuntimeContext, RunWork } from '@hamlet/engine';
import { ATTEMPTS_MAX } from '@hamlet/engine/json';
import { seedOf } from '../brain/chance.ts';
import { planInWords, type LifeMind } from '../brain/life/life-mind.ts';
import { promptOf, type Circumstances } from '../engine/prompt.ts';
import type { Workplace } from '../engine/thinking.ts';
import type { Skill } from '../skills/skill-folder.ts';
import type { WorkTree } from '../hands/repository/read-work-tree.ts';
import type { Answer, StartedRun, Village } from '../village/village.ts';
import { judgementInWords } from '../brain/life/learn.ts';
import { quoted, sentence } from '../brain/words.ts';

/** The conversation of a run: its session, or the run alone. A worker does not see its parent's conversation. */
export const conversationOf = ({ run }: Pick<StartedRun, 'run'>): string =>
  run.worker === undefined ? (run.session_id ?? run.run_id) : run.run_id;

/**
 * The people who may know what arises in a run: those of its session and its author; else its giver, or the Schedule whose runs alone
 * know it. Pure.
 */
export function audienceOf({ run, session }: Pick<StartedRun, 'run' | 'session'>): readonly string[] {
  if (run.schedule !== null) return [`schedule ${run.schedule.uid}`];
  if (run.session_id !== null && session === null) return [`session ${run.session_id}`];
  const people = session?.people.map(({ id }) => id) ?? [];
  return [...new Set([...people, run.created_by.id])];
}

/**
 * The people for whom a run uses the memory of its repository, as names of its file in the pod; null for everybody who may use the
 * repository. The API knows the people by itself. A worker does not know them: its file is its own. Pure.
 */
export function memoryAudienceOf({ run, session }: Pick<StartedRun, 'run' | 'session'>): readonly string[] | null {
  if (run.session_id === null) return null;
  return run.worker === undefined ? audienceOf({ run, session }) : [`run ${run.run_id}`];
}

export const budgetsOf = ({ steps, tokens, money, timeMs, idleCalls }: RunBudgets): Budgets => ({
  steps,
  tokens,
  moneyMicros: Math.max(1, Number(parseAiDollars(money))),
  timeMs,
  idleCalls,
});

/** People's answers to the engine's questions, with their words. Undecided questions are omitted. */
export const answersOf = (permissions: readonly Permission[]): readonly GivenAnswer[] =>
  permissions.flatMap((permission) => {
    const answer = answerIn(permission);
    return answer === null ? [] : [{ request: permission.request, answer, ...wordsIn(permission) }];
  });

/** The person's words. The answer to a question of the agent is already the result of its call. */
function wordsIn({ why, answer, reply, answered_by: by }: Permission): Pick<GivenAnswer, 'words'> {
  if (reply === null || (why === 'question' && answer === 'allow')) return {};
  return { words: { by: by?.name ?? '', text: reply } };
}

function answerIn({ state, why, answer }: Permission): GivenAnswer['answer'] | null {
  switch (state) {
    case 'pending':
      return null;
    case 'expired':
    case 'withdrawn':
      return 'expired';
    case 'denied':
      return why === 'unknown' ? 'expired' : 'deny';
    case 'allowed':
    case 'consumed':
      return why === 'unknown' ? aboutUnknown(answer) : 'allow';
  }
}

/** The question about a call with an unknown outcome has its own answers. */
const aboutUnknown = (answer: Permission['answer']): GivenAnswer['answer'] =>
  answer === 'happened' || answer === 'repeat' ? answer : 'expired';

/** The workplace of a runtime without a model. */
export const NO_WORKPLACE: Workplace = { work: '', machine: '' };

/** The circumstances of a worker: it has only its prompt, its role and its tools. */
const UNSEEN = { world: null, standing: null, lately: '' } as const;

export interface InputPorts {
  readonly village: Pick<Village, 'around' | 'standing' | 'ledger'>;
  readonly config: AgentConfig;
  readonly life?: () => LifeMind;
  readonly workplace: Workplace;
  readonly now: Date;
  readonly skills?: readonly Skill[];
  readonly tree: WorkTree;
  readonly memoryPath: string;
}

/** The input and the context of a run, without its signal and its answers. */
export async function inputOf(
  ports: InputPorts,
  started: StartedRun,
  work: RunWork,
): Promise<{ readonly input: RunInput; readonly context: Omit<RuntimeContext, 'signal'> }> {
  const { config, memoryPath, tree } = ports;
  const { run, budgets, session, offer, output_schema: schema } = started;
  const people = session?.people ?? [];
  const speaker = askerOf(started);
  const { worker } = run;
  const circumstances = await circumstancesOf(ports, worker);
  return {
    input: {
      kind: 'run',
      run: run.run_id,
      // With several people the model must know who wrote each message.
      text: people.length > 1 ? `${speaker}: ${run.prompt}` : run.prompt,
      prompt: promptOf({
        ...circumstances,
        budgets,
        people: people.map(({ name }) => name),
        asker: speaker,
        offer,
        ...(worker && { role: worker.role }),
      }),
      model: config.model?.name ?? '',
      budgets: budgetsOf(budgets),
      answers: [],
      ...(schema && { output: { schema, answers: ATTEMPTS_MAX } }),
      ...(worker && { parent: { run: worker.parent_run_id, call: worker.call_id } }),
      work,
    },
    context: {
      sessionId: conversationOf(started),
      memoryPath,
      ...tree,
      speaker,
      place: null,
      plan: 'at work on something I was asked to do',
      seed: seedOf(config.seed, run.run_id),
    },
  };
}

/** The agent's current circumstances. A failed read omits its part. */
async function circumstancesOf(
  { village, config, life, now, workplace, skills = [] }: InputPorts,
  worker: Run['worker'],
): Promise<Omit<Circumstances, 'people' | 'asker' | 'offer' | 'budgets'>> {
  const own = { config, now, ...workplace, skills };
  if (worker !== undefined) return { ...own, ...UNSEEN };
  const [world, standing, ledger] = await Promise.all([village.around(), village.standing(), village.ledger()]);
  const known = { world: valueOf(world), standing: valueOf(standing) };
  return {
    ...own,
    ...known,
    lately: latelyInWords(valueOf(ledger) ?? [], life?.() ?? null, known.world?.time.day),
  };
}

const valueOf = <T>(answer: Answer<T>): T | null => (answer.kind === 'ok' ? answer.value : null);

/**
 * The name of the person who wrote, or the giver of a run without a conversation with its role, as the beginning of a sentence: a key
 * has no name. Pure.
 */
export function askerOf({ run: { schedule, created_by: by }, session }: Pick<StartedRun, 'run' | 'session'>): string {
  const person = session?.people.find(({ id }) => id === by.id)?.name;
  if (person !== undefined) return person;
  if (schedule !== null) return `The schedule ${schedule.name}`;
  if (by.role === 'agent') return 'Another agent';
  if (by.name !== undefined) return `${by.name} (${by.role})`;
  return `${/^[aeo]/.test(by.role) ? 'An' : 'A'} ${by.role} of the village`;
}

const JUDGED_MAX = 3;
const ACTS_MAX = 3;

/** The agent's newest judgements, its plan and its last actions with their reasons, so that it can explain them. Pure. */
function latelyInWords(entries: readonly LedgerEntry[], life: LifeMind | null, day: number | undefined): string {
  const judged = entries.filter(({ reason }) => reason === 'reward' || reason === 'penalty').slice(0, JUDGED_MAX);
  const acts = life?.recent.slice(-ACTS_MAX).toReversed() ?? [];
  const plan = life === null || life.day !== day ? [] : life.plan;
  return [
    ...(judged.length === 0 ? [] : ['Your rewards and penalties, newest first:']),
    ...judged.map((entry) => `- ${sentence(judgementInWords(entry))}`),
    ...(plan.length === 0 ? [] : [`Your plan for today: ${planInWords(plan)}.`]),
    ...(acts.length === 0 ? [] : ['Your last own decisions, newest first:']),
    ...acts.map(({ option, why, purpose }) => `- ${option}${purpose === '' ? '' : ` (${purpose})`}: ${quoted(why)}`),
  ].join('\n');
}
