/** Settings of `make eval`, parsed once from the environment. */
import { z } from 'zod';
import { Failure } from '../local/village/failure.ts';

const list = z
  .string()
  .default('')
  .transform((text) => text.split(/[\s,]+/).filter(Boolean));
const today = (): string => new Date().toISOString().slice(0, 10);

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
    DATE: z.iso.date().prefault(today),
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

type Environment = Readonly<Record<string, string | undefined>>;

/** Throws a Failure that names each wrong variable. Empty variables count as unset. */
export function readSettings(env: Environment) {
  const read = Settings.safeParse(Object.fromEntries(Object.entries(env).filter(([, value]) => value !== '')));
  if (!read.success) throw new Failure(z.prettifyError(read.error), 'make eval ARGS=--help explains each variable');
  const { MODEL: urls, MODEL_NAME: names, ...settings } = read.data;
  // Several names at one address, or a name for each address.
  const models = Array.from({ length: urls.length && Math.max(urls.length, names.length) }, (_, at) => {
    return { ...env, MODEL: urls[at] ?? urls[0], MODEL_NAME: names[at] };
  });
  return {
    models,
    only: settings.TASKS,
    tasksDir: settings.TASKS_DIR,
    attempts: settings.ATTEMPTS,
    money: settings.MONEY,
    date: settings.DATE,
    compare: settings.COMPARE,
    cluster: settings.CLUSTER,
    namespace: settings.NAMESPACE,
    url: settings.HAMLET_URL,
    token: settings.HAMLET_TOKEN,
  };
}
export type EvalSettings = ReturnType<typeof readSettings>;
