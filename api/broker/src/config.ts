import { z } from 'zod';

const HostPort = z.string().regex(/^.+:[0-9]{1,5}$/, 'write HOST:PORT, for example 0.0.0.0:3128');

export const Environment = z.object({
  HAMLET_API_URL: z
    .url({ protocol: /^https?$/ })
    .describe("The API's listener for agents, for example http://hamlet-api-agents:8081."),
  HAMLET_TOKEN_FILE: z.string().min(1).describe('Token that identifies the broker to the API.'),
  HAMLET_CA_DIR: z.string().min(1).describe("Folder with tls.crt and tls.key of the village's authority."),
  HAMLET_LISTEN: HostPort.default('127.0.0.1:3128').describe('Address of the proxy.'),
  HAMLET_METRICS_LISTEN: HostPort.default('127.0.0.1:9090').describe('Address of /livez, /readyz and /metrics.'),
  HAMLET_ROOTS_FILE: z
    .string()
    .min(1)
    .optional()
    .describe("Further root certificates (PEM) for servers, beside Node's own."),
});
export type Environment = z.infer<typeof Environment>;

export function usage(): string {
  const lines = Object.entries(Environment.shape).map(
    ([name, schema]) => `  ${name.padEnd(24)}${schema.description ?? ''}`,
  );
  return `Usage: node api/broker/src/main.ts [--help]\n       node api/broker/src/main.ts --authority [--help]\n\nThe way out of the pods of agents. The environment configures it:\n${lines.join('\n')}\n`;
}
