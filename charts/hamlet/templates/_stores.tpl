{{- /* Postgres and Redis: the village's own, or those of the values `postgres.external` and `redis.external`. */ -}}

{{- /* The api's environment for a password: {{ include "hamlet.password" (list "HAMLET_REDIS_PASSWORD" "hamlet-redis" "password") }} */ -}}
{{- define "hamlet.password" -}}
- name: {{ index . 0 }}
  valueFrom: { secretKeyRef: { name: {{ index . 1 }}, key: {{ index . 2 }} } }
{{- end -}}

{{- /* The url of Postgres without a password: {{ include "hamlet.postgresUrl" (list . "app") }} */ -}}
{{- define "hamlet.postgresUrl" -}}
{{- $values := (index . 0).Values.postgres.external -}}
{{- if $values.host -}}
postgres://{{ index . 1 }}@{{ $values.host }}:{{ int $values.port }}/{{ $values.database }}?sslmode=verify-full
{{- if $values.caSecretName }}&sslrootcert=/etc/hamlet/postgres-ca/ca.crt{{ end }}
{{- else -}}
postgres://{{ index . 1 }}@hamlet-postgres:5432/hamlet
{{- end -}}
{{- end -}}

{{- define "hamlet.postgresEnv" -}}
{{- include "hamlet.password" (list "HAMLET_POSTGRES_PASSWORD" (include "hamlet.postgresSecret" (list . "hamlet-postgres")) "appPassword") }}
- { name: HAMLET_POSTGRES_URL, value: {{ include "hamlet.postgresUrl" (list . "app") | quote }} }
{{- end -}}

{{- /* Only for migrations. */ -}}
{{- define "hamlet.postgresOwnerEnv" -}}
{{- include "hamlet.password" (list "HAMLET_POSTGRES_OWNER_PASSWORD" (include "hamlet.postgresSecret" (list . "hamlet-postgres-owner")) "ownerPassword") }}
- { name: HAMLET_POSTGRES_OWNER_URL, value: {{ include "hamlet.postgresUrl" (list . "owner") | quote }} }
{{- end -}}

{{- /* The Secret of the passwords: {{ include "hamlet.postgresSecret" (list . "NAME OF THE VILLAGE'S OWN") }} */ -}}
{{- define "hamlet.postgresSecret" -}}
{{- $values := (index . 0).Values.postgres.external -}}
{{- if $values.host -}}
{{ required "postgres.external.secretName: name the Secret with appPassword and ownerPassword" $values.secretName }}
{{- else -}}
{{ index . 1 }}
{{- end -}}
{{- end -}}

{{- define "hamlet.redisEnv" -}}
{{- with .Values.redis.external -}}
{{- if .host -}}
{{- include "hamlet.password" (list "HAMLET_REDIS_PASSWORD" (required "redis.external.secretName: name the Secret with password" .secretName) "password") }}
- { name: HAMLET_REDIS_URL, value: "{{ if .tls }}rediss{{ else }}redis{{ end }}://{{ .host }}:{{ int .port }}{{ if .caSecretName }}?sslrootcert=/etc/hamlet/redis-ca/ca.crt{{ end }}" }
{{- else -}}
{{- include "hamlet.password" (list "HAMLET_REDIS_PASSWORD" "hamlet-redis" "password") }}
- { name: HAMLET_REDIS_URL, value: "redis://hamlet-redis:6379" }
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "hamlet.noArchiveOutside" -}}
{{- with .Values.postgres }}
{{- if and .external.host .archive.enabled }}{{ fail (printf "postgres.archive: the village cannot archive %s, a Postgres outside of it; archive it there" .external.host) }}{{ end }}
{{- end }}
{{- end -}}

{{- define "hamlet.archiveMounts" -}}
- { name: archive, mountPath: /var/lib/hamlet-archive }
- { name: archive-scripts, mountPath: /etc/hamlet/archive, readOnly: true }
{{- end -}}

{{- /* Mounts of the authorities (ca.crt) by which the api knows stores outside of the cluster, and their volumes. */ -}}
{{- define "hamlet.storeMounts" -}}
{{- range $store := list "postgres" "redis" }}
{{- with index $.Values $store "external" }}
{{- if and .host .caSecretName }}
- { name: {{ $store }}-ca, mountPath: /etc/hamlet/{{ $store }}-ca, readOnly: true }
{{- end }}
{{- end }}
{{- end }}
{{- end -}}

{{- define "hamlet.storeVolumes" -}}
{{- range $store := list "postgres" "redis" }}
{{- with index $.Values $store "external" }}
{{- if and .host .caSecretName }}
- name: {{ $store }}-ca
  secret: { secretName: {{ .caSecretName }} }
{{- end }}
{{- end }}
{{- end }}
{{- end -}}

{{- /* A block of addresses without those of stores outside; refuses a store without addresses: {{ include "hamlet.blockWithoutStores" (list . "v4" "0.0.0.0/0" (list "127.0.0.0/8")) }} */ -}}
{{- define "hamlet.blockWithoutStores" -}}
{{- $root := index . 0 -}}
{{- $except := index . 3 -}}
{{- range $store := list "postgres" "redis" -}}
{{- with index $root.Values $store "external" -}}
{{- if and .host (not .cidrs) }}{{ fail (printf "%s.external.cidrs: name the addresses of %s, so that agents cannot connect there" $store .host) }}{{ end -}}
{{- range .cidrs -}}
{{- if eq (ternary "v6" "v4" (contains ":" .)) (index $ 1) }}{{ $except = append $except . }}{{ end -}}
{{- end -}}
{{- end -}}
{{- end -}}
- ipBlock: { cidr: {{ index . 2 | quote }}, except: {{ toJson $except }} }
{{- end -}}
