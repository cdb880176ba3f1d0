import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { fuseNodeLabel, GROUP, label, type Manifest, parse, type PodSpec, runtimePlural, VERSION, volumeName } from '../api/index.ts';
import { type BoundRuntime, PRINT_ORDER, type Runtime, type RuntimeInput } from '../constructs/index.ts';
import { cleanupFaults, forgotten, identityFaults, mountFaults, probeFaults } from './conformance/commands.ts';
import { diagnosisFaults } from './conformance/diagnosis.ts';
import { imageFaults } from './conformance/images.ts';
import { operationFaults } from './conformance/operations.ts';
import { podFaults, workloadFaults, isWorkload } from './conformance/pods.ts';
import { ruleFaults } from './conformance/rules.ts';

/**
 * Tests, for vitest, that a runtime keeps to the rules of every runtime; one suite for each case. Manifests are compared with
 * `test/golden/<type>/<case>.yaml` beside the package.json of the test; `vitest --update` writes them.
 * @throws InvalidSpec in a test, when the spec of a case is not valid.
 * @example
 * const suite = (acme: Runtime) =>
 *   conformance(acme, { minimal: planInput(), cached: planInput({ spec: { cacheSize: '20Gi' } }) });
 */
export function conformance(runtime: Runtime, cases: Readonly<Record<string, RuntimeInput<unknown>>>): void {
  test(`${runtime.resource.kind} has the plural by which the node plugin finds it`, () => {
    expect(runtime.type).toMatch(/^[a-z0-9-]+$/);
    expect(runtime.resource.plural).toBe(runtimePlural(runtime.type));
  });
  test(`${runtime.resource.kind} has rules that accept a spec of any shape`, () => expect(ruleFaults(runtime.resource)).toEqual([]));
  test(`${runtime.resource.kind} renders each of its components and Secrets in some case`, () =>
    expect(
      forgotten(
        runtime,
        Object.values(cases).map((given) => runtime.bind({ ...given, spec: admitted(runtime, given) })),
      ),
    ).toEqual([]));
  describe.each(Object.entries(cases))(`${runtime.resource.kind}: %s`, (name, given) => {
    const input = frozen({ ...given, spec: admitted(runtime, given) });
    const render = () => everything(runtime.bind(input));

    test('matches its golden manifests', async () => {
      const file = join(packageRoot(expect.getState().testPath ?? process.cwd()), 'test', 'golden', runtime.type, `${name}.yaml`);
      await expect(render().map(document).join('---\n')).toMatchFileSnapshot(file);
    });
    test('synthesizes the same objects twice', () => expect(document(render())).toBe(document(render())));
    test('has the names of its definition', () => expect(identityFaults(runtime, runtime.bind(input))).toEqual([]));
    test('renders pods that the API server accepts', () => {
      expect(workloadFaults(runtime.bind(input))).toEqual([]);
      expect(podFaults(render())).toEqual([]);
    });
    test('takes default images from the registry of the installation', () => expect(imageFaults(runtime, input)).toEqual([]));
    test('sends commands to pods and containers that exist, and reads any answer', () =>
      expect(probeFaults(runtime.bind(input))).toEqual([]));
    test('reads counters of pods that exist, and names fields that users have, for a diagnosis', () =>
      expect(diagnosisFaults(runtime, runtime.bind(input), input)).toEqual([]));
    test('mounts each wanted row at a path that can be mounted', () => expect(mountFaults(runtime.bind(input))).toEqual([]));
    test('deletes only its own caches', () => expect(cleanupFaults(runtime.bind(input))).toEqual([]));
    test('renders operations that hostile specs cannot abuse', () => expect(operationFaults(runtime.bind(input))).toEqual([]));
    test('has a plan of plain data', () => {
      expect(notData(runtime.needs(input), 'needs')).toEqual([]);
      expect(notData(runtime.bind(input).plan, 'plan')).toEqual([]);
    });
    test('gets every fact that it needs from the case', () => {
      const { ports = [], claims = [], objects = [], secrets = [], configMaps = [], reference } = runtime.needs(input);
      const { facts } = input;
      const missing = [
        ...ports.filter((port) => facts.ports[port.name] === undefined),
        ...claims.filter((claim) => !facts.claims[claim]),
        ...configMaps.filter((name) => !facts.configMaps[name]),
        ...(reference && !facts.reference ? [reference] : []),
        ...objects.filter((object) => !facts.objects[`${object.kind}/${object.name}`]),
        ...secrets.filter(
          (secret) => secret.inline && !facts.secrets[secret.namespace ? `${secret.namespace}/${secret.name}` : secret.name],
        ),
      ];
      expect(missing).toEqual([]);
    });
    test('names every object after the runtime, each differently', () => {
      const names = render().map(({ kind, metadata }) => `${kind}/${metadata.name}`);
      expect(
        names.filter((each) => !each.includes(input.name) && each !== `PersistentVolume/${volumeName(input.dataset.identity)}`),
      ).toEqual([]);
      expect(new Set(names).size).toBe(names.length);
    });
    test('labels every object and sets its owner', () => {
      const owner = { apiVersion: `${GROUP}/${VERSION}`, kind: runtime.resource.kind, name: input.name, uid: input.uid };
      for (const { kind, metadata } of render()) {
        expect(metadata.labels, kind).toMatchObject({ [label.owner]: input.uid, [label.datasetId]: expect.any(String) as string });
        expect(metadata.namespace, kind).toBe(kind === 'PersistentVolume' ? undefined : input.namespace);
        // Volume and claim outlive the runtime until no pod uses them.
        if (!kind.startsWith('PersistentVolume'))
          expect(metadata.ownerReferences, kind).toEqual([{ ...owner, controller: true, blockOwnerDeletion: false }]);
      }
    });
    test('uses labels and names that Kubernetes accepts', () => expect(render().flatMap(badLabels)).toEqual([]));
    test('starts fuse pods only on nodes that the CSI plugin labels, with a mount that the node sees', () => {
      const { plan, synth } = runtime.bind(input);
      if (!plan.fuse) return;
      const [daemonSet, ...more] = synth('fuse').filter(({ kind }) => kind === 'DaemonSet');
      const pod = podOf(daemonSet);
      expect(more).toEqual([]);
      expect(pod.nodeSelector).toMatchObject({ [fuseNodeLabel(input.dataset.identity)]: 'true' });
      const shared = new Set(
        (pod.volumes ?? []).filter(({ hostPath }) => hostPath && `${plan.mountPath}/`.startsWith(`${hostPath.path}/`)).map(nameOf),
      );
      const mounts = pod.containers.flatMap(({ volumeMounts = [] }) => volumeMounts.filter((mount) => shared.has(mount.name)));
      expect(mounts).toContainEqual(expect.objectContaining({ mountPropagation: 'Bidirectional' }));
    });
    test('never restarts pods by itself', () => {
      for (const workload of render().filter(isWorkload))
        expect(workload['spec'], workload.kind).toMatchObject({ updateStrategy: { type: 'OnDelete' } });
    });
    test('selects its own pods', () => {
      for (const workload of render().filter(isWorkload)) {
        const { selector, template } = workload['spec'] as WorkloadSpec;
        expect(template.metadata.labels).toMatchObject(selector.matchLabels);
      }
    });
    test('repeats no key in a list that the API server merges', () =>
      expect(render().flatMap((manifest) => repeated(manifest, manifest.kind))).toEqual([]));
  });
}

