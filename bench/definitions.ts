/** The package's definitions of the kinds of benches. */
import { runtimes } from '../runtimes/_all.gen.ts';
import { resources } from '../runtimes/_resources.gen.ts';
import { parse } from '../src/api/index.ts';
import type { Runtime } from '../src/constructs/contract.ts';
import { BENCHED, COMPANIONS, type Kind } from './kinds.ts';

export function runtimeOf(kind: Kind): Runtime {
  const { runtimeKind } = BENCHED[kind];
  const found = runtimes.find(({ resource }) => resource.kind === runtimeKind);
  if (!found) throw new Error(`expected a runtime ${runtimeKind} in the registry, found none`);
  return found;
}

/** As `facts.objects` has them: profiles, classes and the like. */
export const companionFacts = () =>
  Object.fromEntries(
    COMPANIONS.map(({ object }) => {
      const resource = resources.find(({ kind }) => kind === object.kind);
      if (!resource) throw new Error(`expected a resource ${object.kind} in the registry, found none`);
      return [`${object.kind}/${object.metadata.name}`, parse(resource, object)];
    }),
  );
