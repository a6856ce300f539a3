{{- /*
The model servers of models.vllm and models.ollama with their defaults, as JSON: {servers: [{kind, name, port, …}]}. Numbers of values come back as
floats: write them with `int`.
*/ -}}
{{- define "hamlet.modelServers" -}}
{{- $servers := list -}}
{{- $names := list -}}
{{- range $kind, $own := dict "vllm" (dict "port" 8000) "ollama" (dict "port" 11434) -}}
{{- range $name, $given := index $.Values.models $kind -}}
{{- if $given -}}
{{- $server := mustMerge (dict "kind" $kind "name" $name) $own -}}
{{- $_ := include "hamlet.modelServerDefaults" . | fromYaml | mustMerge $server -}}
{{- range $field, $value := $given -}}
{{- if eq $field "weights" }}{{ $value = mustMerge (dict) $value $server.weights }}{{ end -}}
{{- $_ := set $server $field $value -}}
{{- end -}}
{{- if has $name $names -}}
{{- fail (printf "models.%s.%s: vllm and ollama both have a server of this name: rename one" $kind $name) -}}
{{- end -}}
{{- if not (or $server.fetch $server.weights.claimName) -}}
{{- fail (printf "models.%s.%s: set fetch to true to download the weights, or weights.claimName to a volume claim that has them" $kind $name) -}}
{{- end -}}
{{- if and $server.thoughts $server.reasoningParser -}}
{{- fail (printf "models.%s.%s: thoughts is for a server without a reasoningParser: leave one of them out" $kind $name) -}}
{{- end -}}
{{- $names = append $names $name -}}
{{- $servers = append $servers $server -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- dict "servers" $servers | toJson -}}
{{- end -}}

{{- define "hamlet.modelServerDefaults" -}}
models: [small, large]
contextTokens: 32768
maxNumSeqs: 8
replicas: 1
resourceClaimTemplateName: ""
memAvailableGiB: 0
sharedMemory: 8Gi
loadMinutes: 60
fetch: false
tokenSecretName: ""
weights: { claimName: "", size: 100Gi, storageClassName: "" }
nodeSelector: {}
runtimeClassName: ""
runAsUser: 1000
args: []
gpuMemoryUtilization: "0.70"
maxNumBatchedTokens: 4096
toolCallParser: ""
reasoningParser: ""
thoughts: ""
{{- end -}}

{{- /*
The api's configuration of models: models.config, with a provider and routes for each model server. Entries of models.config come first, so they
precede. Empty if both are.
*/ -}}
{{- define "hamlet.modelsConfig" -}}
{{- $config := deepCopy .Values.models.config -}}
{{- $providers := $config.providers | default dict -}}
{{- $routes := $config.routes | default list -}}
{{- $capabilities := $config.capabilities | default list -}}
{{- $servers := (include "hamlet.modelServers" . | fromJson).servers -}}
{{- range $servers -}}
{{- $server := . -}}
{{- if hasKey $providers .name -}}
{{- fail (printf "models.%s.%s: models.config has a provider of this name: rename the server" .kind .name) -}}
{{- end -}}
{{- $provider := dict "kind" .kind "baseUrl" (printf "http://hamlet-model-%s:%d" .name (int .port)) "maxInFlight" (mul (int .maxNumSeqs) (int .replicas)) -}}
{{- if eq .kind "vllm" -}}
{{- $urls := list -}}
{{- range $index := until (int .replicas) -}}
{{- $urls = append $urls (printf "http://hamlet-model-%s-%d.hamlet-model-%s-each:%d/metrics" $server.name $index $server.name (int $server.port)) -}}
{{- end -}}
{{- $_ := set $provider "baseUrl" (printf "%s/v1" $provider.baseUrl) -}}
{{- $_ := set $provider "metricsUrls" $urls -}}
{{- $can := dict "provider" .name "model" "*" "tools" (ne .toolCallParser "") "embeddings" false -}}
{{- with .thoughts }}{{ $_ := set $can "thoughts" . }}{{ end -}}
{{- $capabilities = append $capabilities $can -}}
{{- end -}}
{{- $_ := set $providers .name $provider -}}
{{- range .models -}}
{{- $routes = append $routes (dict "match" . "provider" $server.name "model" (include "hamlet.servedModel" $server) "contextTokens" (int $server.contextTokens)) -}}
{{- end -}}
{{- end -}}
{{- if $servers -}}
{{- $_ := set $config "providers" $providers -}}
{{- $_ := set $config "routes" $routes -}}
{{- with $capabilities -}}{{- $_ := set $config "capabilities" . -}}{{- end -}}
{{- end -}}
{{- with $config -}}{{- toJson . -}}{{- end -}}
{{- end -}}

{{- /* The name of a server's model in requests: a folder below /weights without its beginning. */ -}}
{{- define "hamlet.servedModel" -}}
{{ trimPrefix "/weights/" .model }}
{{- end -}}

