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

{{- /* What selects a component's pods; never changes, because selectors cannot. */ -}}
{{- define "hamlet.selector" -}}
app.kubernetes.io/name: hamlet
app.kubernetes.io/component: {{ . }}
{{- end -}}

{{- /* Cluster-scoped names carry the village: {{ include "hamlet.clusterName" (list . "api") }} */ -}}
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

{{- /* Security of a pod that is no agent: {{ include "hamlet.podSecurity" 1000 }} */ -}}
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

{{- /* Where the api, Postgres and Redis run. */ -}}
{{- define "hamlet.corePlacement" -}}
priorityClassName: hamlet-core
{{- with .Values.core.nodeName }}
nodeSelector:
  kubernetes.io/hostname: {{ . }}
{{- end }}
{{- end -}}

{{- /* A value of a Secret that is made once and kept: {{ include "hamlet.kept" (list . "hamlet-postgres" "appPassword") }} */ -}}
{{- define "hamlet.kept" -}}
{{- $root := index . 0 -}}
{{- $secret := lookup "v1" "Secret" $root.Release.Namespace (index . 1) | default dict -}}
{{- index ($secret.data | default dict) (index . 2) | default (randAlphaNum 32 | b64enc) -}}
{{- end -}}
