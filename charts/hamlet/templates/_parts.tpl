{{- /* Labels of a component: {{ include "hamlet.labels" (list . "api") }} */ -}}
{{- define "hamlet.labels" -}}
{{- $root := index . 0 -}}
app.kubernetes.io/name: hamlet
app.kubernetes.io/instance: {{ $root.Release.Name }}
app.kubernetes.io/component: {{ index . 1 }}
app.kubernetes.io/part-of: hamlet
app.kubernetes.io/managed-by: {{ $root.Release.Service }}
app.kubernetes.io/version: {{ $root.Chart.AppVersion | quote }}
{{- end -}}

{{- /* Name and labels of an object: {{ include "hamlet.metadata" (list . "api" "hamlet-api") }} */ -}}
{{- define "hamlet.metadata" -}}
metadata:
  name: {{ index . 2 }}
  labels: {{- include "hamlet.labels" (list (index . 0) (index . 1)) | nindent 4 }}
{{- end -}}

{{- /* Selector of a component's pods; it must never change, because selectors are immutable. */ -}}
{{- define "hamlet.selector" -}}
app.kubernetes.io/name: hamlet
app.kubernetes.io/component: {{ . }}
{{- end -}}

{{- /* Cluster-scoped names contain the village: {{ include "hamlet.clusterName" (list . "api") }} */ -}}
{{- define "hamlet.clusterName" -}}
{{- $root := index . 0 -}}
hamlet-{{ index . 1 }}.{{ $root.Release.Namespace }}
{{- end -}}

{{- /* Reference of an image: {{ include "hamlet.image" (list . "api") }} */ -}}
{{- define "hamlet.image" -}}
{{- $root := index . 0 -}}
{{- $name := index . 1 -}}
{{- $image := $root.Values.image -}}
{{- with index $root.Values.images $name -}}
{{ . }}
{{- else -}}
{{- if $image.registry }}{{ trimSuffix "/" $image.registry }}/{{ end }}hamlet/{{ $name }}:{{ $image.tag | default $root.Chart.AppVersion }}
{{- end -}}
{{- end -}}

{{- /* The image of the agents' pods, with the tools of the values. */ -}}
{{- define "hamlet.agentImage" -}}
{{ include "hamlet.image" (list . "agent") }}{{ if and (eq .Values.agentPods.tools "slim") (not .Values.images.agent) }}-slim{{ end }}
{{- end -}}

{{- /* Lets Prometheus read metrics at a port from the namespaces of the values; without any, no pod reads them: {{ include "hamlet.scrapers" (list . 9090) }} */ -}}
{{- define "hamlet.scrapers" -}}
{{- $port := index . 1 -}}
{{- with (index . 0).Values.monitoring.scraperNamespaces -}}
- from:
    {{- range . }}
    - namespaceSelector:
        matchLabels: { kubernetes.io/metadata.name: {{ . }} }
    {{- end }}
  ports:
    - { protocol: TCP, port: {{ $port }} }
{{- end }}
{{- end -}}

{{- /* Security context of a pod of the village itself: {{ include "hamlet.podSecurity" 1000 }} */ -}}
{{- define "hamlet.podSecurity" -}}
runAsNonRoot: true
runAsUser: {{ . }}
runAsGroup: {{ . }}
fsGroup: {{ . }}
fsGroupChangePolicy: OnRootMismatch
seccompProfile: { type: RuntimeDefault }
{{- end -}}

