import type { createSchedule, CallInput } from '@hamlet/contract';
import { type Draft, givenFields, type Problems, readDraft, timingOf } from '../../schedules/schedule-draft.ts';
import type { Resource } from './agent-yaml.ts';

type NewSchedule = NonNullable<CallInput<typeof createSchedule>['body']>;

/** The work at set times that a form gives an agent of this name: a Schedule `NAME-work`. */
const workOf = (draft: Draft, agent: string): Draft => ({ ...draft, target: 'agent', agent, name: `${agent}-work` });

export function readWork(
  draft: Draft,
  agent: string,
): Readonly<{ ok: true; body: NewSchedule }> | Readonly<{ ok: false; problems: Problems }> {
  const reading = readDraft(workOf(draft, agent));
  return reading.ok ? { ok: true, body: { ...givenFields(reading.body), name: reading.name } } : reading;
}

/** The Schedule as `kubectl apply` takes it, even while it is not valid yet. */
export function workResource(draft: Draft, agent: string): Resource {
  const { name } = workOf(draft, agent);
  return { kind: 'Schedule', name, spec: { agentName: agent, prompt: draft.prompt, ...timingOf(draft) } };
}
