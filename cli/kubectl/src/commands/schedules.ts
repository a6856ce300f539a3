import { SCHEDULE_REASONS, ScheduleSpec, type Schedule } from '@hamlet/contract/kinds';
import { describeTiming } from '@hamlet/core';
import { SCHEDULES, type Listed } from '../agents.ts';
import type { Command } from '../command.ts';
import { age, jsonText, table } from '../table.ts';

const HEAD = ['NAME', 'SCHEDULE', 'AGENTS', 'LAST', 'NEXT', 'ACTIVE', 'MISSED', 'STATE'];
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

function rowOf(schedule: Schedule, nowMs: number): readonly string[] {
  const { metadata, spec, status = {} } = schedule;
  const { lastRunAt, nextRunAt, activeRuns = 0, missed = 0 } = status;
  return [
    metadata.name,
    describeTiming(spec),
    targetOf(spec),
    age(lastRunAt, nowMs),
    age(nextRunAt, nowMs),
    String(activeRuns),
    String(missed),
    activeOf(schedule).reason,
  ];
}

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
  summary: 'lists the schedules; with a NAME its next firings',
  details: 'Reads the Schedules of the namespace. "kubectl hamlet runs --schedule=NAME" lists their runs.',
  options: {},
  names: [0, 1],
  async run({ kubectl, names, json, print, nowMs }) {
    const [name] = names;
    if (name !== undefined) {
      const schedule = await kubectl.json<Schedule>(['get', SCHEDULES, name]);
      print(json ? jsonText(schedule) : details(schedule, nowMs));
      return 0;
    }
    const { items } = await kubectl.json<Listed<Schedule>>(['get', SCHEDULES]);
    if (json) print(jsonText(items));
    else if (items.length === 0) print('no schedules');
    else
      print(
        table(
          HEAD,
          items.map((schedule) => rowOf(schedule, nowMs)),
        ),
      );
    return 0;
  },
};
