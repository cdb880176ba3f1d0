import { jobs } from '../metrics.ts';
import { absent, by, grown, over, per, rate, series, where } from '../promql.ts';
import { type Alert, alert, type Time } from './alert.ts';

const HOME = ['namespace'] as const;
/** More keys than the controller reconciles at once, thrice over. */
const MANY_KEYS = 100;
const TENTH = 0.1;

/** Alerts about the controller itself, and about the scrapes of all parts. */
export const controllerAlerts = (time: Time): readonly Alert[] => [
  alert({
    name: 'SluiceControllerAbsent',
    severity: 'critical',
    of: absent(where(series('up', { job: jobs.controller }), '==', 1)),
    lasts: time(300),
    means: 'no replica of the controller answers a scrape: Datasets are neither set up nor repaired. Pods that read go on',
    summary: () => 'No replica of the Sluice controller answers a scrape',
    toDo: 'see the pods of the Deployment sluice-controller. If they run, see the targets of Prometheus, and whether a NetworkPolicy lets it reach the port metrics',
  }),
  alert({
    name: 'SluiceTargetDown',
    severity: 'warning',
    of: where(by('max', ['job', 'namespace', 'pod'], series('up', { job: { any: Object.values(jobs) } })), '==', 0),
    lasts: time(600),
    means: 'a pod of Sluice does not answer scrapes; of the node plugin, pods of that node may not get their volumes',
    summary: (label) => `Pod ${label('namespace')}/${label('pod')} of ${label('job')} does not answer scrapes`,
    toDo: 'see the pod: kubectl describe, and its log. If it is ready, see whether a NetworkPolicy lets Prometheus reach its port metrics',
  }),
  alert({
    name: 'SluiceNoLeader',
    severity: 'critical',
    of: where(by('max', HOME, series('leader_election_master_status', { name: 'sluice' })), '<', 1),
    lasts: time(120),
    means: 'replicas of the controller run, and none of them leads: nothing is set up or repaired',
    summary: (label) => `No replica of the Sluice controller in ${label('namespace')} leads`,
    toDo: 'see the logs of the controller, and the Lease sluice of its namespace: who holds it, and whether the controller may write it',
  }),
  alert({
    name: 'SluiceWatchStale',
    severity: 'warning',
    of: where(by('min', ['namespace', 'pod', 'resource'], series('sluice_watch_up')), '==', 0),
    lasts: time(120),
    means: 'a replica of the controller does not see changes of a resource; it starts such a watch again at once',
    summary: (label) => `Pod ${label('namespace')}/${label('pod')} does not see changes of ${label('resource')}`,
    toDo: 'see /readyz of the pod, which has the reason, whether the API server answers, and whether the controller may list and watch the resource',
  }),
  alert({
    name: 'SluiceReconcileFails',
    severity: 'warning',
    of: where(by('sum', HOME, rate(series('controller_runtime_reconcile_errors_total', { controller: 'dataset' }), time(300))), '>', 0),
    lasts: time(1800),
    means: 'passes over Datasets or operations have failed for half an hour: something cannot be written',
    summary: (label) => `Passes of the Sluice controller in ${label('namespace')} fail`,
    toDo: 'see the log of the controller that leads, which has the object and the answer of the API server, and sluice explain -A',
  }),
  alert({
    name: 'SluiceQueueLong',
    severity: 'warning',
    of: where(by('max', HOME, over('min', series('workqueue_depth', { name: 'dataset' }), time(300))), '>', MANY_KEYS),
    lasts: time(600),
    means: `more than ${MANY_KEYS} Datasets or operations have waited for the controller for ten minutes`,
    summary: (label) => `More than ${MANY_KEYS} keys wait for the Sluice controller in ${label('namespace')}`,
    toDo: 'see SluiceApiServerFails and the latency of the API server, admission webhooks that hang, and the CPU of the controller',
  }),
  alert({
    name: 'SluiceApiServerFails',
    severity: 'warning',
    of: where(
      per(
        by('sum', HOME, rate(series('rest_client_requests_total', { job: jobs.controller, code: { any: ['5..', '<error>'] } }), time(300))),
        by('sum', HOME, rate(series('rest_client_requests_total', { job: jobs.controller }), time(300))),
      ),
      '>',
      TENTH,
    ),
    lasts: time(900),
    means: 'a tenth of the requests of the controller to the API server fail, or have no answer',
    summary: (label) => `More than a tenth of the requests of the Sluice controller in ${label('namespace')} to the API server fail`,
    toDo: 'see the health of the API server and of etcd, and the network between it and the controller',
  }),
  alert({
    name: 'SluiceSidecarsNotStopped',
    severity: 'warning',
    of: where(by('sum', HOME, grown(series('sluice_sidecar_stops_total', { result: 'failed' }), time(900))), '>', 0),
    lasts: time(600),
    means: 'sidecars of pods whose applications have ended cannot be stopped: their Jobs do not end',
    summary: (label) => `The Sluice controller in ${label('namespace')} cannot stop sidecars of pods that have ended`,
    toDo: 'see the pods with the event SidecarNotStopped, and whether the controller may run commands in them (pods/exec)',
  }),
  alert({
    name: 'SluiceVersionsDiffer',
    severity: 'info',
    of: where(by('count', HOME, by('count', ['namespace', 'version'], series('sluice_build_info'))), '>', 1),
    lasts: time(3600),
    means: 'an update of Sluice has not reached all of its pods for an hour',
    summary: (label) => `Pods of Sluice in ${label('namespace')} run different versions`,
    toDo: 'see which pods of Sluice are old, and why their Deployment or DaemonSet does not replace them: kubectl rollout status',
  }),
  alert({
    name: 'SluiceSeriesSummed',
    severity: 'info',
    of: where(by('max', HOME, series('sluice_dataset_series_summed')), '>', 0),
    lasts: time(300),
    means: 'there are more Datasets than `controller.datasetMetrics`: metrics are sums, and alerts do not name Datasets',
    summary: (label) => `There are more Datasets than the metrics of the Sluice controller in ${label('namespace')} show one by one`,
    toDo: 'raise controller.datasetMetrics, if Prometheus may have more series: at most 18 for each Dataset and replica',
  }),
];
