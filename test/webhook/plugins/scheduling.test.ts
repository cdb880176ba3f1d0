import { beforeEach, describe, expect, test } from 'vitest';
import type { NodeSelectorRequirement, NodeSelectorTerm } from '../../../src/api/index.ts';
import type { Admission, DatasetUse, MutationPlugin } from '../../../src/webhook/admission.ts';
import { nodeAffinityWithCache } from '../../../src/webhook/plugins/node-affinity-with-cache.ts';
import { preferNodesWithoutCache } from '../../../src/webhook/plugins/prefer-nodes-without-cache.ts';
import { requireNodeWithFuse } from '../../../src/webhook/plugins/require-node-with-fuse.ts';
import type { Pod } from '../../../src/webhook/pod.ts';
import { knownOf } from '../known.ts';

/** A Dataset that a pod mounts: its name, where its FUSE client can run and where its workers can. */
interface Mounted {
  readonly name: string;
  readonly claim?: string;
  readonly selector?: Readonly<Record<string, string>>;
  readonly cache?: readonly NodeSelectorTerm[];
}

const inTrue = (key: string) => ({ key, operator: 'In', values: ['true'] });
const on = (key: string, ...values: string[]) => ({ key, operator: 'In', values });
const term = (...matchExpressions: NodeSelectorRequirement[]) => ({ matchExpressions });
const zone = 'topology.kubernetes.io/zone';
const region = 'topology.kubernetes.io/region';

let warnings: string[] = [];
beforeEach(() => void (warnings = []));

function admission(mounted: readonly Mounted[]): Admission {
  const uses = mounted.map(
    ({ name, claim = name }): DatasetUse => ({
      claim,
      dataset: {
        identity: { namespace: 'ml', name, uid: `uid-${name}`, collides: false },
        phase: 'Bound',
        runtime: { type: 'alluxio', namespace: 'ml', name },
      },
    }),
  );
  const known = knownOf({
    datasets: Object.fromEntries(uses.map(({ dataset }) => [`ml/${dataset.identity.name}`, dataset])),
    volumes: Object.fromEntries(
      uses.map(
        ({
          dataset: {
            identity: { name },
          },
        }) => [`ml-${name}`, { path: '/p', mountType: 'x', subPath: '', claim: { namespace: 'ml', name } }],
      ),
    ),
    fuses: Object.fromEntries(
      mounted.flatMap(({ name, selector }) =>
        selector ? [[`ml/${name}`, { template: { spec: { containers: [], nodeSelector: { ...selector } } } }]] : [],
      ),
    ),
    runtimes: Object.fromEntries(
      mounted.map(({ name, cache = [] }) => [`alluxio/ml/${name}`, { cacheAffinity: cache, scrapesSidecars: false }]),
    ),
  });
  // The cast: these plugins look at nothing else.
  return {
    namespace: 'ml',
    known,
    uses,
    usesOf: () => uses,
    warn: (message: string) => void warnings.push(message),
  } as unknown as Admission;
}
const podWith = (nodeAffinity: unknown, rest: object = {}, labels: Record<string, string> = {}): Pod => ({
  metadata: { labels },
  spec: { containers: [], ...rest, ...(nodeAffinity !== undefined && { affinity: { nodeAffinity: nodeAffinity as object } }) },
});
const requiringTerms = (...nodeSelectorTerms: object[]) => ({ requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } });
const sched = (...names: string[]) => Object.fromEntries(names.map((name) => [`fluid.io/dataset.${name}.sched`, 'required']));
const run = (plugin: MutationPlugin, pod: Pod, mounted: readonly Mounted[], args?: unknown): Pod =>
  plugin.configure(args)(pod, admission(mounted));
const required = ({ spec }: Pod) => spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
const preferred = ({ spec }: Pod) =>
  spec.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution?.map(({ weight, preference }) => [
    weight,
    preference.matchExpressions,
  ]);

