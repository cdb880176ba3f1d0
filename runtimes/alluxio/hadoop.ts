import { type Mounted, mountedAt, must } from '../../src/constructs/index.ts';

const FILES = ['hdfs-site.xml', 'core-site.xml'] as const;
const DIRECTORY = '/hdfs-config';

/** The user's configuration of Hadoop's clients; `keys` are those of the ConfigMap, none where it is not there. */
export function hadoopOf(configMap: string | undefined, keys: readonly string[] = []): Hadoop {
  if (!configMap) return { mounted: [], properties: {} };
  const files = FILES.filter((file) => keys.includes(file));
  must(files.length > 0, 'spec.hadoopConfig', `a ConfigMap with ${FILES.join(', ')} or both`, configMap);
  const items = files.map((file) => ({ key: file, path: file }));
  return {
    mounted: [mountedAt(DIRECTORY, 'hdfs-confs', { configMap: { name: configMap, items } }, { readOnly: true })],
    properties: { 'alluxio.underfs.hdfs.configuration': files.map((file) => `${DIRECTORY}/${file}`).join(':') },
  };
}

interface Hadoop {
  readonly mounted: readonly Mounted[];
  readonly properties: Readonly<Record<string, string>>;
}
