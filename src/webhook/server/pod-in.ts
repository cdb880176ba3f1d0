import type { Pod } from '../pod.ts';
import { type JsonObject, isRecord } from '../shapes.ts';
import { expect } from './malformed.ts';

/**
 * The pod, if every part that an admission looks at has its type. The API server checks the rest.
 * @throws Malformed
 */
export function podIn(object: unknown): Pod {
  expect(isRecord(object), 'object', 'a Pod', object);
  const { metadata, spec } = object;
  expect(isRecord(metadata), 'metadata', 'an object', metadata);
  for (const field of ['labels', 'annotations']) checkTexts(metadata[field], `metadata.${field}`);
  for (const field of ['name', 'generateName', 'namespace'])
    expect(['string', 'undefined'].includes(typeof metadata[field]), `metadata.${field}`, 'a text', metadata[field]);
  expect(isRecord(spec), 'spec', 'an object', spec);
  for (const field of ['containers', 'initContainers', 'ephemeralContainers']) {
    checkList(spec[field], `spec.${field}`, (container, at) => {
      for (const list of ['env', 'envFrom', 'volumeDevices', 'ports']) checkList(container[list], `${at}.${list}`);
      checkList(container['volumeMounts'], `${at}.volumeMounts`, (mount, where) => {
        for (const name of ['name', 'mountPath']) checkText(mount[name], `${where}.${name}`);
      });
      for (const name of ['lifecycle', 'securityContext']) checkObject(container[name], `${at}.${name}`);
      checkText(container['name'], `${at}.name`);
    });
  }
  expect(spec['containers'] !== undefined, 'spec.containers', 'a list', undefined);
  checkObject(spec['securityContext'], 'spec.securityContext');
  checkList(spec['imagePullSecrets'], 'spec.imagePullSecrets');
  checkList(spec['volumes'], 'spec.volumes', (volume, at) => {
    checkObject(volume['hostPath'], `${at}.hostPath`);
    checkText(volume['name'], `${at}.name`);
    const claim = volume['persistentVolumeClaim'];
    checkObject(claim, `${at}.persistentVolumeClaim`);
    if (claim !== undefined) checkText(claim['claimName'], `${at}.persistentVolumeClaim.claimName`);
  });
  // The cast: what was checked is what admissions look at.
  return object as unknown as Pod;
}

function checkText(value: unknown, path: string): void {
  expect(typeof value === 'string', path, 'a text', value);
}

function checkObject(value: unknown, path: string): asserts value is JsonObject | undefined {
  expect(value === undefined || isRecord(value), path, 'an object', value);
}

function checkTexts(value: unknown, path: string): void {
  if (value === undefined) return;
  expect(isRecord(value), path, 'a map of texts', value);
  for (const [key, text] of Object.entries(value)) checkText(text, `${path}[${JSON.stringify(key.slice(0, 80))}]`);
}

function checkList(value: unknown, path: string, check?: (element: JsonObject, at: string) => void): void {
  if (value === undefined) return;
  expect(Array.isArray(value), path, 'a list', value);
  for (const [i, element] of value.entries()) {
    expect(isRecord(element), `${path}[${i}]`, 'an object', element);
    check?.(element, `${path}[${i}]`);
  }
}