describe('RequireNodeWithFuse', () => {
  const amd = { name: 'a', selector: { 'kubernetes.io/arch': 'amd64', 'fluid.io/f-ml-a': 'true', 'fluid.io/fuse-balloon': 'true' } };
  const gpu = { name: 'b', selector: { 'acme.io/gpu': 'yes', 'kubernetes.io/arch': 'amd64' } };
  const arch = on('kubernetes.io/arch', 'amd64');
  const terms = (pod: Pod, ...mounted: Mounted[]) => required(run(requireNodeWithFuse, pod, mounted));

  test('requires what the fuse DaemonSet selects, but for labels that come with its pods', () => {
    expect(terms(podWith(undefined), amd)).toEqual([term(arch)]);
  });
  test('requires what the FUSE clients of all Datasets do, each once', () => {
    expect(terms(podWith(undefined), amd, gpu)).toEqual([term(arch, on('acme.io/gpu', 'yes'))]);
  });
  test('adds it to each term of the pod, and keeps the rest of the term', () => {
    const fields = { matchFields: [on('metadata.name', 'node-1')] };
    expect(terms(podWith(requiringTerms(term(on('disk', 'ssd')), fields, {}, { matchExpressions: [] })), amd)).toEqual([
      term(on('disk', 'ssd'), arch),
      { ...fields, matchExpressions: [arch] },
    ]);
  });
  test('changes nothing if the DaemonSet is unknown, or selects nothing', () => {
    const pod = podWith(undefined);
    expect(run(requireNodeWithFuse, pod, [{ name: 'a' }, { name: 'b', selector: { 'fluid.io/f-ml-b': 'true' } }])).toBe(pod);
  });
  test('lets no pod run that ran nowhere: a lone empty term matches no node', () => {
    const pod = podWith(requiringTerms({}));
    expect(run(requireNodeWithFuse, pod, [amd])).toBe(pod);
  });
  test('changes nothing when the pod comes again', () => {
    const once = run(requireNodeWithFuse, podWith(requiringTerms(term(on('disk', 'ssd')))), [amd, gpu]);
    expect(run(requireNodeWithFuse, once, [amd, gpu])).toBe(once);
  });
});

