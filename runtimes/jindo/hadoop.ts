import { type Mounted, must } from '../../src/constructs/index.ts';
import { corePath } from './config.ts';
import type { EngineName } from './engines.ts';

/** The user's configuration of Hadoop's clients; `keys` are those of the ConfigMap, none where it is not there. */
export function hadoopOf(configMap: string | undefined, keys: readonly string[] = [], engine: EngineName): readonly Mounted[] {
  if (!configMap) return [];
  must(
    keys.includes('hdfs-site.xml') || keys.includes('core-site.xml'),
    'spec.hadoopConfig',
    'a ConfigMap with hdfs-site.xml, core-site.xml or both',
    configMap,
  );
  const name = 'hdfs-confs';
  const volume = { name, configMap: { name: configMap } };
  const paths = {
    'hdfs-site.xml': '/hdfs-site.xml',
    // JindoFSx has a core-site.xml of its own there.
    ...(engine === 'jindocache' && { 'core-site.xml': corePath }),
  };
  // A file that the ConfigMap lacks would become a directory.
  return Object.entries(paths).flatMap(([key, mountPath]) =>
    keys.includes(key) ? [{ volume, mount: { name, mountPath, subPath: key } }] : [],
  );
}