{{- /*
The beginning of a server's command with memAvailableGiB: each start of the container, also after a crash, waits for memory of the node. CPU and GPU of
a DGX Spark share one pool, and a load that does not fit freezes the machine.
*/ -}}
{{- define "hamlet.waitForMemory" -}}
{{- with int .memAvailableGiB -}}
{{- $script := include "hamlet.memoryScript" . }}
  - sh
  - -c
  - {{ $script | quote }}
  - sh
{{- end -}}
{{- end -}}

{{- define "hamlet.memoryScript" -}}
trap 'exit 1' TERM
while true; do
  while read -r name kib unit; do [ "$name" = MemAvailable: ] && break; done < "${MEMINFO:-/proc/meminfo}"
  [ "$kib" -ge {{ mul . 1048576 }} ] && exec "$@"
  echo "MemAvailable of the node is $((kib / 1048576)) GiB, and the model needs {{ . }} GiB: waiting"
  sleep "${PAUSE_S:-5}"
done
{{- end -}}

{{- /* The pull needs a running server, so one runs beside it. */ -}}
{{- define "hamlet.ollamaPull" -}}
ollama serve & server=$!
until ollama list > /dev/null 2>&1; do kill -0 "$server" || exit 1; sleep 1; done
ollama pull "$MODEL"; code=$?
kill "$server"; wait "$server"
exit "$code"
{{- end -}}

{{- define "hamlet.modelServerEnv.vllm" -}}
- { name: HOME, value: /cache }
- { name: USER, value: hamlet }
- { name: HF_HOME, value: /weights/hub }
- { name: HF_HUB_OFFLINE, value: {{ .fetch | ternary "0" "1" | quote }} }
- { name: VLLM_CACHE_ROOT, value: /cache/vllm }
- { name: VLLM_NO_USAGE_STATS, value: "1" }
- { name: TORCHINDUCTOR_CACHE_DIR, value: /cache/inductor }
- { name: TRITON_CACHE_DIR, value: /cache/triton }
{{- with .tokenSecretName }}
- name: HF_TOKEN
  valueFrom: { secretKeyRef: { name: {{ . }}, key: token } }
{{- end }}
{{- end -}}

{{- define "hamlet.modelServerEnv.ollama" -}}
- { name: HOME, value: /cache }
- { name: MODEL, value: {{ .model | quote }} }
- { name: OLLAMA_HOST, value: "0.0.0.0:11434" }
- { name: OLLAMA_MODELS, value: /weights }
- { name: OLLAMA_CONTEXT_LENGTH, value: {{ int .contextTokens | quote }} }
- { name: OLLAMA_NUM_PARALLEL, value: {{ int .maxNumSeqs | quote }} }
- { name: OLLAMA_KEEP_ALIVE, value: "-1" }
- { name: OLLAMA_NOPRUNE, value: "1" }
{{- end -}}

{{- define "hamlet.modelServerCommand.vllm" -}}
command:
  {{- include "hamlet.waitForMemory" . }}
  - vllm
  - serve
  - {{ .model | quote }}
  - --host=0.0.0.0
  - --port=8000
  - --served-model-name={{ include "hamlet.servedModel" . }}
  - --max-model-len={{ int .contextTokens }}
  - --max-num-seqs={{ int .maxNumSeqs }}
  - --max-num-batched-tokens={{ int .maxNumBatchedTokens }}
  - --gpu-memory-utilization={{ .gpuMemoryUtilization }}
  {{- with .toolCallParser }}
  - --enable-auto-tool-choice
  - --tool-call-parser={{ . }}
  {{- end }}
  {{- with .reasoningParser }}
  - --reasoning-parser={{ . }}
  {{- end }}
  {{- range .args }}
  - {{ . | quote }}
  {{- end }}
{{- /* The port opens after the load; /health fails after the engine has died. */}}
startupProbe:
  httpGet: { path: /health, port: models }
  periodSeconds: 10
  timeoutSeconds: 5
  failureThreshold: {{ mul (int .loadMinutes) 6 }}
readinessProbe:
  httpGet: { path: /health, port: models }
  periodSeconds: 5
  timeoutSeconds: 5
livenessProbe:
  httpGet: { path: /health, port: models }
  periodSeconds: 15
  timeoutSeconds: 10
  failureThreshold: 4
{{- end -}}

{{- define "hamlet.modelServerCommand.ollama" -}}
command:
  {{- include "hamlet.waitForMemory" . }}
  - ollama
  - serve
{{- /* An empty prompt loads the model, which then stays in memory. */}}
startupProbe:
  exec: { command: [ollama, run, {{ .model | quote }}, ""] }
  periodSeconds: 10
  timeoutSeconds: 600
  failureThreshold: {{ mul (int .loadMinutes) 6 }}
readinessProbe:
  httpGet: { path: /api/version, port: models }
  periodSeconds: 5
  timeoutSeconds: 5
livenessProbe:
  httpGet: { path: /api/version, port: models }
  periodSeconds: 15
  timeoutSeconds: 10
  failureThreshold: 4
{{- end -}}

{{- define "hamlet.modelServerMounts" -}}
- { name: weights, mountPath: /weights, readOnly: {{ not .fetch }} }
- { name: shm, mountPath: /dev/shm }
- { name: cache, mountPath: /cache }
- { name: tmp, mountPath: /tmp }
{{- end -}}
