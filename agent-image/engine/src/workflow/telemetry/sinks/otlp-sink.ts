import type { TelemetrySink } from '../bus.ts';
import { postOtlp, type OtlpPorts } from './otlp-send.ts';
import type { ProviderOf } from './otlp-spans.ts';
import { OtlpTrace } from './otlp-trace.ts';

const LINGER_MS = 1_000;
const TRACES_PATH = '/v1/traces';

type OtlpOptions = Readonly<{
  /** The address of a receiver, for example `http://127.0.0.1:4318`. */
  endpoint: string;
  version: string;
  providerOf: ProviderOf;
  ports: OtlpPorts;
}>;

/** Sends the spans of tasks to a receiver of OpenTelemetry over OTLP/HTTP in JSON. */
export function otlpSink({ endpoint, version, providerOf, ports }: OtlpOptions): TelemetrySink {
  const trace = new OtlpTrace(providerOf);
  const url = endpoint.endsWith(TRACES_PATH) ? endpoint : `${endpoint.replace(/\/+$/, '')}${TRACES_PATH}`;
  const resource = { attributes: [{ key: 'service.name', value: { stringValue: 'hamlet-engine' } }] };
  const scope = { name: '@hamlet/engine', version };
  return {
    name: 'otlp',
    lingerMs: LINGER_MS,
    write: async (events, signal) => {
      const spans = trace.take(events);
      if (spans.length === 0) return;
      const body = JSON.stringify({ resourceSpans: [{ resource, scopeSpans: [{ scope, spans }] }] });
      await postOtlp(url, body, { ...ports, signal });
    },
  };
}
