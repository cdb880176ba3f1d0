/** Real faults, each with the alerts that have to follow. */
import { setTimeout as pause } from 'node:timers/promises';
import { startWebhookRequests } from './admissions.ts';
import { breakNode } from './node-faults.ts';
import { lacking, load, thin, USERS } from './objects.ts';
import { NAMESPACE, type Stage } from './stage.ts';
import { apply, inUsers } from './world.ts';

/** Ends the fault. */
type Heal = () => Promise<unknown>;
export interface Fault {
  readonly what: string;
  readonly alerts: readonly string[];
  make(stage: Stage): Promise<Heal>;
}

const label = (kind: string, name: string) => [`${kind}.data.fluid.io`, name];

/** Faults that harm each other not: they are made together. */
export const together: readonly Fault[] = [
  {
    what: 'a Dataset whose Secret does not exist, and a DataLoad of it',
    alerts: ['SluiceDatasetNotReady', 'SluiceOperationWaits'],
    async make(stage) {
      await apply(stage, ...lacking('lacking'), load('waits', 'lacking'));
      return () => inUsers(stage, 'delete', 'dataload/waits', 'dataset/lacking', 'juicefsruntime/lacking');
    },
  },
  {
    what: 'workers of a bound Dataset that are not ready',
    alerts: ['SluiceDatasetFailed'],
    async make({ plane }) {
      const held = await plane.pods.hold({ namespace: USERS, name: 'failing-worker-*' }, { as: 'NotReady' });
      return () => held.release();
    },
  },
  {
    what: 'an edit of a bound Dataset that names a Secret which does not exist',
    alerts: ['SluiceDatasetNeedsAttention'],
    async make(stage) {
      const path = '/spec/mounts/0/encryptOptions/0/valueFrom/secretKeyRef/name';
      const set = (name: string) =>
        inUsers(stage, 'patch', ...label('dataset', 'edited'), '--type=json', '-p', JSON.stringify([{ op: 'replace', path, value: name }]));
      await set('absent');
      return () => set('jfs-secret');
    },
  },
  {
    what: 'a fuse pod that is not ready, and a store that does not answer its readers',
    alerts: ['SluiceFusePodsNotReady', 'SluiceDatasetUnavailable'],
    async make(stage) {
      const { plane } = stage;
      const node = (name: string, dataset: string) =>
        plane.kubectl('label', 'node', name, `fluid.io/f-${USERS}-${dataset}=true`, '--overwrite');
      const held = await plane.pods.hold({ namespace: USERS, name: 'well-fuse-*' }, { as: 'NotReady' });
      await node('node-0', 'well');
      await node('node-1', 'readers');
      await plane.exec.answer({
        namespace: USERS,
        pod: /^readers-fuse-/,
        argv: /sluice-look-up/,
        stdout: 'looks\nsh: /x: Input/output error\nasked\n',
      });
      return async () => {
        await held.release();
        await plane.exec.reset();
      };
    },
  },
  {
    what: 'a DataLoad whose pods fail, and one that an engine does not support',
    alerts: ['SluiceOperationFails', 'SluiceOperationFailed'],
    async make(stage) {
      const failed = await stage.plane.pods.fail({ namespace: USERS, name: 'fails-loader-job-*' });
      await apply(stage, load('fails', 'well'), load('unsupported', 'light'));
      return async () => {
        await failed.release();
        await inUsers(stage, 'delete', 'dataload/fails', 'dataload/unsupported');
      };
    },
  },
  {
    what: 'a DataLoad that goes no further',
    alerts: ['SluiceOperationStuck'],
    async make(stage) {
      const held = await stage.plane.pods.hold({ namespace: USERS, name: 'stuck-loader-job-*' }, { as: 'Running' });
      await stage.plane.exec.answer({ namespace: USERS, pod: /^stuck-loader-job-/, argv: /tmp.progress/, stdout: 'Progress=40%\n' });
      await apply(stage, load('stuck', 'edited'));
      return async () => {
        await held.release();
        await inUsers(stage, 'delete', 'dataload/stuck');
      };
    },
  },
  {
    what: 'a quota that lets a runtime create no workload, and edits of it',
    alerts: ['SluiceReconcileFails'],
    async make(stage) {
      const { plane } = stage;
      const namespace = `${USERS}-full`;
      await plane.kubectl('create', 'namespace', namespace);
      await plane.kubectl('-n', namespace, 'create', 'quota', 'none', '--hard=count/daemonsets.apps=0,count/statefulsets.apps=0');
      await apply(stage, ...thin('refused').map((each) => ({ ...each, metadata: { ...each.metadata, namespace } })));
      let goesOn = true;
      const edits = (async () => {
        for (let i = 0; goesOn; i++) {
          await plane.kubectl('-n', namespace, 'annotate', '--overwrite', 'thinruntime/refused', `edit=${i}`).catch(() => undefined);
          await pause(1000);
        }
      })();
      return async () => {
        goesOn = false;
        await edits;
        await plane.kubectl('-n', namespace, 'delete', 'quota/none', 'dataset/refused', 'thinruntime/refused');
      };
    },
  },
  {
    what: 'a ConfigMap webhook-plugins with a fault, and webhook configurations that are deleted',
    alerts: ['SluiceWebhookProfileFault', 'SluiceWebhookNotConfigured', 'SluiceValidationNotConfigured'],
    async make({ plane, manifest }) {
      await plane.kubectl(
        '-n',
        NAMESPACE,
        'create',
        'configmap',
        'webhook-plugins',
        '--from-literal=pluginsProfile=plugins: {serverful: 7}',
      );
      const kinds = ['MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration'];
      for (const kind of kinds) await plane.kubectl('delete', kind, manifest(kind).metadata.name);
      return async () => {
        await plane.kubectl('-n', NAMESPACE, 'delete', 'configmap/webhook-plugins');
        for (const kind of kinds) await plane.kubectlApply(JSON.stringify(manifest(kind)));
      };
    },
  },
  {
    what: 'pods that ask for the sidecar of a claim that does not exist',
    alerts: ['SluiceWebhookDenies'],
    make: async (stage) => startWebhookRequests(stage),
  },
  {
    what: 'FUSE clients that hang, do not come, and end again and again',
    alerts: ['SluiceClientHangs', 'SluiceVolumesWait', 'SluiceRecoversOften'],
    make: breakNode,
  },
];

