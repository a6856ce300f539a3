interface BrokerState {
  readonly openConnections: number;
  readonly followsBrakes: boolean;
  /** Expiry of the authority's certificate, in milliseconds since 1970. */
  readonly authorityEnds: number;
  /** Attempts that the API has stored, by the code of their refusal; `none` counts those that went out. */
  readonly attempts: ReadonlyMap<string, number>;
  readonly residentBytes: number;
}

const gauge = (name: string, help: string, value: number): string =>
  `# HELP ${name} ${help}\n# TYPE ${name} gauge\n${name} ${String(value)}\n`;

export function metricsText(state: BrokerState): string {
  const { openConnections, followsBrakes, authorityEnds, attempts, residentBytes } = state;
  const counted = [...attempts].map(([code, count]) => `hamlet_broker_attempts_total{refused="${code}"} ${count}\n`);
  return [
    gauge('hamlet_broker_open_connections', 'Open connections of all agents.', openConnections),
    gauge(
      'hamlet_broker_follows_brakes',
      '1 while the stream of brakes from the API is open; at 0 the broker admits no agent.',
      followsBrakes ? 1 : 0,
    ),
    gauge(
      'hamlet_broker_authority_ends_seconds',
      "Unix time at which the certificate of the village's authority ends.",
      Math.floor(authorityEnds / 1000),
    ),
    '# HELP hamlet_broker_attempts_total Attempts of agents, by the code of their refusal.\n',
    '# TYPE hamlet_broker_attempts_total counter\n',
    ...counted,
    gauge('process_resident_memory_bytes', 'Resident memory size in bytes.', residentBytes),
  ].join('');
}
