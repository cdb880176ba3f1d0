/** The request of an API server: the pod as it is after defaulting, with its managed fields. */
import type { Place } from './world.ts';

const PYTHON = ['python', '-m', 'train', '--data', '/data', '--epochs', '10', '--checkpoint', '/scratch/checkpoint'];
const QUOTED = { app: 'training', team: 'vision', 'batch.kubernetes.io/job-name': 'train' } as const;
const secret = (name: string, key: string) => ({ name, valueFrom: { secretKeyRef: { name: 'tracking', key } } });
const field = (name: string, fieldPath: string) => ({ name, valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath } } });
const TOKEN = 'kube-api-access-x7k2p';
const probe = { httpGet: { path: '/healthz', port: 8080, scheme: 'HTTP' }, timeoutSeconds: 1, periodSeconds: 10, failureThreshold: 3 };

/** A pod of a Job, about 3 kB, with one claim of a Dataset, which asks for sidecars. */
const podOf = ({ namespace, name }: Place) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    generateName: 'train-',
    creationTimestamp: null,
    labels: { ...QUOTED, 'batch.kubernetes.io/controller-uid': CONTROLLER, 'serverless.fluid.io/inject': 'true' },
    annotations: { 'prometheus.io/scrape': 'true', 'prometheus.io/port': '8080' },
    finalizers: ['batch.kubernetes.io/job-tracking'],
    ownerReferences: [{ apiVersion: 'batch/v1', kind: 'Job', name: 'train', uid: CONTROLLER, controller: true, blockOwnerDeletion: true }],
    managedFields: [
      {
        manager: 'kube-controller-manager',
        operation: 'Update',
        apiVersion: 'v1',
        time: '2026-01-01T00:00:00Z',
        fieldsType: 'FieldsV1',
        fieldsV1: MANAGED,
      },
    ],
  },
  spec: {
    volumes: [
      { name: 'data', persistentVolumeClaim: { claimName: name, readOnly: true } },
      { name: 'scratch', emptyDir: {} },
      {
        name: TOKEN,
        projected: {
          defaultMode: 420,
          sources: [
            { serviceAccountToken: { expirationSeconds: 3607, path: 'token' } },
            { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
            { downwardAPI: { items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }] } },
          ],
        },
      },
    ],
    containers: [
      {
        name: 'train',
        image: 'registry.example.com/vision/train:2026.1',
        command: PYTHON,
        env: [
          secret('TRACKING_TOKEN', 'token'),
          secret('TRACKING_URL', 'url'),
          field('POD_NAME', 'metadata.name'),
          field('NODE_NAME', 'spec.nodeName'),
          { name: 'OMP_NUM_THREADS', value: '4' },
          { name: 'DATASET', value: `${namespace}/${name}` },
        ],
        ports: [{ name: 'metrics', containerPort: 8080, protocol: 'TCP' }],
        resources: {
          limits: { cpu: '4', memory: '16Gi', 'nvidia.com/gpu': '1' },
          requests: { cpu: '2', memory: '8Gi', 'nvidia.com/gpu': '1' },
        },
        volumeMounts: [
          { name: 'data', readOnly: true, mountPath: '/data' },
          { name: 'scratch', mountPath: '/scratch' },
          { name: TOKEN, readOnly: true, mountPath: '/var/run/secrets/kubernetes.io/serviceaccount' },
        ],
        livenessProbe: probe,
        terminationMessagePath: '/dev/termination-log',
        terminationMessagePolicy: 'File',
        imagePullPolicy: 'IfNotPresent',
      },
    ],
    restartPolicy: 'Never',
    terminationGracePeriodSeconds: 30,
    dnsPolicy: 'ClusterFirst',
    serviceAccountName: 'default',
    serviceAccount: 'default',
    securityContext: { runAsUser: 1000, fsGroup: 1000 },
    schedulerName: 'default-scheduler',
    tolerations: ['not-ready', 'unreachable'].map((taint) => ({
      key: `node.kubernetes.io/${taint}`,
      operator: 'Exists',
      effect: 'NoExecute',
      tolerationSeconds: 300,
    })),
    priority: 0,
    enableServiceLinks: true,
    preemptionPolicy: 'PreemptLowerPriority',
  },
  status: {},
});

const CONTROLLER = '5c2f7c6e-2b1a-4d0e-9b67-0f6b3a1d2c01';
const MANAGED = {
  'f:metadata': { 'f:generateName': {}, 'f:labels': Object.fromEntries(Object.keys(QUOTED).map((key) => [`f:${key}`, {}])) },
  'f:spec': { 'f:containers': { 'k:{"name":"train"}': { '.': {}, 'f:command': {}, 'f:image': {}, 'f:name': {} } }, 'f:restartPolicy': {} },
};

/** @param uid of the request */
export const reviewOf = (place: Place, uid: string) => ({
  kind: 'AdmissionReview',
  apiVersion: 'admission.k8s.io/v1',
  request: {
    uid,
    kind: { group: '', version: 'v1', kind: 'Pod' },
    resource: { group: '', version: 'v1', resource: 'pods' },
    requestKind: { group: '', version: 'v1', kind: 'Pod' },
    requestResource: { group: '', version: 'v1', resource: 'pods' },
    namespace: place.namespace,
    operation: 'CREATE',
    userInfo: {
      username: 'system:serviceaccount:kube-system:job-controller',
      uid: '8f7a3a80-6a68-4a9d-a2c5-6f0c1d2e3f40',
      groups: ['system:serviceaccounts', 'system:serviceaccounts:kube-system', 'system:authenticated'],
    },
    object: podOf(place),
    oldObject: null,
    dryRun: false,
    options: { kind: 'CreateOptions', apiVersion: 'meta.k8s.io/v1' },
  },
});
