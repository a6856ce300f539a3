import { z } from 'zod';
import { TimeZone } from '../kinds/text.ts';
import { AiDollars } from './money.ts';
import { plainText } from './scalars.ts';

const BRAND_MAX_CHARS = 40;
const DAYS_MAX = 36_500;
const Days = z.int().min(0).max(DAYS_MAX);

/** Name and color of a village in which no admin has set others. */
export const DEFAULT_BRAND = { name: 'Hamlet', color: '#17704e' } as const;

/** Settings that admins change while the village runs. Each overrides the value of the chart that `where` names. */
export const VILLAGE_SETTINGS = {
  brand_name: {
    title: 'Name of the village',
    what: 'The name in the title of the pages and at the sign-in.',
    schema: plainText(BRAND_MAX_CHARS),
    where: null,
  },
  brand_color: {
    title: 'Accent color',
    what: 'The color of buttons and links, as #rrggbb.',
    schema: z.string().regex(/^#[0-9a-f]{6}$/, 'write a color of six digits, for example #17704e'),
    where: null,
  },
  time_zone: {
    title: 'Time zone',
    what: "Begins and ends the village's day: allowances, limits of a day, the comparison with PayPal.",
    schema: TimeZone,
    where: 'economy.timeZone',
  },
  daily_allowance: {
    title: 'Daily allowance of a member',
    what: 'aiDollars that a member may give and take in a day, together.',
    schema: AiDollars.refine((amount) => !amount.startsWith('-'), { message: 'write an amount of 0 or more' }),
    where: 'economy.dailyAllowance',
  },
  turn_days: {
    title: 'Days to keep the texts of turns',
    what: '0 keeps them permanently. A smaller number deletes older texts within minutes.',
    schema: Days,
    where: 'api.turnDays',
  },
  session_days: {
    title: 'Days to keep ended conversations',
    what: '0 keeps them permanently. A smaller number deletes older texts within minutes.',
    schema: Days,
    where: 'api.sessionDays',
  },
  egress_days: {
    title: 'Days to keep records of outgoing requests',
    what: '0 keeps them permanently. A smaller number deletes older records within minutes.',
    schema: Days,
    where: 'egress.days',
  },
  egress_open: {
    title: 'Agents may reach hosts outside',
    what: 'Off closes every way out at once, also those that the chart, a tier or an agent opens.',
    schema: z.boolean(),
    where: null,
  },
} as const satisfies Readonly<
  Record<
    string,
    { readonly title: string; readonly what: string; readonly schema: z.ZodType; readonly where: string | null }
  >
>;

export type VillageSettingKey = keyof typeof VILLAGE_SETTINGS;
export type VillageSettingValues = {
  readonly [K in VillageSettingKey]: z.output<(typeof VILLAGE_SETTINGS)[K]['schema']>;
};
