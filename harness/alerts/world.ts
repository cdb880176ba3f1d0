/** Work of users on the stage. */
import { setTimeout as pause } from 'node:timers/promises';
import { stringify } from 'yaml';
import type { KubeObject } from '../../src/kube/types.ts';
import { USERS } from './objects.ts';
import type { Stage } from './stage.ts';

export async function apply({ plane }: Pick<Stage, 'plane'>, ...objects: readonly KubeObject[]): Promise<void> {
  const placed = objects.map((each) =>
    each.kind === 'ThinRuntimeProfile' ? each : { ...each, metadata: { namespace: USERS, ...each.metadata } },
  );
  await plane.kubectlApply(placed.map((each) => stringify(each)).join('---\n'));
}
export const inUsers = ({ plane }: Pick<Stage, 'plane'>, ...args: readonly string[]): Promise<string> =>
  plane.kubectl('-n', USERS, ...args);

/** Waits until it holds; returns whether it did in time. */
export async function within(seconds: number, holds: () => Promise<boolean>): Promise<boolean> {
  const end = performance.now() + seconds * 1000;
  while (performance.now() < end) {
    if (await holds()) return true;
    await pause(250);
  }
  return false;
}
export async function until(what: string, seconds: number, holds: () => Promise<boolean>): Promise<void> {
  if (!(await within(seconds, holds))) throw new Error(`waited ${seconds} s, without success, until ${what}`);
}
