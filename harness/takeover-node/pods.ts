/** Pods with a claim of a Dataset, and what they say. */
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { createPod } from '../../test/support/real-node.ts';
import { SLUICE_IMAGE } from '../../test/node/sluice-image.ts';
import type { ControlPlane } from '../index.ts';
import { FILE, LINES } from './reader-file.ts';

/** A line that the reader prints. */
export interface Report {
  readonly reads: number;
  readonly errors: number;
  /** The first errors, with their times. */
  readonly first: readonly string[];
  /** The longest time between two reads, ms. */
  readonly longestMs: number;
  /** When that ended. */
  readonly longestAt: string;
  /** The lines of the pod's own mount table. */
  readonly mount: string;
}

const PROGRAM = readFileSync(new URL('reader.ts', import.meta.url), 'utf8');
const SECONDS = 180;

/** Starts a pod that reads all the time; returns the seconds until it was ready. */
export async function startReader(plane: ControlPlane, name: string, claimName: string): Promise<number> {
  const began = performance.now();
  await createPod(plane, {
    name,
    image: SLUICE_IMAGE,
    script: '',
    container: {
      command: ['node', '--input-type=module-typescript', '-e', PROGRAM, `/data/${FILE}`, String(LINES)],
      securityContext: { runAsUser: 0 },
      volumeMounts: [{ name: 'data', mountPath: '/data' }],
    },
    spec: { restartPolicy: 'Never', volumes: [{ name: 'data', persistentVolumeClaim: { claimName } }] },
  });
  await plane.kubectl('wait', '--for=condition=Ready', `pod/${name}`, `--timeout=${SECONDS}s`);
  const seconds = (performance.now() - began) / 1000;
  for (;;) {
    const { reads, errors, first } = await reportOf(plane, name);
    if (errors > 0) throw new Error(`pod ${name} cannot read: ${first.join('; ')}`);
    if (reads > 0) return seconds;
    if (performance.now() - began > SECONDS * 1000) throw new Error(`pod ${name} has read nothing for ${SECONDS} s`);
    await sleep(300);
  }
}

/** The last report of a pod. */
export async function reportOf(plane: ControlPlane, name: string): Promise<Report> {
  const text = await plane.kubectl('logs', name, '--tail=1');
  if (text.trim() === '') return { reads: 0, errors: 0, first: [], longestMs: 0, longestAt: '', mount: '' };
  try {
    return JSON.parse(text) as Report;
  } catch (error) {
    throw new Error(`pod ${name} has printed: ${await plane.kubectl('logs', name, '--tail=20')}`, { cause: error });
  }
}

/** Deletes a pod, and waits until it is gone; returns the seconds. */
export async function endPod(plane: ControlPlane, name: string): Promise<number> {
  const began = performance.now();
  await plane.kubectl('delete', 'pod', name, '--wait', `--timeout=${SECONDS}s`);
  return (performance.now() - began) / 1000;
}
