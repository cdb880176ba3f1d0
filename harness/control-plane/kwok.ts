/** The configuration of kwok, which plays the kubelets. Given as a file: no CRD of kwok's appears in the cluster under test. */
export const SET_MARK = 'testing.sluice.dev/set';
export const SET_STATUS = 'testing.sluice.dev/set-status';
export const STUCK_TERMINATING = 'testing.sluice.dev/stuck-terminating';

const NOT_TOLD = { key: `.metadata.annotations["${SET_MARK}"]`, operator: 'DoesNotExist' };
const ALIVE = { key: '.metadata.deletionTimestamp', operator: 'DoesNotExist' };
const READY = '.status.conditions.[] | select( .type == "Ready" ) | .status';

/** kwok.yaml. A pod without annotations of ours turns Ready at once, a Job's pod succeeds, a deleted pod goes. */
export function kwokConfig(): string {
  const documents = [
    { apiVersion: 'config.kwok.x-k8s.io/v1alpha1', kind: 'KwokConfiguration', options: { enableCRDs: [] } },
    {
      apiVersion: 'kwok.x-k8s.io/v1alpha1',
      kind: 'ClusterExec',
      metadata: { name: 'all' },
      // kwok runs what our kubelet end point names, never what the pod's caller asked for (kubelet.ts).
      spec: { execs: [{ local: { workDir: '/', envs: [{ name: 'PATH', value: '/usr/bin:/bin' }] } }] },
    },
    stage('pod-ready', [ALIVE, NOT_TOLD, { key: READY, operator: 'NotIn', values: ['True'] }, phase('NotIn', 'Succeeded', 'Failed')], {
      statusTemplate: READY_STATUS,
    }),
    stage('pod-complete', [ALIVE, NOT_TOLD, phase('In', 'Running'), { key: READY, operator: 'In', values: ['True'] }, OWNED_BY_JOB], {
      statusTemplate: COMPLETE_STATUS,
    }),
    // Until the status carries the mark of what the annotation says: otherwise it would be written again and again.
    stage('pod-set', [ALIVE, { key: IS_AS_SET, operator: 'In', values: ['false'] }], { statusTemplate: SET_TEMPLATE }),
    stage(
      'pod-delete',
      [
        { key: '.metadata.deletionTimestamp', operator: 'Exists' },
        { key: `.metadata.annotations["${STUCK_TERMINATING}"]`, operator: 'DoesNotExist' },
      ],
      { delete: true },
    ),
  ];
  return documents.map((document) => JSON.stringify(document, null, 2)).join('\n---\n');
}

const OWNED_BY_JOB = { key: '.metadata.ownerReferences.[].kind', operator: 'In', values: ['Job'] };
const IS_AS_SET = `.metadata.annotations["${SET_MARK}"] as $set | select($set != null) | ([.status.conditions[]? | select(.type == "${SET_MARK}") | .message] | first) == $set`;

function phase(operator: 'In' | 'NotIn', ...values: readonly string[]) {
  return { key: '.status.phase', operator, values };
}

function stage(name: string, matchExpressions: readonly object[], next: object) {
  return {
    apiVersion: 'kwok.x-k8s.io/v1alpha1',
    kind: 'Stage',
    metadata: { name },
    spec: { resourceRef: { apiGroup: 'v1', kind: 'Pod' }, selector: { matchExpressions }, next },
  };
}

const ADDRESSES = `
hostIP: {{ NodeIPWith .spec.nodeName | Quote }}
podIP: {{ or .status.podIP ( PodIPWith .spec.nodeName ( or .spec.hostNetwork false ) ( or .metadata.uid "" ) ( or .metadata.name "" ) ( or .metadata.namespace "" ) ) | Quote }}
startTime: {{ or .status.startTime Now | Quote }}
`;

const READY_STATUS = `
{{ $now := Now }}
phase: Running
conditions:
- { type: Initialized, status: "True", lastTransitionTime: {{ $now | Quote }} }
- { type: Ready, status: "True", lastTransitionTime: {{ $now | Quote }} }
- { type: ContainersReady, status: "True", lastTransitionTime: {{ $now | Quote }} }
{{ range .spec.readinessGates }}
- { type: {{ .conditionType | Quote }}, status: "True", lastTransitionTime: {{ $now | Quote }} }
{{ end }}
containerStatuses:
{{ range .spec.containers }}
- name: {{ .name | Quote }}
  image: {{ .image | Quote }}
  ready: true
  started: true
  restartCount: 0
  state: { running: { startedAt: {{ $now | Quote }} } }
{{ end }}
initContainerStatuses:
{{ range .spec.initContainers }}
- name: {{ .name | Quote }}
  image: {{ .image | Quote }}
  ready: true
  restartCount: 0
  {{ if eq .restartPolicy "Always" }}
  started: true
  state: { running: { startedAt: {{ $now | Quote }} } }
  {{ else }}
  state: { terminated: { exitCode: 0, reason: Completed, startedAt: {{ $now | Quote }}, finishedAt: {{ $now | Quote }} } }
  {{ end }}
{{ end }}
${ADDRESSES}`;

const COMPLETE_STATUS = `
{{ $now := Now }}
phase: Succeeded
conditions:
- { type: Ready, status: "False", reason: PodCompleted, lastTransitionTime: {{ $now | Quote }} }
- { type: ContainersReady, status: "False", reason: PodCompleted, lastTransitionTime: {{ $now | Quote }} }
containerStatuses:
{{ range .spec.containers }}
- name: {{ .name | Quote }}
  image: {{ .image | Quote }}
  ready: false
  started: false
  restartCount: 0
  state: { terminated: { exitCode: 0, reason: Completed, startedAt: {{ $now | Quote }}, finishedAt: {{ $now | Quote }} } }
{{ end }}
`;

/** The behaviours in the annotation (lines of YAML, behaviours.ts), and the addresses that only kwok knows. */
const SET_TEMPLATE = `
{{ index .metadata.annotations "${SET_STATUS}" }}
${ADDRESSES}`;
