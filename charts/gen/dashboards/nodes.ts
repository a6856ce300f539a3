import { VILLAGE, type Dashboard } from './dashboard.ts';

/** Containers of a node, without the sums over pods that cAdvisor also has. */
const CONTAINERS = 'container!="",container!="POD"';
const BY_NODE = 'by (node, instance)';
const NODE = '{{node}} {{instance}}';
const GPU = '{{Hostname}} GPU {{gpu}}';
const BY_SERVER = 'by (pod)';

/** Nodes by kubelet and cAdvisor, GPUs by NVIDIA's DCGM exporter, with the names that these give their metrics. */
export const NODES_DASHBOARD: Dashboard = {
  uid: 'hamlet-nodes',
  title: 'Hamlet: nodes and GPU',
  about:
    "Needs a Prometheus that scrapes kubelets (also cAdvisor) and NVIDIA's DCGM exporter, as kube-prometheus-stack and the GPU operator set it up. Model servers need monitoring.modelServers.",
  rows: {
    Nodes: [
      {
        title: 'Share of processors in use',
        unit: 'percentunit',
        queries: [
          [
            NODE,
            `sum ${BY_NODE} (rate(container_cpu_usage_seconds_total{${CONTAINERS}}[$__rate_interval])) / sum ${BY_NODE} (machine_cpu_cores)`,
          ],
        ],
      },
      {
        title: 'Share of memory in containers',
        unit: 'percentunit',
        redFrom: 0.9,
        about:
          "On DGX Spark a model's weights are in the same memory. They count here only as far as its container touches them with its processors; the page of nodes shows what is free.",
        queries: [
          [
            NODE,
            `sum ${BY_NODE} (container_memory_working_set_bytes{${CONTAINERS}}) / sum ${BY_NODE} (machine_memory_bytes)`,
          ],
        ],
      },
      {
        title: 'Pods with containers that run',
        queries: [[NODE, `sum ${BY_NODE} (kubelet_running_pods)`]],
      },
      {
        title: 'Time that containers wait for memory',
        unit: 'percentunit',
        about:
          'Pressure stall information, from Kubernetes 1.34 on: the share of time in which work waited for memory.',
        redFrom: 0.2,
        queries: [
          [
            NODE,
            `max ${BY_NODE} (rate(container_pressure_memory_waiting_seconds_total{${CONTAINERS}}[$__rate_interval]))`,
          ],
        ],
      },
      {
        title: "Network of this village's pods",
        unit: 'Bps',
        queries: [
          ['in', `sum(rate(container_network_receive_bytes_total{${VILLAGE}}[$__rate_interval]))`],
          ['out', `sum(rate(container_network_transmit_bytes_total{${VILLAGE}}[$__rate_interval]))`],
        ],
      },
      {
        title: 'Volumes of the village, share in use',
        unit: 'percentunit',
        redFrom: 0.9,
        queries: [
          [
            '{{persistentvolumeclaim}}',
            `topk(10, max by (persistentvolumeclaim) (kubelet_volume_stats_used_bytes{${VILLAGE}} / kubelet_volume_stats_capacity_bytes{${VILLAGE}}))`,
          ],
        ],
      },
    ],
    GPU: [
      { title: 'GPU in use', unit: 'percent', queries: [[GPU, 'max by (Hostname, gpu) (DCGM_FI_DEV_GPU_UTIL)']] },
      {
        title: 'Temperature',
        unit: 'celsius',
        redFrom: 85,
        queries: [[GPU, 'max by (Hostname, gpu) (DCGM_FI_DEV_GPU_TEMP)']],
      },
      { title: 'Power', unit: 'watt', queries: [[GPU, 'max by (Hostname, gpu) (DCGM_FI_DEV_POWER_USAGE)']] },
      {
        title: 'GPU memory in use',
        unit: 'mbytes',
        about:
          'Empty for GPUs that share their memory with the processors, such as DGX Spark: NVIDIA reports none for them.',
        queries: [[GPU, 'max by (Hostname, gpu) (DCGM_FI_DEV_FB_USED)']],
      },
    ],
    'Model servers (vLLM)': [
      {
        title: 'Requests at model servers',
        about:
          'Requests that wait while few run: the KV cache is full. A server computes at most maxNumSeqs at a time.',
        queries: [
          ['{{pod}} computes', `sum ${BY_SERVER} (vllm:num_requests_running{${VILLAGE}})`],
          ['{{pod}} waiting', `sum ${BY_SERVER} (vllm:num_requests_waiting{${VILLAGE}})`],
        ],
      },
      {
        title: 'KV cache in use',
        unit: 'percentunit',
        redFrom: 0.95,
        queries: [['{{pod}}', `max ${BY_SERVER} (vllm:kv_cache_usage_perc{${VILLAGE}})`]],
      },
      {
        title: 'Tokens a second',
        queries: [
          ['{{pod}} read', `sum ${BY_SERVER} (rate(vllm:prompt_tokens_total{${VILLAGE}}[$__rate_interval]))`],
          ['{{pod}} written', `sum ${BY_SERVER} (rate(vllm:generation_tokens_total{${VILLAGE}}[$__rate_interval]))`],
        ],
      },
      {
        title: 'Time to the first token (p95)',
        unit: 's',
        queries: [
          [
            '{{pod}}',
            `histogram_quantile(0.95, sum by (le, pod) (rate(vllm:time_to_first_token_seconds_bucket{${VILLAGE}}[$__rate_interval])))`,
          ],
        ],
      },
    ],
  },
};
