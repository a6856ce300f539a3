import type { ScheduleView } from '@hamlet/contract';
import { answered } from './reading.ts';
import { okay, type ToolKit } from './tool-kit.ts';

/** Maximum number of pages that are read: 1,000 Schedules of the village. */
const PAGES_MAX = 5;
const PROMPT_MAX_CHARS = 200;

/** The Schedules that give the agent work, in words. */
export async function listSchedules(kit: Pick<ToolKit, 'work' | 'rest' | 'random'>, signal: AbortSignal) {
  const own: ScheduleView[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const { schedules, next_cursor: next } = await answered(kit, signal, () => kit.work.schedules(cursor));
    own.push(...schedules);
    if (next === null) break;
    cursor = next;
  }
  return okay(own.length === 0 ? 'No Schedule gives you work.' : own.map(scheduleInWords).join('\n'));
}

function scheduleInWords({ name, prompt, suspend, status, ...timing }: ScheduleView): string {
  const { every, cron, daily_at: dailyAt, time_zone: zone } = timing;
  const when = [every && `every ${every}`, cron && `cron ${cron}`, dailyAt && `daily at ${dailyAt}`, zone];
  const next = suspend ? 'suspended' : `next ${status.next_run_at ?? 'unknown'}`;
  const words = prompt.length > PROMPT_MAX_CHARS ? `${prompt.slice(0, PROMPT_MAX_CHARS).toWellFormed()}…` : prompt;
  return `- ${name}, ${when.filter((part) => part !== null).join(', ')}, ${next}: ${words}`;
}