describe('NodeAffinityWithCache', () => {
  const cached = (name: string, ...cache: NodeSelectorTerm[]): Mounted => ({ name, cache });
  const run1 = (pod: Pod, mounted: readonly Mounted[], args?: unknown) => run(nodeAffinityWithCache, pod, mounted, args);

  test('prefers nodes with the cache, then its zone, then its region', () => {
    const pod = run1(podWith(undefined), [cached('a', term(on(zone, 'z1'), on(region, 'r1'), on('disk', 'ssd')))]);
    expect(preferred(pod)).toEqual([
      [100, [inTrue('fluid.io/s-ml-a')]],
      [50, [on(zone, 'z1')]],
      [20, [on(region, 'r1')]],
    ]);
    expect(required(pod)).toBeUndefined();
  });
  test('appends its preferences to those of the pod', () => {
    const own = { weight: 7, preference: term(on('disk', 'ssd')) };
    const pod = podWith({ preferredDuringSchedulingIgnoredDuringExecution: [own] });
    expect(preferred(run1(pod, [cached('a'), cached('b')]))?.map(([weight]) => weight)).toEqual([7, 100, 100]);
  });
  test('prefers nodes with the FUSE client if its arguments say so', () => {
    const pod = run1(podWith(undefined), [cached('a')], { preferred: [{ name: 'fluid.io/fuse', weight: 3 }] });
    expect(preferred(pod)).toEqual([[3, [inTrue('fluid.io/f-ml-a')]]]);
  });

  describe('with the label fluid.io/dataset.<name>.sched: required', () => {
    test('requires the cache of that Dataset, and prefers nothing for it', () => {
      const pod = run1(podWith(undefined, {}, sched('a')), [cached('a', term(on(zone, 'z1'))), cached('b')]);
      expect(required(pod)).toEqual([term(inTrue('fluid.io/s-ml-a'))]);
      expect(preferred(pod)).toEqual([[100, [inTrue('fluid.io/s-ml-b')]]]);
    });
    test('requires the caches of all such Datasets at once', () => {
      const pod = run1(podWith(undefined, {}, sched('a', 'b')), [cached('a'), cached('b')]);
      expect(required(pod)).toEqual([term(inTrue('fluid.io/s-ml-a'), inTrue('fluid.io/s-ml-b'))]);
    });
    test('requires all configured labels at once, in one place where the workers may be', () => {
      const places = [term(on(zone, 'z1'), on(region, 'r1')), term(on(zone, 'z2'), on(region, 'r2'), on('disk', 'ssd'))];
      const pod = run1(podWith(undefined, {}, sched('a')), [cached('a', ...places)], { required: ['fluid.io/node', zone, region] });
      const node = inTrue('fluid.io/s-ml-a');
      expect(required(pod)).toEqual([term(node, on(zone, 'z1'), on(region, 'r1')), term(node, on(zone, 'z2'), on(region, 'r2'))]);
      expect(run1(pod, [cached('a', ...places)], { required: ['fluid.io/node'] })).toBe(pod);
    });
    test('requires no zone if the workers may be in any', () => {
      const pod = run1(podWith(undefined, {}, sched('a')), [cached('a', term(on(zone, 'z1')), term(on('disk', 'ssd')))], {
        required: [zone],
      });
      expect(required(pod)).toBeUndefined();
    });
    test('may name the claim instead', () => {
      const pod = run1(podWith(undefined, {}, sched('source')), [{ name: 'a', claim: 'source' }]);
      expect(required(pod)).toEqual([term(inTrue('fluid.io/s-ml-a'))]);
    });
    test.each(['fluid.io/dataset.b.sched', 'fluid.io/dataset.a.sched.x', 'x.fluid.io/dataset.a.sched'])('ignores %s', (key) => {
      expect(required(run1(podWith(undefined, {}, { [key]: 'required' }), [cached('a')]))).toBeUndefined();
    });
  });

  describe('leaves a pod alone that speaks of a configured label:', () => {
    test.each([
      ['in its nodeSelector', podWith(undefined, { nodeSelector: { [zone]: 'z1' } })],
      ['in its terms', podWith(requiringTerms({}, term(on(region, 'r1'))))],
      [
        'in its preferences',
        podWith({ preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, preference: term(on(zone, 'z1')) }] }),
      ],
    ])('%s', (_, pod) => {
      expect(run1(pod, [cached('a')])).toBe(pod);
    });
    test('not if RequireNodeWithFuse has put it there', () => {
      const mounted = [{ name: 'a', selector: { [zone]: 'z1' } }];
      const pod = run(requireNodeWithFuse, podWith(undefined), mounted);
      expect(preferred(run1(pod, mounted))).toEqual([[100, [inTrue('fluid.io/s-ml-a')]]]);
    });
  });

  test('changes nothing when the pod comes again', () => {
    const places = [term(on('disk', 'ssd')), term(on('disk', 'nvme'))];
    const args = { preferred: [{ name: 'fluid.io/node', weight: 1 }], required: ['fluid.io/node'] };
    const mounted = [cached('a', ...places), cached('b')];
    const once = run1(podWith(undefined, {}, sched('a')), mounted, args);
    expect(run1(once, mounted, args)).toBe(once);
  });
  test('takes the UID where the name is too long for a label', () => {
    const name = 'n'.repeat(60);
    expect(preferred(run1(podWith(undefined), [cached(name)]))).toEqual([[100, [inTrue(`fluid.io/s-uid-${name}`)]]]);
  });
  test.each([
    [{ preferred: [{ name: 'a b', weight: 1 }] }, 'args.preferred[0].name: expected the key of a label, found "a b"'],
    [{ preferred: [{ name: 'a', weight: 101 }] }, 'args.preferred[0].weight: expected an integer of 1 to 100, found 101'],
    [{ preferred: [{ name: 'a', wieght: 1 }] }, 'args.preferred[0].wieght: expected a known field (did you mean weight?)'],
    [{ required: 'fluid.io/node' }, 'args.required: expected a list, found "fluid.io/node"'],
    ['text', 'args: expected the fields preferred and required, found "text"'],
  ])('refuses the arguments %j', (args, message) => {
    expect(() => nodeAffinityWithCache.configure(args)).toThrow(message);
  });
});

describe('PreferNodesWithoutCache', () => {
  const none = { key: 'fluid.io/dataset-num', operator: 'DoesNotExist' };
  test('keeps a pod without Datasets away from caches', () => {
    const once = run(preferNodesWithoutCache, podWith(undefined), []);
    expect(preferred(once)).toEqual([[100, [none]]]);
    expect(run(preferNodesWithoutCache, once, [])).toBe(once);
  });
  test('changes no pod with a Dataset', () => {
    const pod = podWith(undefined);
    expect(run(preferNodesWithoutCache, pod, [{ name: 'a' }])).toBe(pod);
  });
});

