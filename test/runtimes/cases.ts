/** One valid input for each kind of runtime of this package. */
import alluxio from '../../runtimes/alluxio/index.ts';
import cache from '../../runtimes/cache/index.ts';
import efc from '../../runtimes/efc/index.ts';
import jindo from '../../runtimes/jindo/index.ts';
import juicefs from '../../runtimes/juicefs/index.ts';
import thin from '../../runtimes/thin/index.ts';
import vineyard from '../../runtimes/vineyard/index.ts';
import type { Runtime, RuntimeInput } from '../../src/constructs/index.ts';
import * as alluxioCase from './alluxio/given.ts';
import * as cacheCase from './cache/given.ts';
import * as efcCase from './efc/given.ts';
import * as jindoCase from './jindo/given.ts';
import * as juicefsCase from './juicefs/given.ts';
import * as thinCase from './thin/given.ts';
import * as vineyardCase from './vineyard/given.ts';

const tieredstore = { levels: [{ mediumtype: 'SSD' as const, path: '/a', quota: '1Gi' }] };
export const CASES: readonly (readonly [Runtime, RuntimeInput<object>])[] = [
  [alluxio, alluxioCase.given({ spec: { replicas: 1, tieredstore } })],
  [cache, cacheCase.given()],
  [efc, efcCase.given({ spec: { replicas: 1, tieredstore } })],
  [jindo, jindoCase.given({ spec: { replicas: 1, tieredstore } })],
  [juicefs, juicefsCase.community({ spec: { replicas: 1, tieredstore } })],
  [thin, thinCase.given({ spec: { replicas: 1, profileName: 'p' } })],
  [vineyard, vineyardCase.given()],
];
/** By kind: for titles of tests. */
export const BY_KIND = CASES.map(([runtime, input]) => [runtime.resource.kind, runtime, input] as const);
