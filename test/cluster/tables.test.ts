/** Tables of the API server in memory against those of a real one: every kind, each cell. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { tableOf, type TableRequest } from '../../src/api-server/wire/table/index.ts';
import { createClient, type KubeClient } from '../../src/kube/client/kube-client.ts';
import { connectionFromKubeconfig } from '../../src/kube/kubeconfig/kubeconfig.ts';
import { collectionPath, objectPath } from '../../src/kube/client/paths.ts';
import type { KubeObject, ResourceType } from '../../src/kube/types.ts';
import { unique } from '../api-server/suite/objects.ts';
import { gadget, gadgetColumns, gadgetDefinition, Gadget } from '../api-server/tables/gadgets.ts';
import { type Given, given, types } from '../api-server/tables/given.ts';
import { isDefault } from '../support/kubernetes.ts';
import { eventually } from '../support/sluice.ts';
import { sharedControlPlane, simulated } from '../support/test-cluster.ts';

interface Table {
  readonly metadata: { readonly resourceVersion: string; readonly continue?: string };
  readonly columnDefinitions: readonly { readonly name: string; readonly description: string }[];
  readonly rows: readonly { readonly cells: readonly unknown[]; readonly object: KubeObject }[];
}
const AS_TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io';

/** Seconds pass between two answers. What is older has coarser ages, which are compared. */
const steady = (table: unknown): unknown =>
  JSON.parse(
    JSON.stringify(table)
      .replaceAll(/(?<=")(?:\d+m)?\d+s(?=")|(?<=")\d+m(?=")/g, 'moments')
      .replaceAll(/\((?:\d+m)?\d*s? ago\)/g, '(moments ago)'),
  );
/** Descriptions of columns that no object of ours describes are the API's documentation. */
const undescribed = (table: Table): unknown => ({
  ...table,
  columnDefinitions: table.columnDefinitions.map((definition) => ({ ...definition, description: '' })),
});

/** Newer versions of Kubernetes add columns to these, or take some away. */
const CHANGED = ['Node', 'ServiceAccount', 'CustomResourceDefinition'];
const compared = Object.values(types).filter(({ kind }) => isDefault || !CHANGED.includes(kind));

describe.skipIf(!simulated)('tables of a real API server', () => {
  let client: KubeClient;
  let namespace: string;
  let made: readonly Given[] = [];
  const GadgetHere = { ...Gadget, group: `${unique('table')}.example.io` };

  const write = async ({ type, object, status, isDeleted }: Given) => {
    await client.create(type, object, { fieldValidation: 'Strict' });
    if (status) await client.patch(type, object.metadata, { status }, { type: 'merge', subresource: 'status' });
    if (isDeleted) await client.delete(type, object.metadata, { propagation: 'Background' });
  };
  beforeAll(async () => {
    client = createClient(connectionFromKubeconfig([sharedControlPlane().kubeconfig]), { fieldManager: 'tables' });
    namespace = unique('tables');
    await client.create(types.Namespace, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    await eventually(() => client.get(types.ServiceAccount, { namespace, name: 'default' }));
    made = given(namespace);
    await Promise.all(made.map(write));
    const definition = gadgetDefinition(GadgetHere);
    await client.create(types.CustomResourceDefinition, definition);
    made = [...made, { type: types.CustomResourceDefinition, object: definition }];
    await eventually(() => client.create(GadgetHere, gadget(GadgetHere, namespace)));
  });
  afterAll(async () => {
    for (const { type, object, isDeleted } of made)
      if (isDeleted) await client.patch(type, object.metadata, { metadata: { finalizers: null } }, { type: 'merge' }).catch(() => {});
    for (const { type, object } of made)
      if (!type.namespaced) await client.delete(type, object.metadata, { propagation: 'Background' }).catch(() => {});
    await client.delete(types.Namespace, { name: namespace }).catch(() => {});
    await client.close();
  });

  /** The API server's table, and the one that tableOf makes of the objects in it. */
  async function both(type: ResourceType, path: string, how: Partial<TableRequest> = {}): Promise<{ real: Table; ours: Table }> {
    const real = (await client.raw('GET', `${path}${path.includes('?') ? '&' : '?'}includeObject=Object`, { accept: AS_TABLE })) as Table;
    const request = { now: Date.now(), includeObject: 'Object', ...real.metadata, ...how } as const;
    // The cast: both have the shape of a Table, or the test fails.
    return {
      real,
      ours: tableOf(
        type,
        real.rows.map(({ object }) => object),
        request,
      ) as Table,
    };
  }

  test.each(compared.map((type) => [`${type.kind} ${type.group}`, type] as const))('%s', async (_, type) => {
    const { real, ours } = await both(type, collectionPath(type, undefined));
    expect(real.rows.length).toBeGreaterThan(0);
    expect(steady(undescribed(ours))).toEqual(steady(undescribed(real)));
  });

  test('one object, and a page', async () => {
    const { metadata } = made.find(({ object }) => object.kind === 'Pod')!.object;
    const one = await both(types.Pod, objectPath(types.Pod, metadata));
    expect(steady(undescribed(one.ours))).toEqual(steady(undescribed(one.real)));
    const page = await both(types.Pod, `${collectionPath(types.Pod, namespace)}?limit=2`);
    expect(page.real.metadata.continue).toBeDefined();
    expect(page.real.rows).toHaveLength(2);
  });

  test.each(['None', 'Metadata'] as const)('with includeObject=%s', async (includeObject) => {
    const path = collectionPath(types.Secret, namespace);
    const real = (await client.raw('GET', `${path}?includeObject=${includeObject}`, { accept: AS_TABLE })) as Table;
    const { items } = await client.list(types.Secret, { namespace });
    const ours = tableOf(types.Secret, items, { now: Date.now(), includeObject, ...real.metadata }) as Table;
    expect(steady(undescribed(ours))).toEqual(steady(undescribed(real)));
  });

  test.each(Object.keys(gadgetColumns))('columns of a custom resource: %s', async (version) => {
    const type = { ...GadgetHere, version };
    const { real, ours } = await both(type, collectionPath(type, namespace), { columns: gadgetColumns[version]! });
    // The API's documentation says whose name or age it is.
    const named = ({ columnDefinitions, ...table }: Table) => ({
      ...table,
      columnDefinitions: columnDefinitions.map((each) => (['Name', 'Age'].includes(each.name) ? { ...each, description: '' } : each)),
    });
    expect(steady(named(ours))).toEqual(steady(named(real)));
  });
});
