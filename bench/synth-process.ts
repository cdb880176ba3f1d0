/**
 * Parses, plans and renders so many pairs of Dataset and Runtime, of the kinds that are named by turns, as a controller that starts would.
 * Nothing is kept: the controller keeps what is in the cluster, not what it rendered.
 */
import { Dataset, parse } from '../src/api/index.ts';
import { PRINT_ORDER } from '../src/constructs/index.ts';
import { companionFacts, runtimeOf } from './definitions.ts';
import type { Kind } from './kinds.ts';
import { pair } from './objects.ts';
import { memory } from './proc.ts';
import type { Synthesized } from './synth.ts';

const settings = { mountRoot: '/runtime-mnt', criticalFusePod: true, imagePullSecrets: [], env: {}, portRanges: {} };
const facts = { ports: {}, secrets: {}, claims: {}, configMaps: {}, pods: {}, objects: companionFacts() };
const [, , count = '', ...kinds] = process.argv;

function synthesize(kind: Kind, i: number): number {
  const [namespace, name] = ['bench', `d${i}`];
  const given = pair(kind, namespace, name);
  const definition = runtimeOf(kind);
  const runtime = parse(definition.resource, given.runtime) as { readonly spec: object };
  const { spec } = parse(Dataset, given.dataset);
  const dataset = { identity: { namespace, name, uid: `dataset-${i}`, collides: false }, annotations: {}, spec };
  const bound = definition.bind({
    name,
    namespace,
    uid: `runtime-${i}`,
    annotations: {},
    spec: runtime.spec,
    dataset,
    facts,
    settings,
  });
  return PRINT_ORDER.reduce((sum, part) => sum + bound.synth(part).length, 0);
}

const before = process.cpuUsage();
let objects = 0;
// The bench passes kinds.
for (let i = 0; i < Number(count); i++) objects += synthesize(kinds[i % kinds.length] as Kind, i);
const { user, system } = process.cpuUsage(before);
const result: Synthesized = { cpuSeconds: (user + system) / 1e6, peakMb: memory(process.pid).peak, objects };
console.log(JSON.stringify(result));
