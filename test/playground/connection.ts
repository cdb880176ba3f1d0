import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ClusterConnection } from '../../src/kube/client/connection.ts';
import { connectionFromKubeconfig } from '../../src/kube/kubeconfig/kubeconfig.ts';
import type { Playground } from '../../src/playground/playground.ts';

/** As its kubeconfig says; no file stays. */
export function connectionOf({ kubeconfig }: Playground): ClusterConnection {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-wire-'));
  try {
    writeFileSync(join(folder, 'kubeconfig'), kubeconfig);
    return connectionFromKubeconfig([join(folder, 'kubeconfig')]);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