{{- define "hamlet.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end -}}

{{- define "hamlet.pullSecrets" -}}
{{- with .Values.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
{{- end -}}

{{- /* Probes of a server by its port; `starts` attempts, one a second or slower, may fail until its start: (dict "port" "people" "starts" 120) */ -}}
{{- define "hamlet.probes" -}}
startupProbe:
  httpGet: { path: /livez, port: {{ .port }} }
  periodSeconds: 1
  timeoutSeconds: 5
  failureThreshold: {{ .starts }}
readinessProbe:
  httpGet: { path: /readyz, port: {{ .port }} }
  periodSeconds: 2
  timeoutSeconds: 2
livenessProbe:
  httpGet: { path: /livez, port: {{ .port }} }
  periodSeconds: 10
  timeoutSeconds: 5
{{- end -}}

{{- /* A node's drain ends one replica of a component at a time: {{ include "hamlet.disruptionBudget" (list . "api") }} */ -}}
{{- define "hamlet.disruptionBudget" -}}
apiVersion: policy/v1
kind: PodDisruptionBudget
{{ include "hamlet.metadata" (list (index . 0) (index . 1) (printf "hamlet-%s" (index . 1))) }}
spec:
  maxUnavailable: 1
  selector:
    matchLabels: {{- include "hamlet.selector" (index . 1) | nindent 6 }}
{{- end -}}

{{- /*
Replicas of a component prefer different nodes, and leave a lost node after 30 s instead of Kubernetes' five minutes:
{{ include "hamlet.apart" "api" }}
*/ -}}
{{- define "hamlet.apart" -}}
affinity:
  podAntiAffinity:
    preferredDuringSchedulingIgnoredDuringExecution:
      - weight: 100
        podAffinityTerm:
          topologyKey: kubernetes.io/hostname
          labelSelector: { matchLabels: { {{- include "hamlet.selector" . | replace "\n" ", " -}} } }
tolerations:
  - { key: node.kubernetes.io/not-ready, operator: Exists, effect: NoExecute, tolerationSeconds: 30 }
  - { key: node.kubernetes.io/unreachable, operator: Exists, effect: NoExecute, tolerationSeconds: 30 }
{{- end -}}

{{- /*
DNS options. A DNS server on a lost node still gets half of the queries for about a minute, and the usual 5 s until the next try are the limit of
a connection to Postgres: every second connection would fail. Agents have the same options (operator/src/kinds/agent/pod-manifest.ts).
*/ -}}
{{- define "hamlet.dns" -}}
dnsConfig:
  options:
    - { name: timeout, value: "1" }
    - { name: attempts, value: "4" }
{{- end -}}

{{- /* Node of the first api, Postgres and Redis. */ -}}
{{- define "hamlet.corePlacement" -}}
priorityClassName: hamlet-core
{{- with .Values.core.nodeName }}
nodeSelector:
  kubernetes.io/hostname: {{ . }}
{{- end }}
{{- end -}}

{{- /* A value of a Secret that the first install creates: {{ include "hamlet.kept" (list . "hamlet-postgres" "appPassword") }} */ -}}
{{- define "hamlet.kept" -}}
{{- $root := index . 0 -}}
{{- $secret := lookup "v1" "Secret" $root.Release.Namespace (index . 1) | default dict -}}
{{- index ($secret.data | default dict) (index . 2) | default (randAlphaNum 32 | b64enc) -}}
{{- end -}}

{{- /* The api's environment for payments. */ -}}
{{- define "hamlet.paymentsEnv" -}}
{{- with .Values.payments.paypal }}
- { name: HAMLET_PAYPAL, value: {{ .mode | quote }} }
- { name: HAMLET_PAYPAL_CURRENCY, value: {{ .currency }} }
- { name: HAMLET_PAYPAL_RATE, value: {{ .rate | quote }} }
{{- if ne .mode "off" }}
- { name: HAMLET_PAYPAL_SECRETS_FILE, value: /etc/hamlet/paypal/secrets.json }
{{- $_ := required "payments.paypal.secretName: name the Secret with secrets.json, or set payments.paypal.mode to off" .secretName }}
{{- end }}
{{- with .proxyUrl }}
- { name: HAMLET_PAYPAL_PROXY, value: {{ . | quote }} }
{{- end }}
{{- end }}
{{- end -}}

{{- /* The api's environment for mail to people. */ -}}
{{- define "hamlet.mailEnv" -}}
{{- $url := .Values.oidc.publicUrl | default .Values.ingress.host }}
{{- with .Values.mail }}
{{- if .host }}
{{- if not $url }}{{ fail "mail.host: set ingress.host or oidc.publicUrl too, for the links in mails" }}{{ end }}
- { name: HAMLET_MAIL_HOST, value: {{ .host | quote }} }
- { name: HAMLET_MAIL_PORT, value: {{ .port | quote }} }
- { name: HAMLET_MAIL_TLS, value: {{ .tls | quote }} }
- { name: HAMLET_MAIL_FROM, value: {{ required "mail.from: write the address of the sender" .from | quote }} }
{{- if .user }}
- { name: HAMLET_MAIL_USER, value: {{ .user | quote }} }
- { name: HAMLET_MAIL_PASSWORD_FILE, value: /etc/hamlet/mail/password }
{{- end }}
{{- end }}
{{- end }}
{{- end -}}

{{- /* The api's environment for notices in browsers. */ -}}
{{- define "hamlet.pushEnv" -}}
{{- $url := .Values.oidc.publicUrl | default .Values.ingress.host }}
{{- with .Values.push }}
{{- if .enabled }}
{{- if not (or .contact $url) }}{{ fail "push.enabled: set push.contact, ingress.host or oidc.publicUrl too: push services require a contact" }}{{ end }}
- { name: HAMLET_PUSH_KEY_FILE, value: /etc/hamlet/push/key.pem }
{{- with .contact }}
- { name: HAMLET_PUSH_CONTACT, value: {{ . | quote }} }
{{- end }}
{{- with .hosts }}
- { name: HAMLET_PUSH_HOSTS, value: {{ join "," . | quote }} }
{{- end }}
{{- end }}
{{- end }}
{{- end -}}

{{- /* The api's environment for sign-in by OpenID Connect. */ -}}
{{- define "hamlet.oidcEnv" -}}
{{- $host := .Values.ingress.host }}
{{- with .Values.oidc }}
{{- $url := .publicUrl | default (ternary (printf "https://%s" $host) "" (ne $host "")) }}
{{- if $url }}
- { name: HAMLET_PUBLIC_URL, value: {{ $url | quote }} }
{{- end }}
{{- if .issuer }}
- { name: HAMLET_OIDC_ISSUER, value: {{ .issuer | quote }} }
- { name: HAMLET_OIDC_CLIENT_ID, value: {{ required "oidc.clientId: write the client id that the issuer gave" .clientId | quote }} }
- { name: HAMLET_OIDC_NAME, value: {{ .name | quote }} }
- { name: HAMLET_OIDC_SCOPE, value: {{ .scope | quote }} }
- { name: HAMLET_OIDC_GROUPS_CLAIM, value: {{ .groupsClaim | quote }} }
- { name: HAMLET_OIDC_ADMIN_GROUPS, value: {{ join "," .adminGroups | quote }} }
- { name: HAMLET_OIDC_MEMBER_GROUPS, value: {{ join "," .memberGroups | quote }} }
{{- if .secretName }}
- { name: HAMLET_OIDC_CLIENT_SECRET_FILE, value: /etc/hamlet/oidc/clientSecret }
{{- end }}
{{- end }}
{{- end }}
{{- end -}}
