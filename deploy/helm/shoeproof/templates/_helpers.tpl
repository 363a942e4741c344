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

{{/* Takes (dict "root" $ "program" "audit"). */}}
{{- define "shoeproof.image" -}}
{{- with .root.Values.image -}}
{{- if .registry }}{{ .registry }}/{{ end }}{{ .repository }}/{{ $.program }}:{{ .tag | default $.root.Chart.AppVersion }}
{{- end -}}
{{- end -}}

{{/*
The configuration file of a component, as the program reads it. Takes root, user (a key of users) and
settings; kafka says that it has an account there.
*/}}
{{- define "shoeproof.settings" -}}
{{- $user := index .root.Values.users .user -}}
{{- $ours := dict "clickhouse" (dict "user" $user.name "password_file" "/etc/shoeproof/secrets/clickhouse") "patron_key_file" "/etc/shoeproof/secrets/patron_key" -}}
{{- with .root.Values.rulebooks -}}
{{- $books := list -}}
{{- range keys . | sortAlpha -}}{{- $books = append $books (printf "/etc/shoeproof/rulebooks/%s" .) -}}{{- end -}}
{{- $_ := set $ours "rulebooks" $books -}}
{{- end -}}
{{- if and .kafka .root.Values.secrets.kafkaPassword.name -}}
{{- $_ := set $ours "kafka" (dict "sasl" (dict "password_file" "/etc/shoeproof/secrets/kafka")) -}}
{{- end -}}
{{- mergeOverwrite (deepCopy .root.Values.settings) (deepCopy .settings) $ours | toYaml -}}
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
{{- $user := index .root.Values.users .user -}}
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
      - secret:
          name: {{ $user.secret }}
          items: [{key: {{ $user.key | quote }}, path: clickhouse}]
      {{- with .root.Values.users.archive }}{{ if and .name (eq $.component "console") }}
      - secret:
          name: {{ .secret }}
          items: [{key: {{ .key | quote }}, path: archive}]
      {{- end }}{{ end }}
      {{- with .root.Values.secrets }}
      - secret:
          name: {{ .patronKey.name }}
          items: [{key: {{ .patronKey.key | quote }}, path: patron_key}]
      {{- if and $.kafka .kafkaPassword.name }}
      - secret:
          name: {{ .kafkaPassword.name }}
          items: [{key: {{ .kafkaPassword.key | quote }}, path: kafka}]
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
