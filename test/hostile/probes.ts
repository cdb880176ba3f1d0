/** Every probe of every runtime, as tests and benches of what pods print ask them. */
import alluxio from '../../runtimes/alluxio/index.ts';
import cache from '../../runtimes/cache/index.ts';
import efc from '../../runtimes/efc/index.ts';
import jindo from '../../runtimes/jindo/index.ts';
import juicefs from '../../runtimes/juicefs/index.ts';
import thin from '../../runtimes/thin/index.ts';
import vineyard from '../../runtimes/vineyard/index.ts';
import type { BoundProbe, BoundRuntime } from '../../src/constructs/index.ts';
import { given as alluxioGiven } from '../runtimes/alluxio/given.ts';
import { given as cacheGiven, plainClass } from '../runtimes/cache/given.ts';
import { given as efcGiven } from '../runtimes/efc/given.ts';
import { fsx, given as jindoGiven } from '../runtimes/jindo/given.ts';
import { community, enterprise } from '../runtimes/juicefs/given.ts';
import { given as thinGiven } from '../runtimes/thin/given.ts';
import { given as vineyardGiven } from '../runtimes/vineyard/given.ts';

const many = Array.from({ length: 2048 }, (_, i) => ({ mountPoint: `s3://b${i}/d`, name: `m${i}` }));
const onDisk = { tieredstore: { levels: [{ mediumtype: 'SSD' as const, path: '/data', quota: '1Gi' }] } };
const entries = { mountUFS: { command: ['m'] }, reportSummary: { command: ['r'] } };
const { master = {} } = plainClass.topology as Record<string, object>;
const asked = {
  ...plainClass,
  topology: { ...plainClass.topology, master: { ...master, executionEntries: entries } },
} as typeof plainClass;

export const RUNTIMES: Readonly<Record<string, BoundRuntime>> = {
  alluxio: alluxio.bind(alluxioGiven({ spec: { master: { replicas: 3 } }, mounts: many })),
  cache: cache.bind(cacheGiven({ type: asked, mounts: many })),
  jindocache: jindo.bind(jindoGiven({ mounts: many })),
  jindofsx: jindo.bind(fsx({ mounts: many })),
  'jindo that counts': jindo.bind(jindoGiven({ settings: { env: { QUERY_UFS_TOTAL: 'true' } } })),
  juicefs: juicefs.bind(community({ spec: onDisk })),
  'juicefs enterprise': juicefs.bind(enterprise()),
  efc: efc.bind(efcGiven()),
  thin: thin.bind(thinGiven()),
  vineyard: vineyard.bind(vineyardGiven()),
};

/** By name. */
export function probesOf(bound: BoundRuntime): readonly (readonly [string, BoundProbe<unknown>])[] {
  const all: Readonly<Record<string, BoundProbe<unknown> | undefined>> = {
    leader: bound.leader,
    mounts: bound.mounts?.list,
    cache: bound.probes.cache,
    ufs: bound.probes.ufs,
    cleanup: bound.cleanup?.ask,
  };
  return Object.entries(all).flatMap(([what, probe]) => (probe ? [[what, probe] as const] : []));
}
