import type { Mounted } from '../../src/constructs/index.ts';

const DIRECTORY = '/hdfs-config';
const FILES = ['hdfs-site.xml', 'core-site.xml'].map((file) => `${DIRECTORY}/${file}`);

/** The user's configuration of Hadoop's clients. Which of the files are in the ConfigMap need not be known: Hadoop passes over what is not there. */
export function hadoopOf(configMap: string | undefined): Hadoop {
  if (!configMap) return { mounted: [], properties: {} };
  const name = 'hdfs-confs';
  return {
    mounted: [{ volume: { name, configMap: { name: configMap } }, mount: { name, mountPath: DIRECTORY, readOnly: true } }],
    properties: { 'alluxio.underfs.hdfs.configuration': FILES.join(':') },
  };
}

interface Hadoop {
  readonly mounted: readonly Mounted[];
  readonly properties: Readonly<Record<string, string>>;
}
