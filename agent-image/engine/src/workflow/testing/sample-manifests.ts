/** Valid manifests with every file and most fields, by the names of their files. */
export const SAMPLE_MANIFESTS: ReadonlyMap<string, string> = new Map([
  [
    'agents.yaml',
    `# The people of the review.
models:
  - id: fast
    provider: openai
    name: gpt-5-mini
    base_url: http://127.0.0.1:8080/v1
    api_key_env: OPENAI_API_KEY # never the key itself
agents:
  - id: critic
    description: Judges a change.
    instructions: |
      You review a change.
      Be brief.
    model: fast
    context: short
    tools: [read]
    output: { type: object, properties: { score: { type: integer } }, required: [score] }
    budget: { steps: 20, tokens: 200000, minutes: 15, money: "0.5" }
    permissions: { filesystem: { read: ["src/**", "!src/secret/**"] } }
`,
  ],
  [
    'tools.yaml',
    `permissions: { network: { allow: [], deny: [] }, shell: { enabled: false } }
tools:
  - { id: read, uses: filesystem.read_file, description: Reads a file., timeout_s: 10 }
  - id: publish
    uses: handler
    description: Publishes a text.
    risk: high
    effect: keyed
    input: { type: object, properties: { text: { type: string } } }
`,
  ],
  [
    'workflow.yaml',
    `workflow:
  id: review
  max_parallel: 2
  nodes:
    - { id: fetch, role: tool, tool: read, input: { path: "=task.input.path" } }
    - { id: judge, role: agent, agent: critic, decides: true, retry: { attempts: 3, on: [agent, json] }, timeout_s: 600 }
    - { id: fix, role: linear, output: "={'text': input}" }
    - { id: ship, role: linear }
    - { id: end, role: merge, merge: reduce, output: "=inputs[0]" }
    - { id: polish, role: feedback, agent: critic, reviews: draft, until: "output.good" }
    - { id: draft, role: agent, agent: critic }
    - { id: alarm, role: linear, input: "==literal" }
    - { id: shout, role: tool, tool_plan: [publish], input: [{ tool_name: publish, arguments: {} }] }
  edges:
    - { from: fetch, to: judge }
    # A bad score is mended.
    - { from: judge, to: fix, type: conditional, when: "output.score < 3" }
    - { from: judge, to: ship, type: conditional, otherwise: true }
    - { from: fix, to: end }
    - { from: ship, to: end }
    - { from: end, to: draft }
    - { from: draft, to: polish }
    - { from: fetch, to: alarm, type: error }
    - { from: judge, to: shout, type: fallback }
  fallbacks:
    - { category: tool, role: tool, to: alarm }
`,
  ],
  [
    'pipelines.yaml',
    `pipelines:
  - { id: full, modes: [implement], tags: [code], score: 10, stages: { tool: [node, { id: look, role: linear }] } }
  - { id: plain }
`,
  ],
  [
    'memory.yaml',
    `stores: { root: notes }
context_profiles:
  - { id: short, max_tokens: 4000, retrieval_policy: recency, sources: [memory, task] }
`,
  ],
  [
    'plugins.yaml',
    `plugins:
  - { id: cost, uses: cost_tracking, config: { prices: { gpt-5-mini: { input: "0.25", output: "2" } } } }
telemetry:
  sinks: [{ type: memory }, { type: jsonl, path: logs/events.jsonl }, { type: otlp, endpoint: "http://127.0.0.1:4318" }]
  redact: [input.secret, "*.token"]
`,
  ],
  [
    'overrides.yaml',
    `overrides:
  - { kind: dry_run }
  - { kind: skip_tools, tools: [publish] }
  - { kind: model, agent: critic, model: fast }
  - { kind: require_review, agent: critic }
`,
  ],
]);