/** The spec as the API server would store it. Throws what it would reject. */
function admitted({ resource }: Runtime, { name, namespace, spec }: RuntimeInput<unknown>): unknown {
  return parse(resource, { apiVersion: `${GROUP}/${VERSION}`, kind: resource.kind, metadata: { name, namespace }, spec }).spec;
}

const everything = (bound: BoundRuntime): readonly Manifest[] => PRINT_ORDER.flatMap((part) => bound.synth(part));

/** YAML for readable diffs: no folded lines, scripts as blocks. */
const document = (value: unknown): string => stringify(value, { lineWidth: 0, aliasDuplicateObjects: false });

function packageRoot(path: string): string {
  const folder = dirname(path);
  if (existsSync(join(folder, 'package.json')) || folder === path) return folder;
  return packageRoot(folder);
}

/** Frozen, so that a plan that changes its input throws. */
function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const each of Object.values(value)) frozen(each);
  }
  return value;
}

/** Paths of what JSON could not hold: functions, dates, instances of classes. */
function notData(value: unknown, path: string): readonly string[] {
  if (value === null || ['string', 'boolean', 'undefined'].includes(typeof value) || Number.isFinite(value)) return [];
  if (Array.isArray(value)) return value.flatMap((each, i) => notData(each, `${path}[${i}]`));
  if (typeof value !== 'object' || Object.getPrototypeOf(value) !== Object.prototype) return [path];
  return Object.entries(value).flatMap(([key, each]) => notData(each, `${path}.${key}`));
}

