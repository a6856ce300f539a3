import type { CallInput, Character, createAgent, createSchedule } from '@hamlet/contract';
import type { Json } from '../../../client/json.ts';
import { type Draft as Work, emptyDraft, type Problems as WorkProblems } from '../../schedules/schedule-draft.ts';
import { nameFromTitle, nameProblem } from './agent-name.ts';
import { readWork, workResource } from './agent-schedule.ts';
import type { Resource } from './agent-yaml.ts';
import { textAt, trimmed, withValue } from './edit-spec.ts';
import { specProblems, type SpecProblems } from './spec-problems.ts';

/** A new agent while a person writes it. An empty `name` follows the title. */
export interface NewDraft {
  /** The character that it began with; null for none. */
  readonly start: Pick<Character, 'id' | 'name' | 'schedule'> | null;
  readonly name: string;
  readonly spec: Json;
  readonly work: Work | null;
}
export const BLANK_AGENT: NewDraft = { start: null, name: '', spec: {}, work: null };

/** The draft with the spec of a character, or blank. A title that the person wrote stays. */
export function begunWith(draft: NewDraft, character: Character | null): NewDraft {
  const title = textAt(draft.spec, ['displayName']);
  const began = { ...draft, start: character, spec: character?.spec ?? {}, work: null };
  if (title === '' || title === draft.start?.name) return began;
  return { ...began, spec: withValue(began.spec, ['displayName'], title) };
}

/** Work at set times to begin with: the suggestion of the character, if there is one. */
export function firstWork({ start }: Pick<NewDraft, 'start'>, timeZone: string): Work {
  const empty = emptyDraft('', timeZone);
  const suggested = start?.schedule ?? null;
  return suggested === null ? empty : { ...empty, prompt: suggested.prompt, dailyAt: suggested.daily_at };
}

/** A draft as it would be sent, with all that is wrong with it. */
interface NewReading {
  readonly name: string;
  readonly title: string;
  readonly resources: readonly Resource[];
  readonly nameProblem: string | undefined;
  readonly problems: SpecProblems;
  readonly workProblems: WorkProblems;
  /** Null while name or spec are wrong. */
  readonly agent: NonNullable<CallInput<typeof createAgent>['body']> | null;
  /** Null without work at set times, or while it is wrong. */
  readonly work: NonNullable<CallInput<typeof createSchedule>['body']> | null;
}

/** `taken`: names of the village's agents, without the one that this form has made already. */
export function readNew(draft: NewDraft, taken: ReadonlySet<string>): NewReading {
  const spec = trimmed(draft.spec);
  const title = textAt(spec, ['displayName']);
  const name = draft.name === '' ? nameFromTitle(title) : draft.name;
  const wrong = nameProblem(name, taken);
  const problems = specProblems(spec);
  const resources: readonly Resource[] = [{ kind: 'Agent', name, spec }];
  const read = {
    name,
    title,
    nameProblem: wrong,
    problems,
    agent: wrong === undefined && problems.size === 0 ? { agent_id: name, spec } : null,
  };
  if (draft.work === null) return { ...read, resources, work: null, workProblems: {} };
  const work = readWork(draft.work, name);
  return {
    ...read,
    resources: [...resources, workResource(draft.work, name)],
    work: work.ok ? work.body : null,
    workProblems: work.ok ? {} : work.problems,
  };
}
