import { z } from 'zod';

const TRACES_PATH = '/v1/traces';

/** Without a name and password, which `fetch` refuses and the log would show. */
function isHttp(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) return false;
  return [url.search, url.username, url.password].every((part) => part === '');
}

export const TRACING_ENVIRONMENT = {
  HAMLET_TRACING_ENDPOINT: z
    .string()
    .max(512)
    .refine(isHttp, 'write the address of a collector like http://collector.monitoring:4318')
    .optional()
    .describe('address of a collector of OpenTelemetry for OTLP over HTTP; no traces without it'),
  HAMLET_TRACING_RATIO: z.coerce
    .number()
    .min(0)
    .max(1)
    .default(0.1)
    .describe('share of the traces that begin here which the api records, from 0 to 1 (0.1)'),
} as const;

/** `url`: the address to which spans are posted. */
export interface TracingSettings {
  readonly url: string;
  readonly ratio: number;
}

/** Null without a collector. */
export function tracingSettingsOf(env: z.infer<z.ZodObject<typeof TRACING_ENVIRONMENT>>): TracingSettings | null {
  const { HAMLET_TRACING_ENDPOINT: endpoint, HAMLET_TRACING_RATIO: ratio } = env;
  if (endpoint === undefined) return null;
  const base = endpoint.replace(/\/+$/, '');
  return { url: base.endsWith(TRACES_PATH) ? base : `${base}${TRACES_PATH}`, ratio };
}
