/** When each alert fires, and when it is silent. Values are a minute apart, and begin with the fault. */
import { adviceOfCondition, adviceOfReason, withoutLinks } from '../../src/planning/advice.ts';
import type { Inputs } from './promtool.ts';

export interface Firing {
  readonly inputs: Inputs;
  /** Minutes until it is there, beside those of `for`. */
  readonly after?: number;
  readonly labels?: Readonly<Record<string, string>>;
  readonly summary: string;
  /** Default: the text of the table, which is no template. */
  readonly toDo?: string;
}
export interface AlertCases {
  readonly fires: readonly Firing[];
  /** Series while all is well, or of no interest, by why. */
  readonly silent: Readonly<Record<string, Inputs>>;
}

const LONG = 200;
const stays = (value: number | string) => `${value}+0x${LONG}`;
/** Grows by so much each minute. */
const grows = (by: number) => `0+${by}x${LONG}`;
/** Is 0 for a while, then 1. */
const once = `0+0x5 1+0x${LONG}`;
const HOME = { namespace: 'fluid-system' };
const DEMO = { namespace: 'ml', dataset: 'demo' };
const text = (labels: Readonly<Record<string, string>>) =>
  Object.entries(labels)
    .map(([name, value]) => `${name}="${value}"`)
    .join(',');
const of = (name: string, labels: Readonly<Record<string, string>> = {}) => `${name}{${text(labels)}}`;
const pod = (name: string) => ({ ...HOME, pod: name });
const up = (job: string, name = `${job}-a`) => of('up', { job, ...pod(name) });

const CONDITION = 'sluice_dataset_condition_timestamp_seconds';
const condition = (type: string, reason: string) => ({ ...DEMO, condition: type, reason });
/** Two replicas serve the same. */
const twice = (name: string, labels: Readonly<Record<string, string>>, values: string): Inputs => ({
  [of(name, { ...labels, pod: 'a' })]: values,
  [of(name, { ...labels, pod: 'b' })]: values,
});
const inPhase = (phase: string) => twice('sluice_dataset_phase', { ...DEMO, kind: 'ThinRuntime', phase }, stays(1));
const summed = { [of('sluice_dataset_series_summed')]: stays(1), [of('sluice_dataset_series_limit')]: stays(20_000) };
const unnamed = { [of('sluice_dataset_series_summed')]: stays(0), [of('sluice_dataset_series_limit')]: stays(0) };
const namedOnes = { [of('sluice_dataset_series_summed')]: stays(0), [of('sluice_dataset_series_limit')]: stays(20_000) };

/** The condition and the reason of a Dataset, of which `sluice explain` says the same. */
const attention = (type: string, reason: string, bound: boolean): Firing => ({
  inputs: { ...twice(CONDITION, condition(type, reason), stays(1)), ...inPhase(bound ? 'Bound' : 'NotBound') },
  labels: condition(type, reason),
  summary: bound
    ? `Dataset ml/demo needs attention: condition ${type}, reason ${reason}`
    : `Dataset ml/demo is not set up: condition ${type}, reason ${reason}`,
  toDo: adviceOfCondition(type) ?? withoutLinks(adviceOfReason(reason, 'runtime') ?? ''),
});

