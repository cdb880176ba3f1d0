/** From the creation of a pod to the first byte that its program has read. */
import { loadavg } from 'node:os';
import { atMost, type Figure } from '../figure.ts';
import { range, say } from '../lab.ts';
import { median, rounded } from '../statistics.ts';
import { type EngineName, NAME } from './engines.ts';
import { READER_IMAGE } from './reader-image.ts';
import { CLAIM, claimPod, IDLE, pod, type Stage } from './stage.ts';

/** Seconds: of a ThinRuntime; of JuiceFS, more than its bare client needs. Alluxio has no target: its client is a Java program. */
const THIN = { cold: 1.1, warm: 0.5 };
const JUICEFS_MORE = 0.5;

/** The reader's pod goes, and the fuse pod with it. */
export async function* firstReads(name: EngineName, stage: Stage, quick: boolean): AsyncIterable<Figure> {
  if (name === 'alluxio') return;
  say(`data-path-${name}: first reads`);
  const runs = range(quick ? 3 : 10);
  const { plane } = stage.cluster;
  const gone = () => plane.kubectl('wait', '--for=delete', 'pod', '-l', `release=${NAME}`, '--timeout=60s');
  await plane.kubectl('delete', 'pod', 'reader');
  await gone();
  const cold: number[] = [];
  const bare: number[] = [];
  for (const i of runs) {
    const claimed = async () => {
      cold.push(await firstRead(stage, `cold-${i}`));
      await gone();
    };
    const started = async () => void (name === 'juicefs' && bare.push(await bareStart(stage, `start-${i}`)));
    for (const each of i % 2 === 0 ? [started, claimed] : [claimed, started]) await each();
  }
  await stage.apply(claimPod('holder', IDLE));
  await plane.kubectl('wait', '--for=condition=Ready', 'pod/holder', '--timeout=60s');
  const warm: number[] = [];
  const plain: number[] = [];
  for (const i of runs) {
    warm.push(await firstRead(stage, `warm-${i}`));
    plain.push(await ended(stage, `plain-${i}`, plainPod(`plain-${i}`)));
  }
  const figure = (what: string, values: readonly number[], most: number, unit: string) =>
    atMost(`data-path-${name}/first-read-${what}`, median(values), unit, most, {
      runs: values.length,
      worst: rounded(Math.max(...values)),
      plainSeconds: rounded(median(plain)),
      load: rounded(loadavg()[0] ?? 0),
    });
  const since = 's from the pod’s creation, median';
  if (name === 's3') yield figure('cold', cold, THIN.cold, since);
  else
    yield {
      ...figure(
        'cold',
        cold.map((seconds, i) => seconds - (bare[i] ?? Number.NaN)),
        JUICEFS_MORE,
        's more than a pod of the bare client, median',
      ),
      claimSeconds: rounded(median(cold)),
      bareSeconds: rounded(median(bare)),
    };
  yield figure('warm', warm, THIN.warm, since);
}

const readInto = (mount: string) => `read -r -N 1 byte < ${mount}/warm`;
const NOW = 'date +%s%3N';

function firstRead(stage: Stage, name: string): Promise<number> {
  return ended(stage, name, claimPod(name, `${readInto(CLAIM)} && ${NOW}`));
}

/** A pod that reads nothing: what every pod takes on this machine just now. */
const plainPod = (name: string): object =>
  pod(name, { restartPolicy: 'Never', containers: [{ name: 'main', image: READER_IMAGE, command: ['bash', '-c', NOW] }] });

/** The bare client and its reader in one container, which waits for nothing else. */
function bareStart(stage: Stage, name: string): Promise<number> {
  const mount = '/mnt';
  const { command, ...container } = stage.engine.bare(mount, stage.cache);
  const script = `"$@" > /dev/null 2>&1 & until ${readInto(mount)}; do sleep 0.01; done 2> /dev/null; ${NOW}`;
  const volumeMounts = [
    { name: 'cache', mountPath: stage.cache },
    { name: 'fuse', mountPath: '/dev/fuse' },
  ];
  const main = {
    name: 'main',
    ...container,
    command: ['bash', '-c', script, 'bash', ...command],
    volumeMounts,
    securityContext: { privileged: true },
  };
  return ended(
    stage,
    name,
    pod(name, {
      restartPolicy: 'Never',
      hostNetwork: true,
      dnsPolicy: 'ClusterFirstWithHostNet',
      containers: [main],
      volumes: [
        { name: 'cache', hostPath: { path: stage.cache } },
        { name: 'fuse', hostPath: { path: '/dev/fuse' } },
      ],
    }),
  );
}

/** Creates the pod; s until the time that it prints, in ms. */
async function ended({ cluster: { plane } }: Stage, name: string, object: object): Promise<number> {
  const began = Date.now();
  await plane.create('/api/v1/namespaces/default/pods', object);
  await plane.kubectl('wait', '--for=jsonpath={.status.phase}=Succeeded', `pod/${name}`, '--timeout=60s');
  const read = Number(await plane.kubectl('logs', name));
  await plane.kubectl('delete', 'pod', name);
  if (!read) throw new Error(`pod ${name} did not print when it had read`);
  return (read - began) / 1000;
}