/** Each made alone, once those above are healed. */
export const alone: readonly Fault[] = [
  {
    what: 'a webhook that API servers cannot reach, and a pod that asks for hints',
    alerts: ['SluiceWebhookNotAsked'],
    async make({ plane }) {
      const run = (name: string) =>
        plane.kubectl('-n', USERS, 'run', name, '--image=x', '--labels=fuse.serverful.fluid.io/inject=true', '--restart=Never');
      await run('first');
      // The counter begins with its first count.
      await pause(3000);
      await run('second');
      return () => plane.kubectl('-n', USERS, 'delete', 'pod/first', 'pod/second', '--wait=false');
    },
  },
  {
    what: 'a replica of the controller with a limit of one Dataset',
    alerts: ['SluiceSeriesSummed'],
    async make({ controllers: [, standby] }) {
      await standby?.stop();
      await standby?.start('--dataset-metrics=1');
      return async () => {
        await standby?.stop();
        await standby?.start();
      };
    },
  },
  {
    what: 'no way to the API server, for controllers and webhook',
    alerts: ['SluiceNoLeader', 'SluiceWatchStale', 'SluiceApiServerFails', 'SluiceWebhookLookupsFail'],
    async make(stage) {
      stage.gate.shut();
      const end = await startWebhookRequests(stage);
      return async () => {
        await end();
        stage.gate.open();
      };
    },
  },
  {
    what: 'no controller, no webhook, no node plugin',
    alerts: ['SluiceControllerAbsent', 'SluiceWebhookAbsent', 'SluiceNodePluginAbsent', 'SluiceTargetDown'],
    async make({ controllers, webhook, node }) {
      const parts = [...controllers, webhook, ...(node ? [node.part] : [])];
      for (const part of parts) await part.stop();
      return () => Promise.all(parts.map((part) => part.start()));
    },
  },
];

/** Alerts that no fault here makes fire, and why. promtool's tests of rules are all that shows them firing. */
export const NOT_MADE: Readonly<Record<string, string>> = {
  SluiceQueueLong: 'a hundred keys that wait for ten minutes need an API server slower than any here',
  SluiceSidecarsNotStopped: 'simulated pods have no containers of which one has ended',
  SluiceVersionsDiffer: 'one version is here',
  SluiceRecoveryFails: 'a mount of this machine can be bound again',
  SluiceRecoveryUnseen: 'no container of this machine is without propagation',
  SluiceWebhookCertificateEnds: 'the webhook renews its certificate long before',
  SluiceWebhookDefect: 'a defect that is known is mended',
  SluiceWebhookSlow: 'the webhook answers from memory',
  SluiceValidationFails: 'a defect that is known is mended',
};
