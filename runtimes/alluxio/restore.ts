import { absolutePath, claimOf, cleanPath, isOnHost, type Mounted, must, type PlanInput, together } from '../../src/constructs/index.ts';
import type { AlluxioRuntimeSpec } from './spec.ts';

type Input = Pick<PlanInput<AlluxioRuntimeSpec>, 'name' | 'namespace' | 'spec' | 'dataset'>;

/** Where a new master finds the metadata that it begins with: a backup in a claim or on a node. */
export const restoreOf = (input: Input): Restore =>
  together({ restore: () => read(input) }, `Dataset ${input.namespace}/${input.name}`).restore;

function read({ name, namespace, spec: { master }, dataset }: Input): Restore {
  const { path, nodeName } = dataset.spec.dataRestoreLocation ?? {};
  if (!path) return { mounted: [], env: {}, nodeSelector: {} };
  const field = 'spec.dataRestoreLocation.path';
  const file = `metadata-backup-${name}-${namespace}.gz`;
  const backup = (root: string, directory: string) => ({
    JOURNAL_BACKUP: cleanPath(`${root}/${absolutePath(`/${directory}`, field)}/${file}`),
  });
  const claim = claimOf(path);
  if (claim) {
    const volume = { name: 'pvc', persistentVolumeClaim: { claimName: claim.claim } };
    return { mounted: [{ volume, mount: { name: 'pvc', mountPath: '/pvc' } }], env: backup('/pvc', claim.path), nodeSelector: {} };
  }
  must(path.startsWith('local:///'), field, 'pvc://<claim>/<path> or local:///<path>', path);
  const areApart = (master?.replicas ?? 1) > 1 && isOnHost(master);
  must(
    !areApart,
    field,
    'pvc://<claim>/<path>: several masters with ports of the node cannot all be on the node that has the backup',
    path,
  );
  must(nodeName, 'spec.dataRestoreLocation.nodeName', 'the node that has the backup', nodeName);
  const directory = absolutePath(path.slice('local://'.length), field);
  return {
    mounted: [{ volume: { name: 'host', hostPath: { path: directory } }, mount: { name: 'host', mountPath: '/host' } }],
    env: backup('/host', ''),
    nodeSelector: { 'kubernetes.io/hostname': nodeName },
  };
}

export interface Restore {
  readonly mounted: readonly Mounted[];
  readonly env: Readonly<Record<string, string>>;
  readonly nodeSelector: Readonly<Record<string, string>>;
}
