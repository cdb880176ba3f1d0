import { describe, expect, test } from 'vitest';
import * as write from '../support/objects.ts';
import { boundHarness } from './harness.ts';

const dataset = () => write.openDataset('demo');

describe('edits of a bound dataset', () => {
  test('more workers are a condition and an event, once', async () => {
    const at = await boundHarness([dataset(), write.exampleRuntime('demo', {})]);
    at.edit('ExampleRuntime', { replicas: 3 });
    await at.quiet();
    expect(at.conditions('ExampleRuntime')['WorkersScaledOut']).toBe(
      'True Workers scaled out: Workers scaled out from 1 replicas to 3 replicas.',
    );
    expect(at.events.map(({ reason, note }) => `${reason}: ${note}`)).toEqual(['Succeed: Runtime scaled out from 1 to 3 workers']);
    expect(at.runtime('ExampleRuntime')).toMatchObject({ desiredWorkerNumberScheduled: 3, workerNumberReady: 3, workerPhase: 'Ready' });
  });
  test('a mount is added by a command, and the dataset says Updating until it is there', async () => {
    const at = await boundHarness([dataset(), write.exampleRuntime('demo', {})]);
    at.edit('Dataset', {
      mounts: [
        { mountPoint: 's3://bucket', name: 'data' },
        { mountPoint: 's3://more', name: 'more' },
      ],
    });
    await at.pass(); // asks what is mounted
    await at.pass();
    expect(at.dataset()).toMatchObject({ phase: 'Updating', mounts: [{ name: 'data' }] });
    await at.quiet();
    expect(at.dataset()).toMatchObject({ phase: 'Bound', mounts: [{ name: 'data' }, { name: 'more' }] });
  });
  test('an immutable field is reported with its live value and the desired value', async () => {
    const at = await boundHarness([dataset(), write.thinRuntime('demo', { profileName: 'profile' })]);
    at.edit('Dataset', { accessModes: ['ReadWriteMany'] });
    await at.quiet();
    expect(at.conditions('ThinRuntime')['ImmutableFieldChanged']).toContain(
      'PersistentVolumeClaim/demo spec.accessModes[0]: "ReadOnlyMany" → "ReadWriteMany"',
    );
    expect(at.dataset().phase).toBe('Bound');
  });
});
