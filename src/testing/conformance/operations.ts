import { isDeepStrictEqual } from 'node:util';
import { InvalidSpec, label, type Manifest } from '../../api/index.ts';
import { canonicalPod } from '../../constructs/canonical.ts';
import type { BoundRuntime, Operation, OperationKind, OperationSpec, OperationSpecs } from '../../constructs/index.ts';
import { jobOf, podFaults } from './pods.ts';
import { HOSTILE, shellFaults } from './shells.ts';

/** Faults of the objects of operations, a line each: once, by a schedule, and for a user who means harm. */
export const operationFaults = ({ operations, operationNeeds, plan, roles }: BoundRuntime): readonly string[] =>
  (Object.keys(operations) as OperationKind[]).flatMap((kind) => {
    const render = (spec: OperationSpecs[OperationKind]): readonly Manifest[] => {
      const asked = { kind, name: 'op', namespace: plan.namespace, uid: 'uid-of-operation', spec };
      const { sshKeys } = operationNeeds(asked);
      const facts = {
        pods: { master: [pod('master')], worker: [pod('worker')] },
        leader: pod('master'),
        ...(sshKeys && { sshKeys: { privateKey: 'private', publicKey: 'public' } }),
      };
      const operation: Operation = { ...asked, facts };
      // The cast: of each kind there is what does that kind.
      return (operations[kind] as (operation: Operation) => readonly Manifest[])(operation);
    };
    const pod = (role: string) => ({ name: `${plan.name}-${role}-0`, uid: `uid-of-${role}`, ip: '10.0.0.1', node: 'node-1' });
    const { plain, hostile } = specs[kind];
    const cases: readonly [OperationSpecs[OperationKind], string][] = [
      [plain, 'Job'],
      [{ ...plain, policy: 'Cron', schedule: '0 * * * *' }, 'CronJob'],
      [hostile, 'Job'],
    ];
    return cases.flatMap(([spec, expected]) => {
      // Without masters and workers there is no cache to fill.
      const mayRefuse = spec === hostile || roles.every((role) => role === 'fuse');
      const made = mayRefuse ? unlessRefused(() => render(spec)) : render(spec);
      if (!made) return [];
      const jobs = made.filter((each) => jobOf(each));
      return [
        ...(jobs.length === 1 && jobs[0]?.kind === expected
          ? []
          : [`expected one ${expected}, found ${jobs.map((job) => job.kind).join(', ') || 'none'}`]),
        ...(JSON.stringify(made) === JSON.stringify(render(spec)) ? [] : ['rendered twice it is not the same']),
        ...podFaults(made),
        ...made.flatMap((each) => [...markFaults(each, kind), ...canonicalFaults(each)]),
        ...shellFaults(made),
      ].map((fault) => `${kind}: ${fault}`);
    });
  });

interface Specs<K extends OperationKind> {
  readonly plain: OperationSpecs[K] & OperationSpec;
  readonly hostile: OperationSpecs[K];
}
const specs: { readonly [K in OperationKind]: Specs<K> } = {
  DataLoad: { plain: {}, hostile: { target: [{ path: `/${HOSTILE}`, replicas: 1 }], options: { [HOSTILE]: HOSTILE } } },
  DataMigrate: {
    plain: { from: { dataset: { name: 'demo', namespace: '' } }, to: { externalStorage: { uri: 'pvc://archive/demo' } } },
    hostile: {
      from: { dataset: { name: 'demo', namespace: '', path: `/${HOSTILE}` } },
      to: { externalStorage: { uri: `s3://${HOSTILE}` } },
      options: { [HOSTILE]: HOSTILE },
      parallelism: 2,
    },
  },
  // Script and pod are the user's own.
  DataProcess: {
    plain: { dataset: { name: 'demo', mountPath: '/data' }, processor: { script: { image: 'i:1', source: 'ls /data' } } },
    hostile: {
      dataset: { name: 'demo', mountPath: `/${HOSTILE}`, subPath: HOSTILE },
      processor: { script: { image: 'i:1', source: 'ls /data' } },
    },
  },
  DataBackup: {
    plain: { backupPath: 'pvc://backups/demo' },
    hostile: { backupPath: `local:///${HOSTILE}`, runAs: { uid: 1000, gid: 1000, user: HOSTILE, group: HOSTILE } },
  },
};

/** A runtime may reject names that no file can have. */
function unlessRefused<T>(render: () => T): T | undefined {
  try {
    return render();
  } catch (error) {
    if (error instanceof InvalidSpec) return undefined;
    throw error;
  }
}

function markFaults({ kind, metadata }: Manifest, operation: OperationKind): readonly string[] {
  const [owner, ...others] = metadata.ownerReferences ?? [];
  const isOwned = owner?.kind === operation && owner.uid === 'uid-of-operation' && owner.controller && others.length === 0;
  return [
    ...(isOwned ? [] : [`${kind}/${metadata.name} is not owned by the operation`]),
    ...([label.owner, label.datasetId].every((key) => metadata.labels?.[key]) ? [] : [`${kind}/${metadata.name} lacks our labels`]),
    ...(metadata.name.startsWith('op-') ? [] : [`${kind}/${metadata.name} is not called after the operation`]),
  ];
}

/** A field that differs from the API server's form would be written again and again. */
function canonicalFaults(manifest: Manifest): readonly string[] {
  const pod = jobOf(manifest)?.template.spec;
  // The cast: what was rendered is a pod.
  const isCanonical = !pod || isDeepStrictEqual(JSON.parse(JSON.stringify(canonicalPod(pod as never, ''))), pod);
  return isCanonical ? [] : [`${manifest.kind}/${manifest.metadata.name}: the API server would print it in another way`];
}