describe('a hint never denies a pod:', () => {
  const mounted = [{ name: 'a', selector: { disk: 'ssd' } }];
  const all = (pod: Pod) =>
    [requireNodeWithFuse, nodeAffinityWithCache].reduce(
      (each, plugin) => run(plugin, each, mounted),
      run(preferNodesWithoutCache, pod, []),
    );

  test.each([
    ['affinity', { affinity: 'x' }],
    ['affinity', { affinity: [] }],
    ['node affinity', { affinity: { nodeAffinity: 3 } }],
    ['required', { affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [] } } }],
    ['terms', { affinity: { nodeAffinity: requiringTerms('x' as unknown as object) } }],
    ['expressions', { affinity: { nodeAffinity: requiringTerms({ matchExpressions: {} }) } }],
    ['preferred', { affinity: { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: {} } } }],
  ])('%s of another shape stay as they are', (_, spec) => {
    const pod = { metadata: {}, spec: { containers: [], ...spec } } as unknown as Pod;
    expect(all(pod)).toBe(pod);
  });
  test.each([
    ['affinity', { affinity: null }],
    ['node affinity', { affinity: { nodeAffinity: null } }],
    ['terms', { affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: null } } } }],
    ['preferred', { affinity: { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: null } } }],
    ['nodeSelector', { nodeSelector: null }],
  ])('%s that is null counts as absent', (_, spec) => {
    const pod = all({ metadata: {}, spec: { containers: [], ...spec } } as unknown as Pod);
    expect(required(pod)).toEqual([term(on('disk', 'ssd'))]);
    expect(preferred(pod)?.length).toBe(2);
  });
  test('a preference of another shape stays', () => {
    const pod = all(podWith({ preferredDuringSchedulingIgnoredDuringExecution: [null, 'x'] }));
    expect(pod.spec.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution?.slice(0, 2)).toEqual([null, 'x']);
  });

  test('a requirement for a Dataset that the pod does not mount is no requirement, which its user is told', () => {
    const mounted = [{ name: 'a', claim: 'claim-of-a' }, { name: 'b' }];
    const pod = podWith(undefined, {}, sched('claim-of-a', 'b', 'c', 'd', 'e', 'f'));
    expect(required(run(nodeAffinityWithCache, pod, mounted))).toHaveLength(1);
    expect(warnings).toEqual([
      'metadata.labels[fluid.io/dataset.<name>.sched]: expected names of Datasets that the pod mounts, found "c", "d", "e" and others; nothing is required for them',
    ]);
  });

  describe('with a hundred terms and a hundred Datasets', () => {
    const terms = Array.from({ length: 100 }, (_, i) => term(on('rack', `r${i}`)));
    const many = Array.from({ length: 100 }, (_, i): Mounted => ({ name: `d${i}`, selector: { [`acme.io/d${i}`]: 'yes' } }));
    test('the terms stay as they are, and their user is told', () => {
      const pod = podWith(requiringTerms(...terms), {}, sched(...many.map(({ name }) => name)));
      expect(run(requireNodeWithFuse, pod, many)).toBe(pod);
      expect(run(nodeAffinityWithCache, pod, many)).toBe(pod);
      const most = /expected at most 1000 conditions on nodes to add, found up to \d+; nothing is required of nodes$/;
      expect(warnings).toEqual([expect.stringMatching(most), expect.stringMatching(most)]);
      expect(warnings[0]).toMatch(/^the pod may run where its FUSE clients cannot: spec\.affinity: /);
      expect(warnings[1]).toMatch(/^the pod may run far from the caches that it requires: spec\.affinity: /);
    });
    test('ten terms with one Dataset are no such pod', () => {
      const pod = podWith(requiringTerms(...terms));
      expect(required(run(requireNodeWithFuse, pod, many.slice(0, 1)))).toHaveLength(100);
      expect(warnings).toEqual([]);
    });
    test('preferences that fit are added', () => {
      const crowd = Array.from({ length: 2000 }, (_, i) => ({ name: `d${i}` }));
      expect(preferred(run(nodeAffinityWithCache, podWith(undefined), crowd))).toHaveLength(1000);
    });
    test('workers that may be in a thousand places add no terms', () => {
      const places = Array.from({ length: 1001 }, (_, i) => term(on('rack', `r${i}`)));
      const pod = podWith(undefined, {}, sched('a'));
      expect(run(nodeAffinityWithCache, pod, [{ name: 'a', cache: places }], { required: ['rack'] })).toBe(pod);
    });
  });
});
