/** Settings of `make eval`, parsed once from the environment. */
import { z } from 'zod';
import { Failure } from '../local/village/failure.ts';

const list = z
  .string()
  .default('')
  .transform((text) => text.split(/[\s,]+/).filter(Boolean));

const Settings = z
  .object({
    MODEL: list,
    MODEL_NAME: list,
    TASKS: list,
    TASKS_DIR: z.string().optional(),
    ATTEMPTS: z.coerce.number().int().min(1).max(100).default(1),
    MONEY: z
      .string()
      .regex(/^\d{1,6}(\.\d{1,6})?$/, 'write an amount of aiDollars, such as 50')
      .default('0'),
    DATE: z.iso.date().prefault(() => new Date().toISOString().slice(0, 10)),
    COMPARE: list,
    CLUSTER: z.enum(['local', 'current']).default('local'),
    NAMESPACE: z.string().default('hamlet'),
    HAMLET_URL: z.string().default(''),
    HAMLET_TOKEN: z.string().default(''),
  })
  .refine(({ MODEL, COMPARE }) => MODEL.length + COMPARE.length > 0, 'set MODEL to an address, or to village')
  .refine(
    ({ CLUSTER, HAMLET_URL, HAMLET_TOKEN }) => CLUSTER === 'local' || (HAMLET_URL !== '' && HAMLET_TOKEN !== ''),
    'set HAMLET_URL to the address of the village, and HAMLET_TOKEN to the key of an admin',
  );
export type EvalSettings = z.output<typeof Settings>;

type Environment = Readonly<Record<string, string | undefined>>;

/** Throws a Failure that names each wrong variable. Empty variables count as unset. */
export function readSettings(env: Environment): EvalSettings {
  const read = Settings.safeParse(Object.fromEntries(Object.entries(env).filter(([, value]) => value !== '')));
  if (read.success) return read.data;
  throw new Failure(z.prettifyError(read.error), 'make eval ARGS=--help explains each variable');
}

/** The variables of each model: several names at one address, or a name for each address. Pure. */
export function modelsOf({ MODEL: urls, MODEL_NAME: names }: EvalSettings): readonly Environment[] {
  const count = urls.length === 0 ? 0 : Math.max(urls.length, names.length);
  return Array.from({ length: count }, (_, at) => ({ MODEL: urls[at] ?? urls[0], MODEL_NAME: names[at] }));
}
