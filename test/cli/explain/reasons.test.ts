/** `sluice explain --reasons`, which reads no cluster. */
import { expect, test } from 'vitest';
import { sluice } from '../run.ts';

const nowhere = { env: { KUBECONFIG: '/nowhere', LC_ALL: 'C' } };

test('a reason is explained without a cluster', async () => {
  expect(await sluice(['explain', '--reasons', 'ReferenceNotAllowed'], nowhere)).toEqual({
    code: 0,
    stdout: expect.stringMatching(
      /^ReferenceNotAllowed\n {2}a Dataset refers to .*\n {2}to do: let the owner .*\n {2}to do for an operation: .*followers`\n$/,
    ) as string,
    stderr: '',
  });
});
test('without a name, all are printed; as JSON for programs', async () => {
  const { code, stdout } = await sluice(['explain', '--reasons', '-o', 'json'], nowhere);
  const { items } = JSON.parse(stdout) as { readonly items: readonly { readonly name: string; readonly toDo: string }[] };
  expect(code).toBe(0);
  expect(items.map(({ name }) => name)).toEqual(expect.arrayContaining(['InvalidSpec', 'MountsChanged', 'PodsOutdated']));
  expect(items.find(({ name }) => name === 'UpdateFailed')?.toDo).toMatch(/^after `422 Invalid`/);
});
test('a name that is none of them is refused', async () => {
  const { code, stdout, stderr } = await sluice(['explain', '--reasons', 'SecretMissing'], nowhere);
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toBe(
    'sluice: --reasons: expected a reason or a condition, such as MasterNotReady or PodsOutdated, found SecretMissing; without a name, all are printed\n',
  );
});
