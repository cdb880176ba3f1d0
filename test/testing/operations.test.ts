/** Each fault is planted into an operation that has none, and found. */
import type { Construct } from 'constructs';
import { describe, expect, test } from 'vitest';
import {
  basePlan,
  defineRuntime,
  PlainObject,
  type LoadSpec,
  must,
  type Operation,
  type OperationClass,
  OperationJob,
  type OperationProps,
  ownedByOperation,
  sh,
} from '../../src/constructs/index.ts';
import { operationFaults } from '../../src/testing/conformance/operations.ts';
import { planInput } from '../../src/testing/given.ts';
import { ExampleRuntime } from '../support/example-runtime/spec.ts';
import { ExampleLoad, type LoadPlan } from '../support/load.ts';

function faults(DataLoad: OperationClass<LoadPlan, 'DataLoad'>): readonly string[] {
  const plan = (input: Parameters<typeof basePlan>[0]): LoadPlan => ({
    ...basePlan(input, { mountType: 'm', mountDir: 'd' }),
    image: 'i:1',
  });
  const runtime = defineRuntime({ type: 'example', resource: ExampleRuntime, plan, components: {}, operations: { DataLoad } });
  return operationFaults(runtime.bind(planInput()));
}
type Given = readonly [scope: Construct, plan: LoadPlan, load: Operation<'DataLoad'>];
const path = (spec: LoadSpec): string => spec.target?.[0]?.path ?? '/';
/** A load with what `change` says of its container and pod. */
const loading = (change: (load: Operation<'DataLoad'>) => { container?: object; pod?: Partial<OperationProps> }) =>
  class extends OperationJob {
    constructor(...[scope, plan, load]: Given) {
      const { container, pod } = change(load);
      super(scope, plan, load, { containers: [{ name: 'load', image: 'i:1', ...container }], ...pod });
    }
  };
const inShell = (script: string) => ({ container: { command: ['sh', '-c', script] } });
/** One that makes this as well. */
const making = (make: (...given: Given) => unknown) =>
  class extends OperationJob {
    constructor(...[scope, plan, load]: Given) {
      super(scope, plan, load, { containers: [{ name: 'load', image: 'i:1' }] });
      make(scope, plan, load);
    }
  };
const job = (resources: object) => ({ spec: { template: { spec: { containers: [{ name: 'c', image: 'i:1', resources }] } } } });
const batch = { apiVersion: 'batch/v1', kind: 'Job', name: 'op-more' };

test.each([
  ['paths and options as arguments', ExampleLoad],
  ['a path that is quoted', loading(({ spec }) => inShell(sh`engine load ${path(spec)} && echo "it's done"`))],
  [
    'variables that are quoted',
    loading(({ spec }) => ({ container: { env: [{ name: 'P', value: path(spec) }], command: ['sh', '-c', 'load "$P" "${P}x"'] } })),
  ],
  ['paths that are refused', loading(({ spec }) => (must(!path(spec).includes('$'), 'spec.target', 'a path', path(spec)), {}))],
])('%s are no fault', (_, Load) => expect(faults(Load)).toEqual([]));

describe.each<[string, OperationClass<LoadPlan, 'DataLoad'>, string]>([
  ['a path that is joined to a script', loading(({ spec }) => inShell(`engine load ${path(spec)}`)), 'container load: a shell would run'],
  ['a path in quotes of the author’s', loading(({ spec }) => inShell(`engine load '${path(spec)}'`)), 'a shell would run'],
  ['a path in double quotes', loading(({ spec }) => inShell(`engine load "${path(spec)}"`)), 'a shell would run'],
  [
    'a path in a script file',
    loading(({ spec }) => ({ pod: { scripts: { 'load.sh': `load ${path(spec)}` } } })),
    'op-loader-data-load-script load.sh: a shell',
  ],
  [
    'a variable without quotes',
    loading(({ spec }) => ({
      container: { env: [{ name: 'P', value: path(spec) }] },
      pod: { scripts: { 'load.sh': 'for p in $P; do load "$p"; done' } },
    })),
    'load.sh: $P is not quoted',
  ],
  [
    'arguments without quotes',
    loading(({ spec }) => ({
      container: { command: ['bash', '/scripts/load.sh'], args: [path(spec)] },
      pod: { scripts: { 'load.sh': 'load $@' } },
    })),
    'load.sh: an argument is not quoted',
  ],
  [
    'a mount without a volume',
    loading(() => ({ container: { volumeMounts: [{ name: 'v', mountPath: '/v' }] } })),
    'mounts v, which is no volume',
  ],
  [
    'an object of any name',
    making((scope, plan, load) => ownedByOperation(scope, plan, load, { apiVersion: 'v1', kind: 'ConfigMap', name: 'more' })),
    'ConfigMap/more is not called after the operation',
  ],
  [
    'another Job',
    making((scope, plan, load) => ownedByOperation(scope, plan, load, { ...batch, ...job({}) })),
    'expected one Job, found Job, Job',
  ],
  [
    'a Job that is not as the API server prints it',
    making((scope, plan, load) => ownedByOperation(scope, plan, load, { ...batch, ...job({ limits: { cpu: '1000m' } }) })),
    'Job/op-more: the API server would print it in another way',
  ],
  [
    'an object without an owner',
    making((scope) => new PlainObject(scope, 'more', { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'op-more' } })),
    'ConfigMap/op-more is not owned by the operation',
  ],
  [
    'another Job each time',
    loading(() => ({ container: { env: [{ name: 'N', value: String(count++) }] } })),
    'rendered twice it is not the same',
  ],
])('%s', (_, Load, fault) => {
  test('is found', () => expect(faults(Load)).toContainEqual(expect.stringContaining(fault)));
});
let count = 0;
