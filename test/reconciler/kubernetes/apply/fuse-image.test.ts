import { expect, test } from 'vitest';
import { jfsDataset, jfsRuntime, jfsSecret } from '../../../support/objects.ts';
import { harness } from '../../harness.ts';

interface PodTemplate {
  readonly metadata: { readonly labels: Readonly<Record<string, string>> };
  readonly spec: { readonly containers: readonly { readonly image: string }[] };
}

test('a webhook that rewrites the fuse image does not raise the generation of its clients, nor is it fought', async () => {
  const at = await harness();
  at.server.rules.mutate({ kind: 'DaemonSet' }, (object) => {
    const spec = object['spec'] as { readonly template: PodTemplate };
    const containers = spec.template.spec.containers.map((each) => ({ ...each, image: each.image.replace(/^(mirror\/)?/, 'mirror/') }));
    return { ...object, spec: { ...spec, template: { ...spec.template, spec: { ...spec.template.spec, containers } } } };
  });
  for (const object of [jfsSecret(), jfsDataset('demo'), jfsRuntime('demo')]) at.put(object);
  await at.quiet();
  const { template } = at.get('DaemonSet', 'demo-fuse')!['spec'] as { readonly template: PodTemplate };
  expect(template.spec.containers[0]?.image).toMatch(/^mirror\//);
  expect(template.metadata.labels['fuse.runtime.fluid.io/generation']).toBe('1');
  expect(at.conditions('JuiceFSRuntime')['Synced']).toMatch(/^True/);
  at.forget();
  await at.restart();
  await at.quiet();
  const { template: later } = at.get('DaemonSet', 'demo-fuse')!['spec'] as { readonly template: PodTemplate };
  expect(later.metadata.labels['fuse.runtime.fluid.io/generation']).toBe('1');
  expect(at.conditions('JuiceFSRuntime')['Synced']).toMatch(/^True/);
});
