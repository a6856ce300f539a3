import { z } from 'zod';
import { CallId } from './permission.ts';

export const OPENED_PAGES_MAX = 50;
export const OPENED_URL_MAX_CHARS = 2_048;
export const OPENED_TITLE_MAX_CHARS = 300;

/** A page that a call opened, as the agent claims it. */
export const OpenedPage = z.strictObject({
  url: z.url({ protocol: /^https?$/ }).max(OPENED_URL_MAX_CHARS),
  title: z.string().max(OPENED_TITLE_MAX_CHARS).describe('Empty if the page has none'),
  at: z.iso.datetime({ offset: true }).max(40).describe('RFC 3339'),
});
export type OpenedPage = z.infer<typeof OpenedPage>;

export const RUN_SOURCES_MAX = 200;

/** A page that a run, or a worker of it, opened. */
export const RunSource = OpenedPage.extend({
  run_id: z.uuid().describe('Run that the page belongs to; pages that a worker opened belong to the run it worked for'),
  call_id: CallId,
  tool: z.string(),
  witnessed: z.boolean().describe('True if the broker let this call reach the host; false if only the agent says so'),
});
export type RunSource = z.infer<typeof RunSource>;