export const cases: Readonly<Record<string, AlertCases>> = {
  SluiceControllerAbsent: {
    fires: [
      { inputs: { [of('vector_of_others')]: stays(1) }, summary: 'No replica of the Sluice controller answers a scrape' },
      { inputs: { [up('sluice-controller')]: stays(0) }, summary: 'No replica of the Sluice controller answers a scrape' },
    ],
    silent: { 'one of two answers': { [up('sluice-controller', 'a')]: stays(0), [up('sluice-controller', 'b')]: stays(1) } },
  },
  SluiceTargetDown: {
    fires: [
      {
        inputs: { [up('sluice-csi', 'a')]: stays(0), [up('sluice-csi', 'b')]: stays(1) },
        labels: { job: 'sluice-csi', ...pod('a') },
        summary: 'Pod fluid-system/a of sluice-csi does not answer scrapes',
      },
    ],
    silent: { 'a target of others': { [up('node-exporter')]: stays(0) }, 'a restart': { [up('sluice-csi')]: `0+0x8 1+0x${LONG}` } },
  },
  SluiceNoLeader: {
    fires: [
      {
        inputs: twice('leader_election_master_status', { ...HOME, name: 'sluice' }, stays(0)),
        labels: HOME,
        summary: 'No replica of the Sluice controller in fluid-system leads',
      },
    ],
    silent: {
      'one of two leads': {
        [of('leader_election_master_status', { ...pod('a'), name: 'sluice' })]: stays(0),
        [of('leader_election_master_status', { ...pod('b'), name: 'sluice' })]: stays(1),
      },
      'a controller of another project has no leader': { [of('leader_election_master_status', { ...HOME, name: 'other' })]: stays(0) },
    },
  },
  SluiceWatchStale: {
    fires: [
      {
        inputs: { [of('sluice_watch_up', { ...pod('a'), resource: 'datasets' })]: stays(0) },
        labels: { ...pod('a'), resource: 'datasets' },
        summary: 'Pod fluid-system/a does not see changes of datasets',
      },
    ],
    silent: { 'a watch that began again': { [of('sluice_watch_up', { ...pod('a'), resource: 'datasets' })]: `0 1+0x${LONG}` } },
  },
  SluiceReconcileFails: {
    fires: [
      {
        inputs: { [of('controller_runtime_reconcile_errors_total', { ...pod('a'), controller: 'dataset' })]: grows(1) },
        after: 2,
        labels: HOME,
        summary: 'Passes of the Sluice controller in fluid-system fail',
      },
    ],
    silent: {
      'one failure': { [of('controller_runtime_reconcile_errors_total', { ...pod('a'), controller: 'dataset' })]: once },
      'a controller of another project': { [of('controller_runtime_reconcile_errors_total', { ...pod('x'), controller: 'x' })]: grows(1) },
    },
  },
  SluiceQueueLong: {
    fires: [
      {
        inputs: { [of('workqueue_depth', { ...pod('a'), name: 'dataset' })]: stays(101) },
        labels: HOME,
        summary: 'More than 100 keys wait for the Sluice controller in fluid-system',
      },
    ],
    silent: {
      'a queue that is empty at times': { [of('workqueue_depth', { ...pod('a'), name: 'dataset' })]: '500+0x5 0 '.repeat(20).trim() },
    },
  },
  SluiceApiServerFails: {
    fires: [
      {
        inputs: {
          [of('rest_client_requests_total', { ...pod('a'), job: 'sluice-controller', code: '<error>' })]: grows(2),
          [of('rest_client_requests_total', { ...pod('a'), job: 'sluice-controller', code: '200' })]: grows(10),
        },
        after: 2,
        labels: HOME,
        summary: 'More than a tenth of the requests of the Sluice controller in fluid-system to the API server fail',
      },
    ],
    silent: {
      'conflicts, and what does not exist': {
        [of('rest_client_requests_total', { ...pod('a'), job: 'sluice-controller', code: '409' })]: grows(5),
        [of('rest_client_requests_total', { ...pod('a'), job: 'sluice-controller', code: '404' })]: grows(5),
      },
      'one of twenty': {
        [of('rest_client_requests_total', { ...pod('a'), job: 'sluice-controller', code: '503' })]: grows(1),
        [of('rest_client_requests_total', { ...pod('a'), job: 'sluice-controller', code: '200' })]: grows(19),
      },
    },
  },
  SluiceSidecarsNotStopped: {
    fires: [
      {
        inputs: { [of('sluice_sidecar_stops_total', { ...pod('a'), result: 'failed' })]: once },
        after: 7,
        labels: HOME,
        summary: 'The Sluice controller in fluid-system cannot stop sidecars of pods that have ended',
      },
    ],
    silent: { 'sidecars that stop': { [of('sluice_sidecar_stops_total', { ...pod('a'), result: 'stopped' })]: grows(1) } },
  },
  SluiceVersionsDiffer: {
    fires: [
      {
        inputs: {
          [of('sluice_build_info', { ...pod('a'), version: '1' })]: stays(1),
          [of('sluice_build_info', { ...pod('b'), version: '2' })]: stays(1),
        },
        labels: HOME,
        summary: 'Pods of Sluice in fluid-system run different versions',
      },
    ],
    silent: { 'one version': twice('sluice_build_info', { ...HOME, version: '1' }, stays(1)) },
  },
  SluiceSeriesSummed: {
    fires: [
      {
        inputs: { [of('sluice_dataset_series_summed', pod('a'))]: stays(1) },
        labels: HOME,
        summary: 'There are more Datasets than the metrics of the Sluice controller in fluid-system show one by one',
      },
    ],
    silent: { 'a series for each': { [of('sluice_dataset_series_summed', pod('a'))]: stays(0) } },
  },
  SluiceDatasetFailed: {
    fires: [
      { inputs: inPhase('Failed'), labels: { ...DEMO, kind: 'ThinRuntime' }, summary: 'Dataset ml/demo was bound and does not serve' },
      {
        inputs: { ...summed, [of('sluice_dataset_phase', { namespace: 'ml', kind: 'ThinRuntime', phase: 'Failed' })]: stays(7) },
        labels: { namespace: 'ml', kind: 'ThinRuntime' },
        summary: '7 Datasets were bound and do not serve',
      },
      {
        inputs: { ...unnamed, [of('sluice_datasets', { phase: 'Failed' })]: stays(2) },
        summary: '2 Datasets were bound and do not serve',
      },
    ],
    silent: { 'Datasets that serve': { ...inPhase('Bound'), ...namedOnes, [of('sluice_datasets', { phase: 'Bound' })]: stays(1) } },
  },
  SluiceDatasetUnavailable: {
    fires: [
      {
        inputs: twice(CONDITION, condition('DataUnavailable', 'NoAnswer'), stays(1)),
        labels: { ...DEMO, reason: 'NoAnswer' },
        summary: 'Dataset ml/demo does not answer those who read it: NoAnswer',
      },
      {
        inputs: { ...summed, [of('sluice_datasets_unavailable', { reason: 'NoAnswer' })]: stays(3) },
        labels: { reason: 'NoAnswer' },
        summary: '3 Datasets do not answer those who read them: NoAnswer',
      },
    ],
    silent: {
      'another condition': twice(CONDITION, condition('Synced', 'SecretNotFound'), stays(1)),
      'Datasets that have names, a moment before their series': {
        ...namedOnes,
        [of('sluice_datasets_unavailable', { reason: 'NoAnswer' })]: stays(3),
      },
    },
  },
  SluiceDatasetNotReady: {
    fires: [
      attention('Synced', 'SecretNotFound', false),
      attention('Synced', 'InvalidSpec', false),
      attention('NotReady', 'RuntimeNotFound', false),
      attention('PodsPending', 'ImagePullBackOff', false),
      attention('Synced', 'AcmeProfileNotFound', false),
      { ...attention('Synced', 'Fluids', false), toDo: 'see the message of the condition' },
    ],
    silent: {
      'one that serves': attention('Synced', 'SecretNotFound', true).inputs,
      'one in the midst of its set-up': {
        ...inPhase('NotBound'),
        ...twice(CONDITION, condition('Synced', 'WorkersNotReady'), `1+0x20 _x${LONG}`),
      },
    },
  },
  SluiceDatasetNeedsAttention: {
    fires: [
      attention('Synced', 'FieldConflict', true),
      attention('Synced', 'DeleteFailed', true),
      attention('PodsCrashing', 'PodsCrashing', true),
      attention('MountsDiffer', 'MountsDiffer', true),
      {
        inputs: { ...summed, [of('sluice_runtimes_not_synced', { kind: 'ThinRuntime', reason: 'SecretNotFound' })]: stays(4) },
        labels: { kind: 'ThinRuntime', reason: 'SecretNotFound' },
        summary: '4 runtimes ThinRuntime are not as their specs say: SecretNotFound',
        toDo: adviceOfReason('SecretNotFound', 'runtime') ?? '',
      },
    ],
    silent: {
      'one that was never set up': attention('Synced', 'SecretNotFound', false).inputs,
      'a warning about its spec': attention('SpecWarning', 'SpecPartlyIgnored', true).inputs,
      'pods of an older template': attention('PodsOutdated', 'PodsOutdated', true).inputs,
      'what another alert says': attention('DataUnavailable', 'NoAnswer', true).inputs,
    },
  },
  SluiceFusePodsNotReady: {
    fires: [
      {
        inputs: {
          ...twice('sluice_dataset_fuse_pods_desired', { ...DEMO, kind: 'ThinRuntime' }, stays(3)),
          ...twice('sluice_dataset_fuse_pods_ready', { ...DEMO, kind: 'ThinRuntime' }, stays(1)),
        },
        labels: { ...DEMO, kind: 'ThinRuntime' },
        summary: 'Dataset ml/demo lacks 2 fuse pods that are ready',
      },
      {
        inputs: {
          [of('sluice_dataset_fuse_pods_desired', { namespace: 'ml', kind: 'ThinRuntime' })]: stays(300),
          [of('sluice_dataset_fuse_pods_ready', { namespace: 'ml', kind: 'ThinRuntime' })]: stays(290),
        },
        labels: { namespace: 'ml', kind: 'ThinRuntime' },
        summary: 'Datasets of ThinRuntime in ml lack 10 fuse pods that are ready',
      },
    ],
    silent: {
      'all are ready': {
        ...twice('sluice_dataset_fuse_pods_desired', { ...DEMO, kind: 'ThinRuntime' }, stays(3)),
        ...twice('sluice_dataset_fuse_pods_ready', { ...DEMO, kind: 'ThinRuntime' }, stays(3)),
      },
    },
  },
  SluiceOperationWaits: {
    fires: [
      {
        inputs: twice('sluice_operations_longest_wait_seconds', { kind: 'DataLoad', reason: 'RuntimeNotReady' }, stays(3660)),
        labels: { kind: 'DataLoad', reason: 'RuntimeNotReady' },
        summary: 'A DataLoad has waited for 1h 1m 0s: RuntimeNotReady',
        toDo: adviceOfReason('RuntimeNotReady', 'operation') ?? '',
      },
      {
        inputs: twice('sluice_operations_longest_wait_seconds', { kind: 'DataLoad', reason: 'ReferenceNotAllowed' }, stays(7200)),
        labels: { kind: 'DataLoad', reason: 'ReferenceNotAllowed' },
        summary: 'A DataLoad has waited for 2h 0m 0s: ReferenceNotAllowed',
        toDo: adviceOfReason('ReferenceNotAllowed', 'operation') ?? '',
      },
    ],
    silent: {
      'its turn': twice('sluice_operations_longest_wait_seconds', { kind: 'DataLoad', reason: 'WaitingForTurn' }, stays(9000)),
      'a user paused it': twice('sluice_operations_longest_wait_seconds', { kind: 'DataLoad', reason: 'Paused' }, stays(9000)),
      'half an hour': twice('sluice_operations_longest_wait_seconds', { kind: 'DataLoad', reason: 'RuntimeNotReady' }, stays(1800)),
    },
  },
  SluiceOperationFails: {
    fires: [
      {
        inputs: { [of('sluice_operation_duration_seconds_count', { ...pod('a'), kind: 'DataLoad', result: 'Failed' })]: once },
        after: 7,
        labels: { kind: 'DataLoad' },
        summary: 'Jobs of a DataLoad failed in the last hour',
      },
    ],
    silent: {
      'Jobs that end well': {
        [of('sluice_operation_duration_seconds_count', { ...pod('a'), kind: 'DataLoad', result: 'Complete' })]: grows(1),
      },
    },
  },
  SluiceOperationFailed: {
    fires: [
      {
        inputs: twice('sluice_operations', { kind: 'DataMigrate', phase: 'Failed' }, stays(2)),
        labels: { kind: 'DataMigrate' },
        summary: '2 DataMigrate have failed, and still exist',
      },
    ],
    silent: { 'operations that are complete': twice('sluice_operations', { kind: 'DataMigrate', phase: 'Complete' }, stays(2)) },
  },
  SluiceOperationStuck: {
    fires: [
      {
        inputs: {
          ...twice(
            'sluice_dataset_operation_timestamp_seconds',
            { ...DEMO, kind: 'JuiceFSRuntime', operation: 'DataLoad', phase: 'Executing' },
            stays(0),
          ),
          ...twice('sluice_dataset_operation_progress_ratio', { ...DEMO, kind: 'JuiceFSRuntime', operation: 'DataLoad' }, stays(0.4)),
        },
        after: 61,
        labels: { ...DEMO, operation: 'DataLoad' },
        summary: 'A DataLoad of Dataset ml/demo runs without progress',
      },
    ],
    silent: {
      'one that goes on': {
        ...twice('sluice_dataset_operation_timestamp_seconds', { ...DEMO, operation: 'DataLoad', phase: 'Executing' }, stays(0)),
        ...twice('sluice_dataset_operation_progress_ratio', { ...DEMO, operation: 'DataLoad' }, `0+0.001x${LONG}`),
      },
      'one that waits': twice('sluice_dataset_operation_timestamp_seconds', { ...DEMO, operation: 'DataLoad', phase: 'Pending' }, stays(0)),
      'one that reports no progress': twice(
        'sluice_dataset_operation_timestamp_seconds',
        { ...DEMO, operation: 'DataProcess', phase: 'Executing' },
        stays(0),
      ),
    },
  },
  SluiceNodePluginAbsent: {
    fires: [{ inputs: { [up('sluice-csi')]: stays(0) }, summary: 'No node plugin of Sluice answers a scrape' }],
    silent: { 'one of two answers': { [up('sluice-csi', 'a')]: stays(0), [up('sluice-csi', 'b')]: stays(1) } },
  },
  SluiceClientHangs: {
    fires: [
      {
        inputs: {
          [of('sluice_csi_dataset_hanging', { ...DEMO, pod: 'a' })]: stays(1),
          [of('sluice_csi_dataset_hanging', { ...DEMO, pod: 'b' })]: stays(0),
        },
        labels: DEMO,
        summary: 'On a node the FUSE client of Dataset ml/demo does not answer',
      },
    ],
    silent: { 'a moment': { [of('sluice_csi_dataset_hanging', { ...DEMO, pod: 'a' })]: `1+0x3 0+0x${LONG}` } },
  },
  SluiceRecoveryFails: {
    fires: [
      {
        inputs: { [of('sluice_csi_dataset_recoveries_total', { ...DEMO, pod: 'a', result: 'failed' })]: once },
        after: 7,
        labels: DEMO,
        summary: 'Mounts of Dataset ml/demo cannot be bound again after its FUSE client ended',
      },
    ],
    silent: { 'mounts that are bound': { [of('sluice_csi_dataset_recoveries_total', { ...DEMO, pod: 'a', result: 'bound' })]: once } },
  },
  SluiceRecoversOften: {
    fires: [
      {
        inputs: { [of('sluice_csi_dataset_recoveries_total', { ...DEMO, pod: 'a', result: 'bound' })]: grows(1) },
        after: 30,
        labels: DEMO,
        summary: 'Mounts of Dataset ml/demo were bound again 30 times in an hour',
      },
    ],
    silent: { once: { [of('sluice_csi_dataset_recoveries_total', { ...DEMO, pod: 'a', result: 'bound' })]: once } },
  },
  SluiceRecoveryUnseen: {
    fires: [
      {
        inputs: { [of('sluice_csi_dataset_recoveries_total', { ...DEMO, pod: 'a', result: 'unseen' })]: once },
        after: 7,
        labels: DEMO,
        summary: 'Pods that read Dataset ml/demo do not see its new FUSE client until they restart',
      },
    ],
    silent: { 'mounts that are seen': { [of('sluice_csi_dataset_recoveries_total', { ...DEMO, pod: 'a', result: 'bound' })]: once } },
  },
  SluiceVolumesWait: {
    fires: [
      {
        inputs: { [of('sluice_csi_dataset_publishes_total', { ...DEMO, pod: 'a', result: 'waits' })]: grows(1) },
        after: 2,
        labels: DEMO,
        summary: 'Pods wait for the volume of Dataset ml/demo',
      },
    ],
    silent: {
      'a first call that waits': { [of('sluice_csi_dataset_publishes_total', { ...DEMO, pod: 'a', result: 'waits' })]: once },
      'volumes that are published': { [of('sluice_csi_dataset_publishes_total', { ...DEMO, pod: 'a', result: 'published' })]: grows(5) },
    },
  },
  SluiceWebhookAbsent: {
    fires: [{ inputs: { [up('sluice-controller')]: stays(1) }, summary: 'No replica of the Sluice webhook answers a scrape' }],
    silent: { 'one answers': { [up('sluice-webhook')]: stays(1) } },
  },
  SluiceWebhookNotConfigured: {
    fires: [
      {
        inputs: { [of('sluice_webhook_configuration_entries', pod('a'))]: stays(3) },
        labels: HOME,
        summary: 'The API server asks the Sluice webhook in fluid-system by 3 entries, expected 4',
      },
    ],
    silent: { 'all entries': { [of('sluice_webhook_configuration_entries', pod('a'))]: stays(4) } },
  },
  SluiceWebhookCertificateEnds: {
    fires: [
      {
        // promtool begins in 1970.
        inputs: { [of('sluice_webhook_certificate_expiry_timestamp_seconds', pod('a'))]: stays(86_400 * 29) },
        labels: HOME,
        summary: 'The certificate of the Sluice webhook in fluid-system ends in 28d 23h 45m 0s',
      },
    ],
    silent: { 'two months': { [of('sluice_webhook_certificate_expiry_timestamp_seconds', pod('a'))]: stays(86_400 * 60) } },
  },
  SluiceWebhookProfileFault: {
    fires: [
      {
        inputs: { [of('sluice_webhook_profile_fault', pod('a'))]: stays(1) },
        labels: HOME,
        summary: 'The ConfigMap webhook-plugins in fluid-system has a fault',
      },
    ],
    silent: { 'no fault': { [of('sluice_webhook_profile_fault', pod('a'))]: stays(0) } },
  },
  SluiceWebhookDefect: {
    fires: [
      {
        inputs: { [of('sluice_webhook_defects_total', pod('a'))]: once },
        after: 7,
        labels: HOME,
        summary: 'An admission by the Sluice webhook in fluid-system met a defect',
      },
    ],
    silent: { none: { [of('sluice_webhook_defects_total', pod('a'))]: stays(0) } },
  },
  SluiceWebhookDenies: {
    fires: [
      {
        inputs: { [of('sluice_webhook_admissions_total', { ...pod('a'), outcome: 'denied', mode: 'serverless' })]: grows(1) },
        after: 2,
        labels: HOME,
        summary: 'The Sluice webhook in fluid-system denies pods that ask for sidecars',
      },
    ],
    silent: {
      'one pod': { [of('sluice_webhook_admissions_total', { ...pod('a'), outcome: 'denied', mode: 'serverless' })]: once },
      'pods that get them': { [of('sluice_webhook_admissions_total', { ...pod('a'), outcome: 'mutated', mode: 'serverless' })]: grows(1) },
    },
  },
  SluiceWebhookLookupsFail: {
    fires: [
      {
        inputs: { [of('sluice_webhook_lookups_total', { ...pod('a'), result: 'failed' })]: once },
        after: 7,
        labels: HOME,
        summary: 'The API server does not answer the Sluice webhook in fluid-system',
      },
    ],
    silent: { 'objects that are read': { [of('sluice_webhook_lookups_total', { ...pod('a'), result: 'read' })]: grows(1) } },
  },
  SluiceWebhookSlow: {
    fires: [
      {
        inputs: {
          [of('sluice_webhook_admission_duration_seconds_bucket', { ...pod('a'), mode: 'serverless', le: '1' })]: grows(0),
          [of('sluice_webhook_admission_duration_seconds_bucket', { ...pod('a'), mode: 'serverless', le: '5' })]: grows(100),
          [of('sluice_webhook_admission_duration_seconds_bucket', { ...pod('a'), mode: 'serverless', le: '+Inf' })]: grows(100),
        },
        after: 2,
        labels: HOME,
        summary: 'Admissions by the Sluice webhook in fluid-system take 4.96s',
      },
    ],
    silent: {
      'a half of a second': {
        [of('sluice_webhook_admission_duration_seconds_bucket', { ...pod('a'), mode: 'serverless', le: '0.5' })]: grows(100),
        [of('sluice_webhook_admission_duration_seconds_bucket', { ...pod('a'), mode: 'serverless', le: '+Inf' })]: grows(100),
      },
    },
  },
  SluiceWebhookNotAsked: {
    fires: [
      {
        inputs: {
          [of('apiserver_admission_webhook_fail_open_count', { name: 'fuse.serverful.fluid.io', type: 'admit', instance: 'a' })]: once,
        },
        after: 7,
        labels: { name: 'fuse.serverful.fluid.io' },
        summary: 'The API server created pods without an answer of the webhook fuse.serverful.fluid.io',
      },
    ],
    silent: {
      'a webhook of others': { [of('apiserver_admission_webhook_fail_open_count', { name: 'x.example.com', instance: 'a' })]: once },
    },
  },
  SluiceValidationNotConfigured: {
    fires: [
      {
        inputs: { [of('sluice_webhook_validation_configuration_entries', pod('a'))]: stays(0) },
        labels: HOME,
        summary: 'The API server does not ask the Sluice webhook in fluid-system about Datasets, runtimes and operations',
      },
    ],
    silent: { 'its entry': { [of('sluice_webhook_validation_configuration_entries', pod('a'))]: stays(1) } },
  },
  SluiceValidationFails: {
    fires: [
      {
        inputs: { [of('sluice_webhook_validations_total', { ...pod('a'), outcome: 'failed' })]: once },
        after: 7,
        labels: HOME,
        summary: 'The Sluice webhook in fluid-system could not judge objects, which were stored',
      },
    ],
    silent: { 'faults of users': { [of('sluice_webhook_validations_total', { ...pod('a'), outcome: 'denied' })]: grows(1) } },
  },
};
