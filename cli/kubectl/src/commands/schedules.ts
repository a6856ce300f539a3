import { SCHEDULE_REASONS, ScheduleSpec, type Schedule } from '@hamlet/contract/kinds';
import { describeTiming } from '@hamlet/core';
import { SCHEDULES, type Listed } from '../agents.ts';
import type { Command } from '../command.ts';
import { age, listed, printed } from '../table.ts';

const advices = new Map<string, string>(Object.entries(SCHEDULE_REASONS));

function targetOf({ agentName, selector }: Schedule['spec']): string {
  return (
    agentName ??
    Object.entries(selector?.matchLabels ?? {})
      .map(([label, value]) => `${label}=${value}`)
      .join(',')
  );
}

const activeOf = ({ status }: Schedule): { readonly reason: string; readonly message: string } =>
  status?.conditions?.find(({ type }) => type === 'Active') ?? {
    reason: 'NotObserved',
    message: 'the operator has not set this condition yet',
  };

const schedulesTable = (schedules: readonly Schedule[], nowMs: number): string =>
  listed(schedules, 'no schedules', {
    NAME: ({ metadata }) => metadata.name,
    SCHEDULE: ({ spec }) => describeTiming(spec),
    AGENTS: ({ spec }) => targetOf(spec),
    LAST: ({ status }) => age(status?.lastRunAt, nowMs),
    NEXT: ({ status }) => age(status?.nextRunAt, nowMs),
    ACTIVE: ({ status }) => status?.activeRuns ?? 0,
    MISSED: ({ status }) => status?.missed ?? 0,
    STATE: (schedule) => activeOf(schedule).reason,
  });

function details(schedule: Schedule, nowMs: number): string {
  const { metadata, spec, status = {} } = schedule;
  const { nextRuns = [], lastRunID = '-', activeRuns = 0, missed = 0 } = status;
  const { reason, message } = activeOf(schedule);
  // Parsing fills in the defaults. An invalid spec is shown unchanged.
  const { overlap, missedRuns, startingDeadlineSeconds } = ScheduleSpec.safeParse(spec).data ?? spec;
  return [
    `${metadata.name}: ${describeTiming(spec)}, runs ${targetOf(spec)}: ${message}`,
    ...(reason === 'Scheduled' ? [] : [`  fix:         ${advices.get(reason) ?? '-'}`]),
    `  overlap:     ${overlap}, missed runs: ${missedRuns}, deadline: ${startingDeadlineSeconds} s`,
    `  last run:    ${lastRunID} (${age(status.lastRunAt, nowMs)})`,
    `  active runs: ${activeRuns}, missed so far: ${missed}`,
    ...nextRuns.map((time) => `  next:        ${time} (${age(time, nowMs)})`),
  ].join('\n');
}

export const schedules: Command = {
  name: 'schedules',
  usage: '[NAME]',
  summary: 'lists the schedules; with a NAME its next runs',
  details: 'Reads the Schedules of the namespace. "kubectl hamlet runs --schedule=NAME" lists their runs.',
  options: {},
  names: [0, 1],
  async run(invocation) {
    const { kubectl, names, nowMs } = invocation;
    const [name] = names;
    if (name === undefined) {
      const { items } = await kubectl.json<Listed<Schedule>>(['get', SCHEDULES]);
      printed(invocation, items, () => schedulesTable(items, nowMs));
    } else {
      const schedule = await kubectl.json<Schedule>(['get', SCHEDULES, name]);
      printed(invocation, schedule, () => details(schedule, nowMs));
    }
    return 0;
  },
};
