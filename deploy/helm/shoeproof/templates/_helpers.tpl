{{- define "shoeproof.name" -}}
{{- .Values.nameOverride | default .Chart.Name | trunc 40 | trimSuffix "-" -}}
{{- end -}}

{{- define "shoeproof.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 40 | trimSuffix "-" -}}
{{- else if contains (include "shoeproof.name" .) .Release.Name -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name (include "shoeproof.name" .) | trunc 40 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{/* Labels that select pods; they never change with a release. Takes (dict "root" $ "component" "ingest"). */}}
{{- define "shoeproof.selector" -}}
app.kubernetes.io/name: {{ include "shoeproof.name" .root }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end -}}

{{/* A property's name as a suffix of object names. */}}
{{- define "shoeproof.suffix" -}}
{{- . | lower | replace "_" "-" | replace "." "-" -}}
{{- end -}}

{{/* The name of the CronJob of a property. Takes root, job and property. */}}
{{- define "shoeproof.cronJob" -}}
{{- printf "%s-%s-%s" (include "shoeproof.fullname" .root) .job (include "shoeproof.suffix" .property) | trunc 52 | trimSuffix "-" -}}
{{- end -}}

{{/* Fails if two properties have objects of one name: the longest is cut. */}}
{{- define "shoeproof.distinct" -}}
{{- $of := dict -}}
{{- range $property := .Values.properties -}}
{{- $name := include "shoeproof.cronJob" (dict "root" $ "job" "export" "property" $property) -}}
{{- with get $of $name -}}
{{- fail (printf "properties: %s and %s give objects of one name, such as %s; install them as two releases" . $property $name) -}}
{{- end -}}
{{- $_ := set $of $name $property -}}
{{- end -}}
{{- end -}}

{{- define "shoeproof.labels" -}}
{{ include "shoeproof.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name (.root.Chart.Version | replace "+" "_") }}
{{- end -}}

{{- define "shoeproof.serviceAccount" -}}
{{- if .Values.serviceAccount.create -}}
{{- .Values.serviceAccount.name | default (include "shoeproof.fullname" .) -}}
{{- else -}}
{{- .Values.serviceAccount.name | default "default" -}}
{{- end -}}
{{- end -}}

{{/* Takes (dict "root" $ "program" "audit"). The digest, where there is one, decides; the tag is for people. */}}
{{- define "shoeproof.image" -}}
{{- with .root.Values.image -}}
{{- if .registry }}{{ .registry }}/{{ end }}{{ .repository }}/{{ $.program }}:{{ .tag | default $.root.Chart.AppVersion }}
{{- with index .digests $.program }}@{{ . }}{{ end }}
{{- end -}}
{{- end -}}

{{/*
The configuration file of a component, as the program reads it. Takes root, user (a key of users; none without
ClickHouse) and settings; kafka is true if it connects to Kafka, chain if it signs or proves the chains or the journal.
*/}}
{{- define "shoeproof.settings" -}}
{{- $ours := dict -}}
{{- with .user -}}
{{- $ours = dict "clickhouse" (dict "user" (index $.root.Values.users .).name "password_file" "/etc/shoeproof/secrets/clickhouse") "patron_key_file" "/etc/shoeproof/secrets/patron_key" -}}
{{- end -}}
{{- with .root.Values.rulebooks -}}
{{- $books := list -}}
{{- range keys . | sortAlpha -}}{{- $books = append $books (printf "/etc/shoeproof/rulebooks/%s" .) -}}{{- end -}}
{{- $_ := set $ours "rulebooks" $books -}}
{{- end -}}
{{- if and .kafka (include "shoeproof.kafkaPassword" . | fromYaml).name -}}
{{- $_ := set $ours "kafka" (dict "sasl" (dict "password_file" "/etc/shoeproof/secrets/kafka")) -}}
{{- end -}}
{{- if and .chain .root.Values.secrets.chainKey.name -}}
{{- if eq .component "ingest" -}}
{{- $_ := set $ours "journal" (dict "key_file" "/etc/shoeproof/secrets/chain_key") -}}
{{- else -}}
{{- $_ := set $ours "console" (dict "chain_key_file" "/etc/shoeproof/secrets/chain_key") -}}
{{- end -}}
{{- end -}}
{{- $all := mergeOverwrite (deepCopy .root.Values.settings) (deepCopy .settings) $ours -}}
{{- if .kafka -}}
{{- include "shoeproof.kafkaAccount" (merge (dict "sasl" (dig "kafka" "sasl" dict $all)) .) -}}
{{- end -}}
{{- $all | toYaml -}}
{{- end -}}

{{/* Fails if the account at Kafka is not complete. Takes root, component, sasl. */}}
{{- define "shoeproof.kafkaAccount" -}}
{{- $secret := ternary "gatewayKafkaPassword" "kafkaPassword" (eq .component "gateway") -}}
{{- $password := (include "shoeproof.kafkaPassword" . | fromYaml).name -}}
{{- if .sasl.mechanism -}}
{{- if not (has .sasl.mechanism (list "plain" "scram-sha-256" "scram-sha-512")) -}}
{{- fail (printf "%s.settings.kafka.sasl.mechanism: %q, want plain, scram-sha-256 or scram-sha-512" .component .sasl.mechanism) -}}
{{- end -}}
{{- if not .sasl.username -}}{{- fail (printf "%s.settings.kafka.sasl.username: want the account for sasl.mechanism" .component) -}}{{- end -}}
{{- if not $password -}}{{- fail (printf "secrets.%s.name: want the Secret with the password of %s.settings.kafka.sasl" $secret .component) -}}{{- end -}}
{{- else if or .sasl.username $password -}}
{{- fail (printf "%s.settings.kafka.sasl.mechanism: want plain, scram-sha-256 or scram-sha-512 for the account of sasl.username and secrets.%s" .component $secret) -}}
{{- end -}}
{{- end -}}

{{/* The bytes of an amount of memory. */}}
{{- define "shoeproof.bytes" -}}
{{- $unit := regexFind "[A-Za-z]*$" (toString .) -}}
{{- $of := dict "" 1 "B" 1 "m" 0.001 "k" 1e3 "M" 1e6 "G" 1e9 "T" 1e12 "P" 1e15 "E" 1e18 "Ki" 1024 "KiB" 1024 "Mi" 1048576 "MiB" 1048576
  "Gi" 1073741824 "GiB" 1073741824 "Ti" 1099511627776 "Pi" 1125899906842624 "Ei" 1152921504606846976 -}}
{{- mulf (trimSuffix $unit (toString .) | float64) (get $of $unit) -}}
{{- end -}}

{{/* Secret of the account at Kafka: the gateway writes, the others read. */}}
{{- define "shoeproof.kafkaPassword" -}}
{{- with .root.Values.secrets -}}{{ ternary .gatewayKafkaPassword .kafkaPassword (eq $.component "gateway") | toYaml }}{{- end -}}
{{- end -}}

{{/* ConfigMap with the configuration file of one component. Takes root, component, user, settings, kafka, annotations. */}}
{{- define "shoeproof.config" -}}
apiVersion: v1
kind: ConfigMap
metadata:
  name: {{ include "shoeproof.fullname" .root }}-{{ .component }}
  labels: {{- include "shoeproof.labels" . | nindent 4 }}
  {{- with .annotations }}
  annotations: {{- toYaml . | nindent 4 }}
  {{- end }}
data:
  shoeproof.yaml: |
    {{- include "shoeproof.settings" . | nindent 4 }}
  {{- range $name, $text := .root.Values.rulebooks }}
  {{ printf "rulebook.%s" $name }}: |
    {{- $text | nindent 4 }}
  {{- end }}
{{- end -}}

{{/* Volumes with the settings, secrets and rulebooks of a component. */}}
{{- define "shoeproof.volumes" -}}
- name: config
  configMap:
    name: {{ include "shoeproof.fullname" .root }}-{{ .component }}
    items:
      - {key: shoeproof.yaml, path: shoeproof.yaml}
{{- if .root.Values.rulebooks }}
- name: rulebooks
  configMap:
    name: {{ include "shoeproof.fullname" .root }}-{{ .component }}
    items:
      {{- range keys .root.Values.rulebooks | sortAlpha }}
      - {key: {{ printf "rulebook.%s" . | quote }}, path: {{ . | quote }}}
      {{- end }}
{{- end }}
- name: secrets
  projected:
    defaultMode: 0440
    sources:
      {{- with .user }}{{ with index $.root.Values.users . }}
      - secret:
          name: {{ .secret }}
          items: [{key: {{ .key | quote }}, path: clickhouse}]
      {{- end }}{{ end }}
      {{- with .root.Values.users.archive }}{{ if and .name (eq $.component "console") }}
      - secret:
          name: {{ .secret }}
          items: [{key: {{ .key | quote }}, path: archive}]
      {{- end }}{{ end }}
      {{- with .root.Values.secrets }}
      {{- if $.user }}
      - secret:
          name: {{ .patronKey.name }}
          items: [{key: {{ .patronKey.key | quote }}, path: patron_key}]
      {{- end }}
      {{- if eq $.component "gateway" }}
      - secret:
          name: {{ .gatewayTokens.name }}
          items: [{key: {{ .gatewayTokens.key | quote }}, path: tokens.yaml}]
      {{- end }}
      {{- with include "shoeproof.kafkaPassword" $ | fromYaml }}{{ if and $.kafka .name }}
      - secret:
          name: {{ .name }}
          items: [{key: {{ .key | quote }}, path: kafka}]
      {{- end }}{{ end }}
      {{- if and $.chain .chainKey.name }}
      - secret:
          name: {{ .chainKey.name }}
          items: [{key: {{ .chainKey.key | quote }}, path: chain_key}]
      {{- end }}
      {{- end }}
{{- with .root.Values.secrets.tls.name }}
- name: tls
  secret: {secretName: {{ . }}, defaultMode: 0440}
{{- end }}
{{- with and (eq .component "console") .root.Values.secrets.console.name }}
- name: console
  secret: {secretName: {{ . }}, defaultMode: 0440}
{{- end }}
{{- if .signing }}
- name: signing
  secret: {secretName: {{ .root.Values.secrets.signingKeys.name }}, defaultMode: 0440}
{{- end }}
{{- if and .exports .root.Values.exports.bucket }}
- name: object-store
  secret:
    secretName: {{ .root.Values.secrets.objectStore.name }}
    defaultMode: 0440
    items: [{key: {{ .root.Values.secrets.objectStore.key | quote }}, path: secret_key}]
{{- else if .exports }}
- name: exports
  persistentVolumeClaim:
    claimName: {{ .root.Values.exports.existingClaim | default (printf "%s-exports" (include "shoeproof.fullname" .root)) }}
{{- end }}
{{- if eq .component "gateway" }}
- name: outbox
  persistentVolumeClaim:
    claimName: {{ .root.Values.gateway.outbox.existingClaim | default (printf "%s-outbox" (include "shoeproof.fullname" .root)) }}
{{- end }}
- name: tmp
  emptyDir: {}
{{- end -}}

{{- define "shoeproof.mounts" -}}
- {name: config, mountPath: /etc/shoeproof/config, readOnly: true}
- {name: secrets, mountPath: /etc/shoeproof/secrets, readOnly: true}
{{- if .root.Values.rulebooks }}
- {name: rulebooks, mountPath: /etc/shoeproof/rulebooks, readOnly: true}
{{- end }}
{{- if .root.Values.secrets.tls.name }}
- {name: tls, mountPath: /etc/shoeproof/tls, readOnly: true}
{{- end }}
{{- if and (eq .component "console") .root.Values.secrets.console.name }}
- {name: console, mountPath: /etc/shoeproof/console, readOnly: true}
{{- end }}
{{- if .signing }}
- {name: signing, mountPath: /etc/shoeproof/signing, readOnly: true}
{{- end }}
{{- if and .exports .root.Values.exports.bucket }}
- {name: object-store, mountPath: /etc/shoeproof/object-store, readOnly: true}
{{- else if .exports }}
- {name: exports, mountPath: /var/lib/shoeproof/exports, readOnly: {{ eq .component "console" }}}
{{- end }}
{{- if eq .component "gateway" }}
- {name: outbox, mountPath: /var/lib/shoeproof/outbox}
{{- end }}
- {name: tmp, mountPath: /tmp}
{{- end -}}

{{/* Settings of every pod, for Pod Security "restricted". 65532 is nonroot in the image. */}}
{{- define "shoeproof.pod" -}}
serviceAccountName: {{ include "shoeproof.serviceAccount" .root }}
automountServiceAccountToken: false
enableServiceLinks: false
{{- with .root.Values.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
securityContext:
  runAsNonRoot: true
  runAsUser: 65532
  runAsGroup: 65532
  fsGroup: 65532
  seccompProfile: {type: RuntimeDefault}
volumes:
  {{- include "shoeproof.volumes" . | nindent 2 }}
{{- end -}}

{{- define "shoeproof.placement" -}}
{{- with .nodeSelector }}
nodeSelector: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .tolerations }}
tolerations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .affinity }}
affinity: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{/* Container without its args. Also takes program and resources. */}}
{{- define "shoeproof.container" -}}
name: {{ .component }}
image: {{ include "shoeproof.image" . | quote }}
imagePullPolicy: {{ .root.Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: {drop: [ALL]}
volumeMounts:
  {{- include "shoeproof.mounts" . | nindent 2 }}
resources: {{- toYaml .resources | nindent 2 }}
{{- end -}}

{{/* A change of the file restarts the pod. */}}
{{- define "shoeproof.podAnnotations" -}}
checksum/config: {{ printf "%s%s" (include "shoeproof.settings" .) (toYaml .root.Values.rulebooks) | sha256sum }}
{{- with .annotations }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* Port for metrics and probes only: 9464 of each pod, also in the configuration file. */}}
{{- define "shoeproof.metricsPort" -}}
- {name: metrics, containerPort: 9464}
{{- end -}}

{{/* Headless Service, to scrape each pod. Also takes name. */}}
{{- define "shoeproof.metricsService" -}}
apiVersion: v1
kind: Service
metadata:
  name: {{ include "shoeproof.fullname" .root }}-{{ .name }}
  labels: {{- include "shoeproof.labels" . | nindent 4 }}
spec:
  clusterIP: None
  publishNotReadyAddresses: true
  selector: {{- include "shoeproof.selector" . | nindent 4 }}
  ports:
    - {name: metrics, port: 9464, targetPort: metrics}
{{- end -}}

{{/* Fails if the console of the values cannot run: no way to sign in, a file that no Secret has, a connection that no policy allows. */}}
{{- define "shoeproof.consoleIsComplete" -}}
{{- $s := dig "console" dict .Values.console.settings -}}
{{- if not (has $s.sign_in (list "oidc" "proxy" "token")) -}}
{{- fail "console.settings.console.sign_in: want oidc, proxy or token" -}}
{{- end -}}
{{- if not $s.access_file -}}
{{- fail "console.settings.console.access_file: want the file with the roles of groups and tokens, a key of the Secret secrets.console.name, such as /etc/shoeproof/console/access.yaml" -}}
{{- end -}}
{{- if not (or .Values.console.ingress.enabled $s.public_url) -}}
{{- fail "console.ingress.enabled or console.settings.console.public_url: want the https address at which browsers reach the console" -}}
{{- end -}}
{{- if eq $s.sign_in "oidc" -}}
{{- range list "issuer" "client_id" "client_secret_file" -}}
{{- if not (dig "oidc" . "" $s) -}}{{- fail (printf "console.settings.console.oidc.%s: want it for sign_in: oidc" .) -}}{{- end -}}
{{- end -}}
{{- end -}}
{{- range $key, $path := dict "access_file" $s.access_file "oidc.client_secret_file" (dig "oidc" "client_secret_file" "" $s) "proxy.secret_file" (dig "proxy" "secret_file" "" $s)
  "webhook.secret_file" (dig "webhook" "secret_file" "" $s) "notify_file" $s.notify_file "chain_key_file" $s.chain_key_file "exports.policy_file" (dig "exports" "policy_file" "" $s)
  "cert_file" $s.cert_file "key_file" $s.key_file -}}
{{- if and $path (hasPrefix "/etc/shoeproof/console/" $path) (not $.Values.secrets.console.name) -}}
{{- fail (printf "secrets.console.name: want the Secret whose key %s is console.settings.console.%s" (base $path) $key) -}}
{{- end -}}
{{- end -}}
{{- if and .Values.networkPolicy.enabled (not .Values.networkPolicy.web.ports) -}}
{{- range $what, $is := dict "the identity provider" (eq $s.sign_in "oidc") "console.webhook.url" (dig "webhook" "url" "" $s) "console.notify_file" $s.notify_file -}}
{{- if $is -}}
{{- fail (printf "networkPolicy.web.ports: want the ports of %s, such as 443; no policy allows the console to connect to it" $what) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
