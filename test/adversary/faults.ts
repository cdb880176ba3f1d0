import type { PlantedFault } from '../support/planted.ts';

/**
 * Faults that the tenant has to find, one at a time. The last five were chosen, and written down here, before there was a line of the
 * tenant's program: what a reviewer would fear of code that tells tenants apart.
 */
export const faults: readonly (PlantedFault & { readonly level?: 1 | 2 | 3 })[] = [
  {
    name: 'chain-of-references',
    reason: 'a Dataset whose volume leads to a third tenant is referred to, and that one is neither asked nor can it withdraw',
    edits: [
      {
        file: 'src/reconciler/kubernetes/plans/references.ts',
        find: 'if (targetOf(live) || keyText(server) !== keyText({ namespace, name })) return',
        replace: "if (targetOf(live) && keyText(server) === '') return",
      },
      {
        file: 'src/reconciler/kubernetes/plans/leads.ts',
        find: '[reference.dataset.identity, servedBy(reference.volume.csi?.volumeAttributes ?? {}) ?? reference.dataset.identity]',
        replace: '[reference.dataset.identity]',
      },
      {
        file: 'src/planning/volumes.ts',
        find: '...(servedBy && keyText(servedBy) !== (target && keyText(target))',
        replace: "...(servedBy && keyText(servedBy) === ''",
      },
    ],
  },
  {
    name: 'forged-identity',
    reason: "a text that is no UID counts as one: the joined name of another tenant, whose labels go with the forger's runtime",
    edits: [
      {
        file: 'src/planning/identity.ts',
        find: "typeof text === 'string' && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text);",
        replace: "typeof text === 'string';",
      },
      {
        file: 'src/reconciler/kubernetes/observe/survivors.ts',
        find: '    ...splitsOf(id),\n',
        replace: '    ...splitsOf(id).slice(0, 0),\n',
      },
    ],
  },
  {
    name: 'forged-daemonset',
    reason:
      "a DaemonSet that names a runtime as its owner becomes a privileged container of another tenant's pods; of several the first by name",
    edits: [
      {
        file: 'src/webhook/watches/projections.ts',
        find: 'return kept(object, { generation, size: template.length, template: pack(template) });',
        replace: `const owner = ownerReferences.find(({ apiVersion }) => apiVersion.startsWith(GROUP))?.name;
    return kept(object, { generation, size: template.length, template: pack(template), owner } as never);`,
      },
      {
        file: 'src/webhook/watches/watches.ts',
        find: 'fuse: fuses.get,',
        replace: `fuse: (namespace, name) => [...fuses.values()]
      .filter(({ metadata, known }) => metadata.namespace === namespace && (known as never as { owner: string })?.owner + '-fuse' === name)
      .toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1))[0],`,
      },
      {
        file: 'src/webhook/fuse-of.ts',
        find: 'if (fuse?.uid === record.uid && fuse.generation === record.generation) return',
        replace: 'if (fuse) return',
      },
    ],
  },
  {
    name: 'quota-1e60',
    reason: 'a cache of 1e60 bytes becomes a label that is not valid, and the API server refuses all labels of the node with it',
    edits: [
      {
        file: 'src/api/units.ts',
        find: 'if (amount > LARGEST_AMOUNT)',
        replace: 'if (amount > Infinity)',
      },
      {
        file: 'src/reconciler/kubernetes/nodes/cache-labels.ts',
        find: 'Object.fromEntries(Object.entries(labelsOf(plan)).filter(isLabel))',
        replace: 'labelsOf(plan)',
      },
      {
        file: 'src/reconciler/kubernetes/nodes/node-writes.ts',
        find: 'patches.size > 1 && mayBeOfOne(error, failures) ? [...patches] : []',
        replace: 'mayBeOfOne(error, failures) ? [] : []',
      },
    ],
  },
  {
    name: 'idle-runtime',
    reason: 'the deletion of a runtime that does not serve takes the labels of the one of its name that does',
    edits: [
      {
        file: 'src/reconciler/kubernetes/observe/survivors.ts',
        find: '  const held = [...unique.values()].flatMap((each) =>',
        replace: '  const held = [...unique.values()].filter((each) => keyText(each) !== keyText(key)).flatMap((each) =>',
      },
    ],
  },
  {
    name: 'orphaned-names',
    reason: 'a runtime whose Dataset was orphaned goes by the joined name again, and its deletion takes the labels of who has that name',
    edits: [
      {
        file: 'src/planning/identity.ts',
        find: 'if (!dataset) return before?.identity ?? { ...key',
        replace: 'if (!dataset) return { ...key',
      },
      {
        file: 'src/reconciler/kubernetes/observe/survivors.ts',
        find: '    ...splitsOf(joinedName(key)),\n    ...splitsOf(id),\n    ...store.namesakes(key).map(({ metadata }) => metadata),\n',
        replace: '    ...splitsOf(id).slice(0, 0),\n',
      },
    ],
  },
  {
    name: 'stale-prune',
    reason: 'what an old view of the spec does not have is deleted without a fresh read',
    edits: [
      {
        file: 'src/reconciler/kubernetes/apply/prune.ts',
        find: 'if (extra.length > 0) await confirmed();',
        replace: 'if (extra.length < 0) await confirmed();',
      },
    ],
  },
  {
    name: 'consent-by-prefix',
    reason: 'a grant to one namespace is a grant to all whose names begin with it',
    edits: [
      {
        file: 'src/api/labels.ts',
        find: "listed.includes('*') || listed.includes(namespace)",
        replace: "listed.includes('*') || listed.some((each) => namespace.startsWith(each))",
      },
    ],
  },
  {
    name: 'pods-of-all-namespaces',
    reason: "a pod that names another tenant's workload as its controller counts as a pod of that workload (S10)",
    edits: [
      {
        file: 'src/reconciler/kubernetes/store/pods.ts',
        find: '`${namespace}/${uid}`',
        replace: 'uid',
      },
      {
        file: 'src/reconciler/kubernetes/nodes/placements.ts',
        find: 'if (!before || before.placement.runtime.namespace !== namespace) return [];',
        replace: 'if (!before) return [];',
      },
    ],
  },
  {
    name: 'secret-without-policy',
    reason: 'the Secret of a volume is copied out of its namespace though no profile says so',
    edits: [
      {
        file: 'runtimes/thin/volumes.ts',
        find: "if (!namespace || policy !== 'CopyNodePublishSecretAndMountIfNotExists')",
        replace: 'if (!namespace)',
      },
    ],
  },
  {
    name: 'users-of-all-namespaces',
    reason: 'a pod of any namespace that names a claim of the same name keeps a Dataset from being deleted',
    edits: [
      {
        file: 'src/reconciler/kubernetes/observe/claim-users.ts',
        find: 'fromPods(client, namespace, (pod)',
        replace: 'fromPods(client, undefined as unknown as typeof namespace, (pod)',
      },
    ],
  },
  {
    name: 'name-not-held',
    reason: 'a Dataset gets the joined name although the volume of that name is of another one',
    edits: [
      {
        file: 'src/planning/identity.ts',
        find: 'const isTaken = holder !== undefined && keyText(holder) !== keyText(key);',
        replace: "const isTaken = holder !== undefined && keyText(holder) === '';",
      },
    ],
  },
];
