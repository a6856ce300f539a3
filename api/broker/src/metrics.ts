/** The state of the broker, as its metrics show it. */
export interface BrokerState {
  readonly openConnections: number;
  /** Attempts that the API has kept, by the code of their refusal; `none` went out. */
  readonly attempts: ReadonlyMap<string, number>;
  readonly residentBytes: number;
}

const gauge = (name: string, help: string, value: number): string =>
  `# HELP ${name} ${help}\n# TYPE ${name} gauge\n${name} ${String(value)}\n`;

/** The metrics in Prometheus' text format. */
export function metricsText({ openConnections, attempts, residentBytes }: BrokerState): string {
  const counted = [...attempts].map(([code, count]) => `hamlet_broker_attempts_total{refused="${code}"} ${count}\n`);
  return [
    gauge('hamlet_broker_open_connections', 'Open connections of all agents.', openConnections),
    '# HELP hamlet_broker_attempts_total Attempts of agents, by the code of their refusal.\n',
    '# TYPE hamlet_broker_attempts_total counter\n',
    ...counted,
    gauge('process_resident_memory_bytes', 'Resident memory size in bytes.', residentBytes),
  ].join('');
}
