import { describe, expect, test } from 'vitest';
import { clientName, clientNumber, platformOf } from '../../src/api/sidecars.ts';

describe('the platform of sidecars', () => {
  const TODAY = { 'serverless.fluid.io/inject': 'true' };
  const OLDER = { 'fuse.sidecar.fluid.io/inject': 'true' };
  const BY_LABEL = { 'acme.io/platform': 'acme' };
  const UNPRIVILEGED = { 'unprivileged.sidecar.fluid.io/inject': 'true' };
  test.each([
    ['is default', TODAY, undefined, 'default'],
    ['is that of the annotation', TODAY, 'other', 'other'],
    ['is default with the older label, whatever the annotation says', OLDER, 'other', 'default'],
    ['is that of the annotation with both labels', { ...TODAY, ...OLDER }, 'other', 'other'],
    ['is that of the platform label before the annotation', BY_LABEL, 'other', 'acme'],
    ['is unprivileged before all others', { ...BY_LABEL, ...UNPRIVILEGED }, 'other', 'unprivileged'],
    ['is that of the annotation if another webhook put sidecars in', {}, 'other', 'other'],
  ])('%s', (_, labels, annotation, platform) => {
    const annotations: Record<string, string> = annotation === undefined ? {} : { 'serverless.fluid.io/platform': annotation };
    expect(platformOf(labels, annotations, 'acme.io/platform')).toBe(platform);
  });
});

describe('the number of a client', () => {
  test.each([
    [clientName(0), 0],
    [clientName(12), 12],
    [`${clientName(1)}-exporter`, 1],
    ['fluid-fuse', undefined],
    ['fluid-fuse-cache', undefined],
    ['fluid-fuse-1x', undefined],
    ['fluid-fuse-01', undefined],
    ['fluid-fuse-1-', undefined],
    ['my-fluid-fuse-0', undefined],
    ['fluid-fuse-99999999999', undefined],
  ])('of the container %s is %s', (name, number) => expect(clientNumber(name)).toBe(number));
});
