import { VILLAGE, type Dashboard } from './dashboard.ts';

/** The village itself: world, requests, operator, broker and their processes. */
export const VILLAGE_DASHBOARD: Dashboard = {
  uid: 'hamlet-village',
  title: 'Hamlet: village',
  about: 'Is the village healthy: world, API, operator and broker. docs/METRICS.md explains each metric.',
  rows: {
    Now: [
      { title: 'Agents in the world', shape: 'number', queries: [['agents', `max(hamlet_world_agents{${VILLAGE}})`]] },
      {
        title: 'Residents connected',
        shape: 'number',
        queries: [['residents', `sum(hamlet_wake_streams{${VILLAGE}})`]],
      },
      { title: 'Viewers', shape: 'number', queries: [['viewers', `sum(hamlet_world_viewers{${VILLAGE}})`]] },
      {
        title: 'Replicas that write the world',
        shape: 'number',
        about: 'Must be 1.',
        redBelow: 1,
        redFrom: 2,
        queries: [['writers', `sum(hamlet_world_writing{${VILLAGE}})`]],
      },
      {
        title: 'Operators that lead',
        shape: 'number',
        about: 'Must be 1.',
        redBelow: 1,
        redFrom: 2,
        queries: [['leaders', `sum(hamlet_operator_leader{${VILLAGE}})`]],
      },
      {
        title: 'Time since the log was sealed',
        shape: 'number',
        unit: 's',
        redFrom: 300,
        queries: [['age', `time() - max(hamlet_log_sealed_seconds{${VILLAGE}})`]],
      },
    ],
    'API and world': [
      {
        title: 'Requests a second, by status',
        unit: 'reqps',
        queries: [
          ['{{status}}', `sum by (status) (rate(hamlet_http_request_seconds_count{${VILLAGE}}[$__rate_interval]))`],
        ],
      },
      {
        title: 'Time of a request',
        unit: 's',
        about: 'Without event streams and answers of models, which last as long as people and models take.',
        queries: ['0.5', '0.99'].map((share) => [
          `p${Number(share) * 100}`,
          `histogram_quantile(${share}, sum by (le) (rate(hamlet_http_request_seconds_bucket{${VILLAGE},route!~"openWakes|openInternalStream|completeChat"}[$__rate_interval])))`,
        ]),
      },
      {
        title: 'World events a second',
        queries: [['events', `max(rate(hamlet_world_seq{${VILLAGE}}[$__rate_interval]))`]],
      },
      {
        title: 'World events that wait for Postgres',
        about: 'Near 0. The API refuses commands at 20,000.',
        redFrom: 5_000,
        queries: [['events', `max(hamlet_world_backlog_events{${VILLAGE}})`]],
      },
      {
        title: 'Background jobs a minute',
        queries: [['{{outcome}}', `60 * sum by (outcome) (rate(hamlet_jobs_total{${VILLAGE}}[$__rate_interval]))`]],
      },
      {
        title: 'Event loop lag (p99)',
        unit: 's',
        queries: [['{{pod}}', `max by (pod) (nodejs_eventloop_lag_p99_seconds{${VILLAGE}})`]],
      },
    ],
    Operator: [
      {
        title: 'Reconciles a minute, by outcome',
        queries: [
          [
            '{{outcome}}',
            `60 * sum by (outcome) (rate(hamlet_operator_reconciles_total{${VILLAGE}}[$__rate_interval]))`,
          ],
        ],
      },
      {
        title: 'Agents that wait for the operator',
        queries: [
          ['for a worker', `max(hamlet_operator_queue_depth{${VILLAGE}})`],
          ['for a time', `max(hamlet_operator_queue_delayed{${VILLAGE}})`],
        ],
      },
      {
        title: 'Requests to the API server a second, by status',
        unit: 'reqps',
        queries: [
          ['{{status}}', `sum by (status) (rate(hamlet_operator_kube_requests_total{${VILLAGE}}[$__rate_interval]))`],
        ],
      },
      {
        title: 'Silence of watches',
        unit: 's',
        redFrom: 700,
        queries: [['{{kind}}', `max by (kind) (hamlet_operator_watch_silence_seconds{${VILLAGE}})`]],
      },
      {
        title: 'Firings an hour, by result',
        queries: [['{{result}}', `sum by (result) (increase(hamlet_operator_firings_total{${VILLAGE}}[1h]))`]],
      },
      {
        title: 'Differences between database and Kubernetes',
        redFrom: 1,
        queries: [['{{kind}}', `max by (kind) (hamlet_operator_drift{${VILLAGE}})`]],
      },
    ],
    'Broker and processes': [
      {
        title: 'Connections of agents to the outside',
        queries: [['{{pod}}', `sum by (pod) (hamlet_broker_open_connections{${VILLAGE}})`]],
      },
      {
        title: 'Memory',
        unit: 'bytes',
        queries: [['{{pod}}', `max by (pod) (process_resident_memory_bytes{${VILLAGE}})`]],
      },
      {
        title: 'Processors in use',
        queries: [['{{pod}}', `sum by (pod) (rate(process_cpu_seconds_total{${VILLAGE}}[$__rate_interval]))`]],
      },
    ],
  },
};
