import { expect, test } from 'vitest';
import { fits, type PlantedFault, runPlanted } from '../support/planted.ts';

const fault = (find: string): PlantedFault => ({
  name: 'example',
  reason: 'every Dataset has the same names',
  edits: [{ file: 'src/api/names.ts', find, replace: "export const joinedName = (_key: unknown) => 'planted';" }],
});

test('a command runs in a copy of the code that has the fault', async () => {
  const script = `import('./src/api/names.ts').then(({ joinedName }) => console.log(joinedName({ namespace: 'a', name: 'b' })))`;
  const run = await runPlanted(fault('export const joinedName = joined;'), ['node', '--no-warnings', '-e', script]);
  expect(run).toEqual({ status: 0, output: 'planted\n' });
});

test('a fault that does not fit the code is an error that names file and text', () => {
  expect(() => fits(fault('no such text'))).toThrow(
    'planted fault example: expected "no such text" once in src/api/names.ts, found it 0 times',
  );
});
