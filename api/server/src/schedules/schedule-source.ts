import { createHash } from 'node:crypto';
import { readFile, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Schedule, type ScheduleChange, type ScheduleSpec, type ScheduleStatus } from '@hamlet/contract';
import { compareText } from '@hamlet/core';
import type { OnConflict } from '../agents/agent-source.ts';
import { accepted, refused, type Outcome } from '../http/outcome.ts';

export interface ScheduleRecord {
  readonly name: string;
  readonly uid: string;
  readonly createdAt: string;
  readonly spec: ScheduleSpec;
  readonly status: ScheduleStatus;
  readonly generation?: number;
  readonly origin?: string | null;
}

/** `id` is the same for all attempts: that of the write, or `RUN/CALL` of the proposing agent. */
export interface Origin {
  readonly id: string;
  readonly proposedBy: string | null;
}

export interface SchedulePage {
  readonly schedules: readonly ScheduleRecord[];
  /** Cursor of the next page, in the source's own form; null on the last page. */
  readonly next: string | null;
}

export interface ScheduleSource {
  list(page: { readonly cursor?: string | undefined; readonly limit: number }): Promise<Outcome<SchedulePage>>;
  get(name: string): Promise<ScheduleRecord | null>;
  create(name: string, spec: ScheduleChange, origin: Origin): Promise<Outcome<ScheduleRecord>>;
  change(name: string, change: ScheduleChange, onConflict: OnConflict): Promise<Outcome<ScheduleRecord>>;
  remove(name: string): Promise<Outcome<{ readonly uid: string; readonly generation: number }>>;
}

const NEVER_FIRES = 'This Schedule is a sample file. Without a cluster there is no operator, so it never fires';

/** The uid of a sample; the same name has the same uid in every village that runs on samples. */
function uidOf(name: string): string {
  const hex = createHash('sha256').update(`hamlet sample schedule ${name}`).digest('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join('-');
}

async function readSample(path: string): Promise<ScheduleRecord> {
  const { parse } = await import('yaml');
  const { metadata, spec } = Schedule.parse(parse(await readFile(path, 'utf8')));
  const createdAt = (await stat(path)).mtime.toISOString();
  const condition = {
    type: 'Active',
    status: 'False' as const,
    reason: 'NoOperator',
    message: NEVER_FIRES,
    lastTransitionTime: createdAt,
  };
  return { name: metadata.name, uid: uidOf(metadata.name), createdAt, spec, status: { conditions: [condition] } };
}

/** Schedules from a folder of sample files. Read-only, since only a cluster can validate and store them. */
export async function openSampleSchedules(folder: string): Promise<ScheduleSource> {
  const files = (await readdir(folder)).filter((file) => /^good-schedule-.*\.yaml$/.test(file));
  const schedules = await Promise.all(files.map((file) => readSample(join(folder, file))));
  schedules.sort((a, b) => compareText(a.name, b.name));
  const write = async (): Promise<ReturnType<typeof refused>> =>
    refused('cluster_needed', 'These schedules are sample files and cannot be written: run a cluster (make up)');
  return {
    list: async ({ cursor, limit }) => {
      const from = cursor === undefined ? 0 : schedules.findIndex(({ name }) => name > cursor);
      if (from < 0) return refused('cursor_invalid');
      const page = schedules.slice(from, from + limit);
      return accepted({ schedules: page, next: from + limit < schedules.length ? (page.at(-1)?.name ?? null) : null });
    },
    get: async (name) => schedules.find((schedule) => schedule.name === name) ?? null,
    create: write,
    change: write,
    remove: write,
  };
}
