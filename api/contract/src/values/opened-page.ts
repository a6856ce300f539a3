import { z } from 'zod';

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
