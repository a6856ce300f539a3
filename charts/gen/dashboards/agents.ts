import { VILLAGE, type Dashboard } from './dashboard.ts';

/** Containers of agents, as cAdvisor names them. The other pods of the namespace are those of the village itself. */
const CONTAINERS = `${VILLAGE},container!="",pod!~"hamlet-.*"`;
/** Agents that a panel names, so that a village of a thousand stays readable. */
const SHOWN = 10;

/** Agents at work: requests to models, tokens, the outside, and the resources of their pods. */
export const AGENTS_DASHBOARD: Dashboard = {
  uid: 'hamlet-agents',
  title: 'Hamlet: agents and tokens',
  about: 'Agents at work: their requests to models, their way out, and the resources of their pods.',
  rows: {
    Now: [
      {
        title: 'Agents',
        shape: 'number',
        queries: [['agents', `max(hamlet_operator_objects{${VILLAGE},kind="agents"})`]],
      },
      {
        title: 'Residents connected',
        shape: 'number',
        queries: [['residents', `sum(hamlet_wake_streams{${VILLAGE}})`]],
      },
      {
        title: 'Requests to models, last hour',
        shape: 'number',
        queries: [['requests', `sum(increase(hamlet_model_requests_total{${VILLAGE}}[1h]))`]],
      },
      {
        title: 'Tokens, last hour',
        shape: 'number',
        queries: [['tokens', `sum(increase(hamlet_model_tokens_total{${VILLAGE}}[1h]))`]],
      },
      {
        title: 'Requests that wait for a provider',
        shape: 'number',
        redFrom: 50,
        queries: [['requests', `sum(hamlet_model_requests_waiting{${VILLAGE}}) or vector(0)`]],
      },
    ],
    Models: [
      {
        title: 'Tokens a second, by model and kind',
        queries: [
          [
            '{{model}} {{kind}}',
            `sum by (model, kind) (rate(hamlet_model_tokens_total{${VILLAGE}}[$__rate_interval]))`,
          ],
        ],
      },
      {
        title: 'Requests a minute, by model and outcome',
        queries: [
          [
            '{{model}} {{outcome}}',
            `60 * sum by (model, outcome) (rate(hamlet_model_requests_total{${VILLAGE}}[$__rate_interval]))`,
          ],
        ],
      },
      {
        title: 'Time of a request (p90), by model',
        unit: 's',
        queries: [
          [
            '{{model}}',
            `histogram_quantile(0.9, sum by (model, le) (rate(hamlet_model_request_seconds_bucket{${VILLAGE}}[$__rate_interval])))`,
          ],
        ],
      },
      {
        title: 'Refused requests a minute, by reason',
        queries: [
          ['{{reason}}', `60 * sum by (reason) (rate(hamlet_model_refusals_total{${VILLAGE}}[$__rate_interval]))`],
        ],
      },
      {
        title: 'Attempts to reach the outside a minute, by refusal',
        about: 'none: the attempt went out.',
        queries: [
          ['{{refused}}', `60 * sum by (refused) (rate(hamlet_broker_attempts_total{${VILLAGE}}[$__rate_interval]))`],
        ],
      },
      {
        title: 'Lateness of firings (p99)',
        unit: 's',
        queries: [
          [
            'p99',
            `histogram_quantile(0.99, sum by (le) (rate(hamlet_operator_firing_late_seconds_bucket{${VILLAGE}}[$__rate_interval])))`,
          ],
        ],
      },
    ],
    [`Pods of agents: the ${SHOWN} largest`]: [
      {
        title: 'Processors in use',
        queries: [
          [
            '{{pod}}',
            `topk(${SHOWN}, sum by (pod) (rate(container_cpu_usage_seconds_total{${CONTAINERS}}[$__rate_interval])))`,
          ],
        ],
      },
      {
        title: 'Memory',
        unit: 'bytes',
        queries: [['{{pod}}', `topk(${SHOWN}, sum by (pod) (container_memory_working_set_bytes{${CONTAINERS}}))`]],
      },
      {
        title: 'Volumes, share in use',
        unit: 'percentunit',
        redFrom: 0.9,
        queries: [
          [
            '{{persistentvolumeclaim}}',
            `topk(${SHOWN}, max by (persistentvolumeclaim) (kubelet_volume_stats_used_bytes{${VILLAGE},persistentvolumeclaim=~".*-home"} / kubelet_volume_stats_capacity_bytes{${VILLAGE}}))`,
          ],
        ],
      },
    ],
  },
};