interface Metadata {
  readonly labels?: Readonly<Record<string, string>>;
}
interface WorkloadSpec {
  readonly selector: { readonly matchLabels: Readonly<Record<string, string>> };
  readonly template: { readonly metadata: Metadata; readonly spec: PodSpec };
}
const nameOf = ({ name }: { readonly name: string }): string => name;

function podOf(workload: Manifest | undefined): PodSpec {
  if (!workload) throw new Error('expected a fuse DaemonSet, found none');
  return (workload['spec'] as WorkloadSpec).template.spec;
}

function badLabels({ kind, metadata, ...rest }: Manifest): readonly string[] {
  const template = isWorkload({ kind, metadata, ...rest }) ? (rest['spec'] as WorkloadSpec).template.metadata.labels : {};
  const labels = Object.entries({ ...metadata.labels, ...template });
  return [
    ...(/^[a-z0-9]([-.a-z0-9]{0,251}[a-z0-9])?$/.test(metadata.name) ? [] : [`${kind}/${metadata.name}`]),
    ...labels
      .filter(
        ([key, value]) =>
          !/^([a-z0-9.-]{1,253}\/)?[A-Za-z0-9]([-_.A-Za-z0-9]{0,61}[A-Za-z0-9])?$/.test(key) ||
          !/^([A-Za-z0-9]([-_.A-Za-z0-9]{0,61}[A-Za-z0-9])?)?$/.test(value),
      )
      .map(([key, value]) => `${kind}/${metadata.name}: ${key}=${value}`),
  ];
}

type Entry = Readonly<Record<string, unknown>>;
/** The keys by which lists of what runtimes write are merged, by field name. */
const KEYS: Readonly<Record<string, (entry: Entry) => unknown>> = {
  containers: ({ name }) => name,
  initContainers: ({ name }) => name,
  env: ({ name }) => name,
  volumes: ({ name }) => name,
  volumeMounts: ({ mountPath }) => mountPath,
  imagePullSecrets: ({ name }) => name,
  ports: ({ containerPort, port, protocol = 'TCP' }) => `${String(containerPort ?? port)}/${String(protocol)}`,
};

function repeated(value: unknown, path: string, field = ''): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  if (!Array.isArray(value)) return Object.entries(value).flatMap(([key, each]) => repeated(each, `${path}.${key}`, key));
  const keys = value.map((entry, i) => KEYS[field]?.(entry as Entry) ?? i);
  return [
    ...keys.filter((key, i) => keys.indexOf(key) < i).map((key) => `${path}[${String(key)}]`),
    ...value.flatMap((each, i) => repeated(each, `${path}[${i}]`)),
  ];
}
